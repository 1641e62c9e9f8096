"""The representations that a user passed to `compare` or `advise`: values or paths."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..._base import _array
from ...errors import InvalidInput
from ...inputs import Outputs, SoftmaxModel, is_frame
from ...representation import Representation, gather
from ._load import load


def given_representations(reps: Any) -> list[Representation]:
    """Representations from values or paths, in a mapping or a sequence; or one path."""
    if is_path(reps):
        return load(reps)
    if is_single(reps):
        raise InvalidInput(
            "all representations are in the first argument; write compare({'a': x, "
            "'b': y}), or compare([x, y])."
        )
    if isinstance(reps, Mapping):
        return gather({name: _loaded(name, value) for name, value in reps.items()})
    if not isinstance(reps, Iterable):
        return gather(reps)  # raises
    items = list(reps)
    paths = [item for item in items if is_path(item)]
    if not paths:
        return gather(items)
    found = iter(load(paths))
    if len(paths) == len(items):
        return list(found)
    raise InvalidInput(
        "the sequence has paths and values; give paths only, or a mapping of names to "
        "paths and values."
    )


def is_path(value: Any) -> bool:
    return isinstance(value, str | Path)


def is_single(value: Any) -> bool:
    """Whether this is one representation, not a collection of them."""
    if isinstance(value, Representation | Outputs | SoftmaxModel) or is_frame(value):
        return True
    return _array.is_array(value) and value.ndim <= 2


def _loaded(name: Any, value: Any) -> Any:
    """Read a path; layers of a model stay together under the given name."""
    if isinstance(value, Mapping):
        return {
            layer: _loaded(f"{name}/{layer}", item) for layer, item in value.items()
        }
    if not is_path(value):
        return value
    found = load(value)
    if len(found) == 1:
        model, _, layer = str(name).rpartition("/")
        return replace(found[0], name=str(name), model=model or layer)
    return {
        rep.layer or rep.name: replace(
            rep, name=f"{name}/{rep.layer or rep.name}", model=str(name)
        )
        for rep in found
    }
