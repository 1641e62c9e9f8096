"""Outputs of layers: tensors, tuples, dicts and data classes, as named parts."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from ...._base import _array
from ....errors import InvalidInput

MAX_DEPTH = 8


def parts_of(output: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Paths and values of all leaves, as ("[0]", tensor) or (".hidden", tensor).

    The path of a bare tensor is empty. Leaves that are None are included, because a
    user may ask for them.
    """
    if output is None or _array.is_array(output) or depth > MAX_DEPTH:
        yield path, output
    elif type(output).__name__ == "PackedSequence":
        yield path, output  # its rows are steps of several samples
    elif isinstance(output, Mapping):  # also ModelOutput
        for key, value in output.items():
            yield from parts_of(value, f"{path}.{key}", depth + 1)
    elif isinstance(output, tuple) and hasattr(output, "_fields"):
        for key in output._fields:
            yield from parts_of(getattr(output, key), f"{path}.{key}", depth + 1)
    elif isinstance(output, tuple | list):
        for index, value in enumerate(output):
            yield from parts_of(value, f"{path}[{index}]", depth + 1)
    elif dataclasses.is_dataclass(output) and not isinstance(output, type):
        for item in dataclasses.fields(output):
            value = getattr(output, item.name)
            yield from parts_of(value, f"{path}.{item.name}", depth + 1)
    else:
        yield path, output


def part_at(output: Any, path: str) -> Any:
    """The value at a path that `parts_of` gave for an earlier batch."""
    return dict(parts_of(output))[path]


@dataclasses.dataclass(frozen=True)
class Part:
    """Shape and dtype of a tensor; for other values, only the name of their type."""

    kind: str
    shape: tuple[int, ...] | None = None
    dtype: str = ""


def describe_parts(output: Any) -> dict[str, Part]:
    """All parts of an output by path, without their values."""
    found = {}
    for path, value in parts_of(output):
        kind = "None" if value is None else type(value).__name__
        found[path] = (
            Part(kind, tuple(value.shape), str(value.dtype))
            if _array.is_array(value)
            else Part(kind)
        )
    return found


def choose_part(parts: Mapping[str, Part], path: str | None, layer: str) -> str:
    """The path of the tensor that a user asked for; raise an error if it is unclear."""
    tensors = [p for p, part in parts.items() if part.shape is not None]
    if path is None:
        if len(tensors) == 1:
            return tensors[0]
        if tensors:
            raise InvalidInput(
                f"layer {layer!r} gives {len(tensors)} tensors; ask for one of "
                f"{_listed(layer, tensors)}."
            )
        kinds = ", ".join(part.kind for part in parts.values()) or "nothing"
        raise InvalidInput(f"layer {layer!r} gives {kinds}; {_advice(kinds)}.")
    if path in tensors:
        return path
    inside = [p for p in tensors if p.startswith((f"{path}.", f"{path}["))]
    if len(inside) == 1:
        return inside[0]
    if path in parts and parts[path].kind == "None":
        raise InvalidInput(
            f"{layer}{path} is None: the model does not compute it. For attention "
            f"weights, use need_weights=True or attn_implementation='eager'."
        )
    if path in parts:
        kind = parts[path].kind
        raise InvalidInput(f"{layer}{path} is a {kind}; {_advice(kind)}.")
    if tensors == [""]:
        raise InvalidInput(
            f"layer {layer!r} gives one tensor, without parts; ask for {layer!r} "
            f"instead of {layer + path!r}."
        )
    raise InvalidInput(
        f"layer {layer!r} has no output {path!r}; ask for one of "
        f"{_listed(layer, inside or tensors)}."
    )


def _listed(layer: str, paths: list[str]) -> str:
    return ", ".join(f"{layer}{path}" for path in paths) or "its other layers"


def _advice(kind: str) -> str:
    if kind == "PackedSequence":
        return "unpack it in the model with torch.nn.utils.rnn.pad_packed_sequence"
    return "ask for a layer that gives a tensor"
