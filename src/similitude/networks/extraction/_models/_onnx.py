"""ONNX models: intermediate tensors become outputs of the graph."""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ...._base import _array
from ....errors import InvalidInput, either, require
from .._data._fingerprint import hash_of_state
from ._interface import Accepts, Sink

# Operations whose outputs `layers="auto"` chooses; the first kind that occurs twice.
_AUTO = (("Add",), ("Relu", "Gelu", "Clip", "Tanh"), ("Conv", "Gemm", "MatMul"))


class OnnxModel:
    """An ONNX file. Its layers are the tensors of the graph, and the nodes by name.

    Optimization is disabled for the run, because it would remove or merge nodes.
    """

    is_graph = True

    def __init__(self, path: str | Path) -> None:
        feature = "extraction from an ONNX file"
        onnx = require("onnx", feature=feature, extra="onnx")
        onnxruntime = require("onnxruntime", feature=feature, extra="onnx")
        self.path = Path(path)
        try:
            self.proto = onnx.load(self.path)
            onnx.checker.check_model(self.proto)
            graph = self.proto.graph
            texts = (t for n in graph.node for t in (n.name, *n.input, *n.output))
            if any(isinstance(text, bytes) for text in texts):
                raise ValueError("a name is not UTF-8 text")
        except Exception as error:  # damaged files raise any type of error
            first = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise InvalidInput(f"{path} is not a valid ONNX file: {first}.") from error
        self._weights = {item.name: item for item in graph.initializer}
        self.inputs = [i for i in graph.input if i.name not in self._weights]
        self.class_name = "onnx.ModelProto"
        self.default_name = self.path.stem
        self.runtime = f"onnxruntime {onnxruntime.__version__}"
        self.dtype = self._dtype()
        names = frozenset(item.name for item in self.inputs)
        self.accepts = Accepts(len(self.inputs), names)

    def _dtype(self) -> str:
        import onnx

        for item in self._weights.values():
            dtype = onnx.helper.tensor_dtype_to_np_dtype(item.data_type)
            if dtype.kind == "f" or dtype.name == "bfloat16":
                return dtype.name
        return "float32"

    def layers(self) -> tuple[list[str], Mapping[str, str]]:
        nodes = self.proto.graph.node
        names = [output for node in nodes for output in node.output if output]
        aliases = {name: name for name in names}
        for node in nodes:
            if node.name and node.output and node.output[0]:
                aliases.setdefault(node.name, node.output[0])
        return names, aliases

    def auto(self) -> list[str]:
        """Sums of two tensors, as in residual blocks; otherwise activations."""
        constants = set(self._weights) | {
            output
            for node in self.proto.graph.node
            if node.op_type == "Constant"
            for output in node.output
        }
        for kinds in _AUTO:
            found = [
                node.output[0]
                for node in self.proto.graph.node
                if node.op_type in kinds
                and (kinds != ("Add",) or not constants & set(node.input))
            ]
            if len(found) > 1:
                return found
        return [output.name for output in self.proto.graph.output]

    def describe(self, layer: str) -> tuple[str, int]:
        node = next(n for n in self.proto.graph.node if layer in n.output)
        weights = [self._weights[name] for name in node.input if name in self._weights]
        return node.op_type, sum(math.prod(item.dims) for item in weights)

    def fingerprint(self) -> str:
        from onnx import numpy_helper

        state = {name: numpy_helper.to_array(t) for name, t in self._weights.items()}
        return hash_of_state(state)

    def structure(self) -> str:
        """Hash of the graph without its weights."""
        import onnx

        bare = onnx.ModelProto()
        bare.CopyFrom(self.proto)
        del bare.graph.initializer[:]
        text = bare.SerializeToString(deterministic=True)
        return hashlib.sha256(text).hexdigest()

    def why_silent(self, layer: str) -> str:
        return "the graph does not compute it"

    def check_device(self, device: Any) -> None:
        if device not in {None, "cpu"}:
            option = either(python=f"device={device!r}", shell=f"--device {device}")
            raise InvalidInput(f"{option}: ONNX models run on the CPU.")

    @contextmanager
    def session(self, layers: Sequence[str], device: Any) -> Iterator["OnnxSession"]:
        import onnx
        import onnxruntime

        changed = onnx.ModelProto()
        changed.CopyFrom(self.proto)
        present = {output.name for output in changed.graph.output}
        for name in layers:
            if name not in present:
                changed.graph.output.append(onnx.ValueInfoProto(name=name))
        options = onnxruntime.SessionOptions()
        level = onnxruntime.GraphOptimizationLevel
        options.graph_optimization_level = level.ORT_DISABLE_ALL
        options.log_severity_level = 4
        try:
            running = onnxruntime.InferenceSession(
                changed.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime has no public base class
            first = str(error).strip().splitlines()[0]
            raise InvalidInput(f"{self.path} cannot be run: {first}.") from error
        yield OnnxSession(running, list(layers), self.inputs)


class OnnxSession:
    """Runs a graph and hands its tensors to the sink."""

    def __init__(self, session: Any, layers: list[str], inputs: Sequence[Any]) -> None:
        import onnx

        self.session, self.layers, self.seed = session, layers, 0
        self.changed: set[str] = set()
        self.dtypes = {
            item.name: onnx.helper.tensor_dtype_to_np_dtype(
                item.type.tensor_type.elem_type
            )
            for item in inputs
        }
        dims = [item.type.tensor_type.shape.dim for item in inputs]
        self.fixed = next((d[0].dim_value for d in dims if d), 0)

    def run(self, args: Sequence[Any], kwargs: Mapping[str, Any], sink: Sink) -> None:
        feed = dict(zip(self.dtypes, args, strict=False)) | dict(kwargs)
        feed = {name: self._input(name, value) for name, value in feed.items()}
        for name, value in zip(self.layers, self._outputs(feed), strict=True):
            sink(name, 1, value)

    def _input(self, name: str, value: Any) -> np.ndarray:
        if str(getattr(value, "dtype", "")).endswith("bfloat16"):
            value = value.float()
        array = _array.to_numpy(value) if _array.is_array(value) else np.asarray(value)
        return np.ascontiguousarray(array, dtype=self.dtypes[name])

    def _outputs(self, feed: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        """All tensors; a graph with a fixed batch length runs part after part."""
        size = len(next(iter(feed.values())))
        if self.fixed in {0, size}:
            return self.session.run(self.layers, dict(feed))
        parts = []
        for start in range(0, size, self.fixed):
            rows = [min(start + i, size - 1) for i in range(self.fixed)]
            part = {name: value[rows] for name, value in feed.items()}
            parts.append(self.session.run(self.layers, part))
        joined = []
        for values in zip(*parts, strict=True):
            whole = values[0].ndim > 0 and len(values[0]) == self.fixed
            joined.append(np.concatenate(values)[:size] if whole else values[0])
        return joined
