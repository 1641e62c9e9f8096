"""A request: everything that determines the elements, known before the model runs."""

import hashlib
import platform
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import __version__
from ...errors import InvalidInput
from ...store import digest_of
from ._data._batches import Survey
from ._layers._patterns import Asked, matches, nearest
from ._layers._reducers import Positions, Reducer, find_reducer
from ._layers._targets import Target
from ._models._interface import Model


@dataclass(frozen=True)
class Request:
    """The fields of `Extraction` that do not depend on a layer, and the names."""

    name: str
    fields: Mapping[str, Any]
    structure: str
    survey: Survey
    baseline: str | None = None
    twin_of: str | None = None
    step: int | None = None

    def key(self, asked: Sequence[Asked], reducers: Sequence[Reducer | None]) -> str:
        """A hash of the request, to find the rows of an interrupted run."""
        document = {
            "name": [self.name, self.baseline, self.twin_of, self.step],
            "fields": self.fields,
            "structure": self.structure,
            "layers": [str(item) for item in asked],
            "reducers": [None if r is None else r.to_json() for r in reducers],
            "sizes": self.survey.sizes,
            "ids": hashlib.sha256(repr(self.survey.ids.tolist()).encode()).hexdigest(),
        }
        return digest_of(document)[:32]

    def batches(self, target: Target) -> dict[str, Any]:
        """The boundaries of the batches in rows."""
        per_sample = rows_per_sample(target.reducer, target.shape, self.survey)
        return batches_of(self.survey.sizes, per_sample)

    def meta(self, target: Target, aliases: Sequence[str]) -> dict[str, Any]:
        """Facts about the layer that are not part of `Extraction`."""
        found: dict[str, Any] = {
            "module": target.module,
            "calls": target.calls,
            "sample_shape": list(target.shape),
            "structure_sha256": self.structure,
        }
        rows = kind_of_rows(target.reducer, target.shape, self.survey)
        if rows is not None:
            found["rows"] = rows
        return {**found, "aliases": list(aliases)} if aliases else found


def fields_of(
    model: Model, preprocessing: Mapping[str, Any], data: str
) -> dict[str, Any]:
    return {
        "state_dict_sha256": model.fingerprint(),
        "model_class": model.class_name,
        "preprocessing": dict(preprocessing),
        "data_fingerprint": data,
        "model_dtype": model.dtype,
        "versions": {
            "torch": model.runtime,
            "similitude": __version__,
            "python": platform.python_version(),
        },
    }


def rows_per_sample(
    reducer: Reducer, shape: tuple[int, ...], survey: Survey
) -> np.ndarray:
    """The number of rows of every sample: 1, or its number of positions."""
    if reducer.uses_words:
        return np.array([len(names) for names in survey.words or ()], dtype=np.int64)
    if not isinstance(reducer, Positions):
        return np.ones(survey.samples, dtype=np.int64)
    if survey.tokens is not None and len(shape) == 2:
        return survey.tokens.astype(np.int64)
    return np.full(survey.samples, reducer.count(shape, 1, None))


def batches_of(sizes: Sequence[int], per_sample: np.ndarray) -> dict[str, Any]:
    ends = np.cumsum(sizes)
    rows = np.concatenate([[0], np.cumsum(per_sample)])
    boundaries = [0, *rows[ends].tolist()]
    return {"size": int(np.diff(boundaries).max()), "boundaries": boundaries}


def labels_of(
    reducer: Reducer, shape: tuple[int, ...], survey: Survey
) -> tuple[np.ndarray, np.ndarray | None]:
    """Ids and blocks of the rows.

    Words are ``id:start-end`` in the block ``id``. Positions are ``id:position``,
    followed by the hash of the tokens or by the size of the grid: position 3 of other
    tokens or of another grid is another stimulus.
    """
    ids, per_sample = survey.ids, rows_per_sample(reducer, shape, survey)
    if reducer.uses_words:
        words = zip(ids.tolist(), survey.words or (), strict=True)
        names = [f"{name}:{span}" for name, spans in words for span in spans]
        return np.array(names), np.repeat(ids, per_sample)
    if not isinstance(reducer, Positions):
        return ids, None
    if _has_tokens(shape, survey):
        ends = [f"#{key}" for key in survey.token_keys or ()]
    elif survey.tokens is not None and len(shape) == 2:
        ends = [f"/{count}" for count in per_sample]
    else:
        ends = [f"/{'x'.join(map(str, reducer.grid(shape)))}"] * len(ids)
    names = [
        f"{name}:{place}{end}"
        for name, end, count in zip(ids.tolist(), ends, per_sample, strict=True)
        for place in range(count)
    ]
    return np.array(names), np.repeat(ids, per_sample)


def kind_of_rows(
    reducer: Reducer, shape: tuple[int, ...], survey: Survey
) -> str | None:
    """ "tokens" or "positions"; None if a row is a sample."""
    if not isinstance(reducer, Positions):
        return None
    return "tokens" if _has_tokens(shape, survey) else "positions"


def _has_tokens(shape: tuple[int, ...], survey: Survey) -> bool:
    return survey.token_keys is not None and len(shape) == 2


def chosen_reducers(
    reducer: Any, asked: Sequence[Asked]
) -> Callable[[str], Reducer | None]:
    """The reducer of a layer, by its name."""
    if reducer is None:
        return lambda name: None
    if not isinstance(reducer, Mapping):
        one = find_reducer(reducer)
        return lambda name: one
    found = {pattern: find_reducer(value) for pattern, value in reducer.items()}
    names = [name for item in asked for name in (str(item), item.module)]
    for pattern in found:
        if not any(matches(pattern, name) for name in names):
            raise InvalidInput(
                f"reducer: {pattern!r} matches none of the chosen layers. "
                f"{nearest(pattern, names)}"
            )

    def choose(name: str) -> Reducer | None:
        module = re.sub(r":\d+|\[\d+\]", "", name)
        for pattern, value in found.items():
            if matches(pattern, name) or matches(pattern, module):
                return value
        return None

    return choose
