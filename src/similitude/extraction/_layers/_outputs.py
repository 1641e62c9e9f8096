"""Outputs of layers: tensors, tuples, dicts and data classes, as named parts."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from ... import _array
from ...errors import InvalidInput

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


def choose_part(output: Any, path: str | None, layer: str) -> str:
    """The path of the tensor that a user asked for; raise an error if it is unclear."""
    parts = dict(parts_of(output))
    tensors = [p for p, value in parts.items() if _array.is_array(value)]
    if path is None:
        if len(tensors) == 1:
            return tensors[0]
        if tensors:
            raise InvalidInput(
                f"layer {layer!r} gives {len(tensors)} tensors; ask for one of "
                f"{_listed(layer, tensors)}."
            )
        raise InvalidInput(f"layer {layer!r} gives {_kind(output)}; {_advice(output)}.")
    if path in tensors:
        return path
    inside = [p for p in tensors if p.startswith((f"{path}.", f"{path}["))]
    if len(inside) == 1:
        return inside[0]
    if path in parts and parts[path] is None:
        raise InvalidInput(
            f"{layer}{path} is None: the model does not compute it. For attention "
            f"weights, use need_weights=True or attn_implementation='eager'."
        )
    if path in parts and not inside:
        value = parts[path]
        raise InvalidInput(f"{layer}{path} is {_kind(value)}; {_advice(value)}.")
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


def _kind(value: Any) -> str:
    if isinstance(value, tuple | list | Mapping):
        return f"a {type(value).__name__} without tensors"
    return "None" if value is None else f"a {type(value).__name__}"


def _advice(value: Any) -> str:
    if type(value).__name__ == "PackedSequence":
        return "unpack it in the model with torch.nn.utils.rnn.pad_packed_sequence"
    return "ask for a layer that gives a tensor"
