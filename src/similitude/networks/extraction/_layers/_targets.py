"""Targets: the tensors to extract, found by two small forward passes."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...._base._natural import natural
from ....errors import InvalidInput
from .._data._batches import Batch
from .._models._interface import Model, Session
from ._outputs import Part, choose_part, describe_parts
from ._patterns import Asked, matches, nearest
from ._reducers import NoReducer, Reducer, Situation, reducers_that_fit

SIZES = (2, 3)  # samples of the two passes; 1 would hide an axis that is squeezed


@dataclass(frozen=True)
class Target:
    """One tensor of the forward pass, and how it becomes rows."""

    module: str
    call: int
    calls: int
    part: str
    batch_axis: int
    reducer: Reducer
    shape: tuple[int, ...]  # of one sample
    dtype: str  # of the stored rows
    reduce: Callable[[Any, Any], Any] = field(compare=False, repr=False)

    @property
    def name(self) -> str:
        call = f":{self.call}" if self.calls > 1 else ""
        return f"{self.module}{call}{self.part}"

    @property
    def path(self) -> str:
        return f"{self.module}{self.part}"

    @property
    def width(self) -> int:
        return self.reducer.width(self.shape)


def find_targets(
    model: Model,
    session: Session,
    asked: Sequence[Asked],
    batch: Batch,
    *,
    reducers: Callable[[str], Reducer | None],
    batch_axes: int | Mapping[str, int] | None,
    facts: Situation,
    lenient: bool = False,
) -> list[Target]:
    """Run two small batches; find the tensor, batch axis and shape of each layer.

    The targets are in running order: by completion, a container after its parts.
    `lenient` leaves out layers that cannot be rows.
    """
    first, second = (_parts(session, batch, size) for size in SIZES)
    check_arrived(model, asked, first)
    calls = Counter(module for module, _ in first)
    if first.keys() != second.keys():
        raise InvalidInput(
            "the layers that run depend on the number of samples in the batch; "
            "extraction needs the same layers for every batch."
        )
    found: dict[str, Target] = {}
    for item in asked:
        total = calls[item.module]
        if item.call is not None and item.call > total:
            raise InvalidInput(
                f"{item}: layer {item.module!r} is called {total} times in a forward "
                f"pass."
            )
        for call in range(1, total + 1) if item.call is None else [item.call]:
            label = f"{item.module}:{call}" if total > 1 else item.module
            key = item.module, call
            with suppress(*[InvalidInput] * lenient):
                try:
                    part = choose_part(first[key], item.part, label)
                except InvalidInput as error:
                    raise InvalidInput(f"{error}{_misspelled(model, [item])}") from None
                name = f"{label}{part}"
                shapes = first[key][part].shape or (), second[key][part].shape or ()
                axis = _batch_axis(name, *shapes, _axis_for(name, batch_axes))
                sample = tuple(np.delete(shapes[0], axis).tolist())
                reducer = _choose_reducer(name, sample, reducers(name), facts)
                dtype = _stored_dtype(name, first[key][part].dtype)
                found[name] = Target(
                    item.module,
                    call,
                    total,
                    part,
                    axis,
                    reducer,
                    sample,
                    dtype,
                    reducer.prepared(sample),
                )
    order = {key: place for place, key in enumerate(first)}
    return sorted(
        found.values(), key=lambda t: (order[t.module, t.call], natural(t.part))
    )


def _parts(session: Session, batch: Batch, size: int) -> dict[Any, dict[str, Part]]:
    """Shapes of all outputs for the first samples, by module and call."""
    small = batch.take([i % batch.size for i in range(size)])
    found = {}

    def sink(module: str, call: int, output: Any) -> None:
        found[module, call] = describe_parts(output)

    session.run(small.args, small.kwargs, sink)
    return found


def check_arrived(model: Model, asked: Sequence[Asked], arrived: Any) -> None:
    """Compare the layers that were asked for with those that ran."""
    ran = {module for module, _ in arrived}
    silent = {item.module: item for item in asked if item.module not in ran}
    if silent:
        which = ", ".join(repr(name) for name in silent)
        raise InvalidInput(
            f"no output arrived from layer {which}: {model.why_silent(min(silent))}. "
            f"Ask for another layer, or put the operation into a module of its own."
            f"{_misspelled(model, list(silent.values()))}"
        )


def _misspelled(model: Model, asked: Sequence[Asked]) -> str:
    """Names of layers, if the part of an output may be a wrong name of a layer."""
    names = [str(item) for item in asked if (item.part or "").startswith(".")]
    return f" {nearest(names[0], model.layers()[0])}" if names else ""


def _axis_for(name: str, axes: int | Mapping[str, int] | None) -> int | None:
    if isinstance(axes, Mapping):
        return next((axes[p] for p in axes if matches(p, name)), None)
    return axes


def _batch_axis(
    name: str, first: tuple[int, ...], second: tuple[int, ...], given: int | None
) -> int:
    """The axis whose length is the number of samples, in both passes."""
    small, large = SIZES
    both = list(zip(first, second, strict=False))
    if len(first) == len(second):
        fits = [i for i, lengths in enumerate(both) if lengths == (small, large)]
        if given is not None:
            given = given % len(first) if -len(first) <= given < len(first) else given
            if given in fits:
                return given
            raise InvalidInput(
                f"batch_axis={given}, but layer {name!r} has shape {first} for {small} "
                f"samples and {second} for {large}."
            )
        if len(fits) == 1:
            return fits[0]
    folded = any(a * large == b * small and a > small for a, b in both)
    why = (
        "one axis has several rows per sample" if folded else "no axis has that length"
    )
    if len(first) == len(second) and len(fits) > 1:
        why = "several axes have that length; give batch_axis="
    raise InvalidInput(
        f"layer {name!r} has shape {first} for {small} samples and {second} for "
        f"{large}: {why}."
    )


def _choose_reducer(
    name: str, shape: tuple[int, ...], given: Reducer | None, facts: Situation
) -> Reducer:
    if len(shape) == 1 and (given is None or not given.needed_for_2d):
        return NoReducer()
    if given is None:
        raise InvalidInput(
            f"layer {name!r} gives samples of shape {shape}; choose a reducer that "
            f"makes one row of them: {reducers_that_fit(shape, facts)}. Scores depend "
            f"on it: mean ignores where something is, flatten compares it place by "
            f"place. Use one reducer for all models, and report it."
        )
    problem = given.problem(shape, facts)
    if problem is not None:
        raise InvalidInput(
            f"layer {name!r}, samples of shape {shape}: {given.name} does not fit, "
            f"because {problem}. Reducers that fit: {reducers_that_fit(shape, facts)}."
        )
    return given


def _stored_dtype(name: str, dtype: str) -> str:
    """float32 for half precision, float64 for integers; others are kept."""
    kind = dtype.removeprefix("torch.")
    if "complex" in kind:
        raise InvalidInput(
            f"layer {name!r} gives complex numbers; ask for another one."
        )
    return {"float64": "<f8"}.get(
        kind, "<f8" if "int" in kind or "bool" in kind else "<f4"
    )
