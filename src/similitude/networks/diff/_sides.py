"""The two sides of `diff`: models that are run over data, or stored values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..._base._seed import as_seed
from ...errors import InvalidInput, did_you_mean
from ...representation import Representation, gather
from ...store import load
from ..extraction import LayerOptions, is_model, named_model, streamed_layers
from ..extraction._same import Nature
from ..models._compare_models import sample_limit
from ..models._members import Member, representations_of
from ..models._sample import RowSample
from ._limits import LIKE


@dataclass(frozen=True)
class Passed:
    """The layers of models after one pass over the data."""

    reps: Sequence[Representation]
    rows_seen: int
    batches: tuple[int, ...]  # rows in each batch
    natures: Mapping[str, Nature]


def stored_side(given: Any, side: str) -> list[Representation] | None:
    """The representations of one side, or None if it is a model that must be run."""
    if isinstance(given, str | Path):
        if is_model(str(given)):
            return None
        found = _load(str(given))
    elif isinstance(given, Mapping):
        found = gather({side: given})
    elif isinstance(given, list | tuple | Representation):
        found = gather([given] if isinstance(given, Representation) else given)
    else:
        return None
    models = list(by_model(found))
    if len(models) > 1:
        raise InvalidInput(
            f"{side}: {given} has the models {', '.join(models)}; choose one, as in "
            f"{given}:NAME."
        )
    return [_of_side(rep, side) for rep in found if rep.baseline is None]


def by_model(reps: Sequence[Representation]) -> dict[str, list[Representation]]:
    """The layers of each model, without twins."""
    found: dict[str, list[Representation]] = {}
    for rep in reps:
        if rep.baseline is None:
            found.setdefault(str(rep.model), []).append(rep)
    return found


def population(given: Any) -> dict[str, Any]:
    """The models of `allow_like`: one side, or all models of a folder or store."""
    if isinstance(given, Mapping):
        return {f"{LIKE}{name}": side for name, side in given.items()}
    if isinstance(given, str | Path) and not is_model(str(given)):
        found = by_model(_load(str(given)))
        return {f"{LIKE}{name}": reps for name, reps in found.items()}
    return {LIKE: given}


def as_runnable(given: Any) -> Any:
    """A model; a text names it."""
    return named_model(str(given)) if isinstance(given, str | Path) else given


def run(
    models: Mapping[str, Any], data: Any, options: LayerOptions, sample: int, rng: Any
) -> Passed:
    """One pass of all models over the data; a random sample of the rows is kept.

    Passes with the same seed keep the same rows, even if their batches differ.
    """
    with streamed_layers(models, data, options) as (layers, stream):
        kept = RowSample(sample_limit(sample, layers), as_seed(rng))
        batches = []
        for batch in stream:
            kept.add(batch)
            batches.append(len(batch.samples))
    sides = {name: Member(model, name) for name, model in models.items()}
    reps = representations_of(layers, kept.finish(), sides)
    reps = [_of_side(rep, str(rep.model)) for rep in reps]
    natures = {layer.model: layer.nature for layer in layers}
    return Passed(reps, kept.rows_seen, tuple(batches), natures)


def _load(text: str) -> list[Representation]:
    """The values of a path; ``STORE:model`` chooses one model."""
    folder, colon, model = text.rpartition(":")
    if Path(text).exists() or not colon or not Path(folder).is_dir():
        return load(text)
    found = load(folder)
    chosen = [rep for rep in found if rep.model == model]
    if not chosen:
        known = dict.fromkeys(str(rep.model) for rep in found)
        raise InvalidInput(
            f"{folder} has no model {model!r}.{did_you_mean(model, known)} Its models "
            f"are {', '.join(known)}."
        )
    return chosen


def shown(layer: str) -> str:
    """The name of a layer in tables."""
    return layer.lstrip("/") or "output"


def _of_side(rep: Representation, side: str) -> Representation:
    name = shown(rep.layer if rep.layer is not None else rep.name)
    if rep.domain != "points":
        name = f"{name} ({rep.domain})"
    return replace(rep, name=f"{side}/{name}", model=side, layer=name)
