"""Elements of earlier calls: a request that is stored already is not run again."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...store import Store
from ._data._batches import Survey
from ._layers._patterns import Asked
from ._layers._reducers import NoReducer, Reducer
from ._request import Request, batches_of, labels_of, rows_per_sample


def stored_layers(store: Store, request: Request) -> list[tuple[str, dict[str, Any]]]:
    """Elements of this name that were extracted with the fields of the request."""
    found = []
    for element in store.find(request.fields):
        manifest = store.manifest(element)
        origin = {key: manifest.get(key) for key in ("baseline", "twin_of", "step")}
        wanted = {key: getattr(request, key) for key in origin}
        same = manifest.get("meta", {}).get("structure_sha256") == request.structure
        if manifest.get("model") == request.name and same and origin == wanted:
            found.append((element, manifest))
    return found


def store_order(
    store: Store,
    request: Request,
    order: Callable[[], Mapping[tuple[str, int], int]],
) -> None:
    """Write the places of all elements of this request, also of other layers."""
    elements = stored_layers(store, request)
    if dict(elements).keys() <= store.places.read().keys():
        return
    places, found = order(), {}
    for element, manifest in elements:
        key = manifest["meta"].get("module"), manifest["extraction"]["layer"]["call"]
        if key in places:
            found[element] = places[key]
    store.places.write(found)


def is_stored(
    store: Store,
    candidates: Sequence[tuple[str, dict[str, Any]]],
    asked: Asked,
    reducer: Reducer | None,
    request: Request,
) -> bool:
    """Whether the store has all calls of a layer, reduced as asked, for these ids."""
    calls: set[int] = set()
    total = None
    for element, manifest in candidates:
        fields = manifest["extraction"]
        path, call = fields["layer"]["path"], fields["layer"]["call"]
        part = path.removeprefix(asked.module)
        inside = path.startswith(asked.module) and part[:1] in {"", ".", "["}
        if not inside or manifest["meta"].get("module") != asked.module:
            continue
        if asked.part is not None and part != asked.part:
            continue
        if fields["reducer"] not in _accepted(reducer):
            continue
        if not _same_rows(store, element, manifest, reducer, request.survey):
            continue
        calls.add(call)
        total = manifest["meta"]["calls"]
    if asked.call is not None:
        return asked.call in calls
    return total is not None and calls == set(range(1, total + 1))


def _accepted(reducer: Reducer | None) -> list[dict[str, Any]]:
    """Reducers of elements that fit a request; 2-d outputs may need none."""
    if reducer is None:
        return [NoReducer().to_json()]
    both = [reducer.to_json(), NoReducer().to_json()]
    return both[:1] if reducer.needed_for_2d else both


def _same_rows(
    store: Store,
    element: str,
    manifest: dict[str, Any],
    reducer: Reducer | None,
    survey: Survey,
) -> bool:
    fields = manifest["extraction"]
    used: Reducer = NoReducer()
    if reducer is not None and fields["reducer"]["name"] == reducer.name:
        used = reducer
    shape = tuple(manifest["meta"]["sample_shape"])
    per_sample = rows_per_sample(used, shape, survey)
    if fields["batches"] != batches_of(survey.sizes, per_sample):
        return False
    ids, _ = labels_of(used, shape, survey)
    return bool(np.asarray(store.get(element).ids).tolist() == ids.tolist())
