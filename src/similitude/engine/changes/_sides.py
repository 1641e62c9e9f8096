"""The two sides of `diff`: models that are run over data, or stored values."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..._seed import as_seed
from ...errors import InvalidInput, did_you_mean
from ...extraction import LayerOptions, OnnxModel, streamed_layers
from ...representation import Representation, gather
from ...store import load
from ..models._compare_models import sample_limit
from ..models._members import Member, representations_of
from ..models._sample import RowSample


@dataclass(frozen=True)
class Passed:
    """The layers of models after one pass over the data."""

    reps: Sequence[Representation]
    rows_seen: int
    batches: tuple[int, ...]  # rows in each batch


def stored_side(given: Any, side: str) -> list[Representation] | None:
    """The representations of one side, or None if it is a model that must be run."""
    if isinstance(given, str | Path):
        if str(given).endswith(".onnx"):
            return None
        found = sorted(_load(str(given)), key=_natural)
    elif isinstance(given, Mapping):
        found = gather({side: given})
    elif isinstance(given, list | tuple | Representation):
        found = gather([given] if isinstance(given, Representation) else given)
    else:
        return None
    models = dict.fromkeys(rep.model for rep in found if rep.baseline is None)
    if len(models) > 1:
        names = ", ".join(str(name) for name in models)
        raise InvalidInput(
            f"{side}: {given} has the models {names}; choose one, as in {given}:NAME."
        )
    return [_of_side(rep, side) for rep in found if rep.baseline is None]


def as_runnable(given: Any) -> Any:
    """A model; a path that ends in .onnx is read."""
    return OnnxModel(str(given)) if isinstance(given, str | Path) else given


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
    return Passed(reps, kept.rows_seen, tuple(batches))


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


def _of_side(rep: Representation, side: str) -> Representation:
    layer = rep.layer if rep.layer is not None else rep.name
    name = layer.lstrip("/") or "output"
    if rep.domain != "points":
        name = f"{name} ({rep.domain})"
    return replace(rep, name=f"{side}/{name}", model=side, layer=name)


def _natural(rep: Representation) -> list[tuple[int, str]]:
    """Layer 10 comes after layer 2; a store does not know the order of a network."""
    parts = re.split(r"(\d+)", rep.layer or rep.name)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]
