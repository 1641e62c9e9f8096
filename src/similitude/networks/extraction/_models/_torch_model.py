"""A PyTorch module as a model: evaluation mode, hooks, and their removal."""

import hashlib
import inspect
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from ...._base._former import first_name
from ...._base._validate import check_torch_device
from ....errors import InvalidInput, require
from .._data._fingerprint import hash_of_state
from ._interface import Accepts, Sink
from ._modules import auto_layers, clean_key, evaluation_mode, names_of, unwrap


class TorchModel:
    is_graph = False

    def __init__(self, module: Any) -> None:
        self.module = unwrap(module)
        kind = type(self.module)
        self.class_name = first_name(kind)
        self.default_name = kind.__name__
        self.runtime = str(
            require("torch", feature="extract", extra="torch").__version__
        )
        self.dtype = str(self._first_dtype()).removeprefix("torch.")
        self.accepts = _accepts(self.module)

    def _tensors(self) -> Iterator[Any]:
        yield from self.module.parameters()
        yield from self.module.buffers()

    def _first_dtype(self) -> Any:
        import torch

        floating = (t.dtype for t in self._tensors() if t.is_floating_point())
        return next(floating, torch.get_default_dtype())

    def layers(self) -> tuple[list[str], Mapping[str, str]]:
        modules, aliases = names_of(self.module)
        return list(modules), aliases

    def auto(self) -> list[str]:
        return auto_layers(self.module)

    def describe(self, layer: str) -> tuple[str, int]:
        module = names_of(self.module)[0][layer]
        return type(module).__name__, sum(p.numel() for p in module.parameters())

    def fingerprint(self) -> str:
        from torch.nn.parameter import is_lazy

        state = dict(self.module.state_dict())
        state |= {f"buffer {k}": v for k, v in self.module.named_buffers()}
        for key, value in state.items():
            if is_lazy(value):
                raise InvalidInput(
                    f"the parameter {key!r} of the model is not initialized; run the "
                    f"model on one batch first."
                )
        return hash_of_state({_unprefixed(key): value for key, value in state.items()})

    def structure(self) -> str:
        """Hash of the printed module tree and of the source of its classes."""
        tree = re.sub(r" at 0x[0-9a-f]+", "", repr(self.module))
        digest = hashlib.sha256(tree.encode())
        kinds = {type(module) for module in self.module.modules()}
        for kind in sorted(kinds, key=first_name):
            if not kind.__module__.startswith("torch."):  # its version is recorded
                digest.update(_source(kind).encode())
        return digest.hexdigest()

    def why_silent(self, layer: str) -> str:
        return (
            "it was skipped by a fused kernel, called through .forward(), or is not "
            "part of the forward pass"
        )

    def check_device(self, device: Any) -> None:
        check_torch_device(device)

    @contextmanager
    def session(self, layers: Sequence[str], device: Any) -> Iterator["TorchSession"]:
        import torch

        modules, _ = names_of(self.module)
        with ExitStack() as stack:
            stack.enter_context(evaluation_mode(self.module))
            stack.enter_context(_eager(self.module))
            stack.enter_context(_no_fast_path())
            stack.enter_context(_on_device(self.module, device))
            stack.enter_context(torch.inference_mode())
            session = TorchSession(self.module, self._first_dtype())
            for name in layers:
                hook = session.hook(name)
                handle = modules[name].register_forward_hook(hook)
                stack.callback(handle.remove)
            yield session


class TorchSession:
    """Runs a module whose hooks hand outputs to the sink of the current pass."""

    def __init__(self, module: Any, dtype: Any) -> None:
        import torch

        self.module, self.dtype = module, dtype
        first = next((p for p in module.parameters()), None)
        self.device = torch.device("cpu") if first is None else first.device
        self.sink: Sink | None = None
        self.calls: Counter[str] = Counter()
        self.seed, self.changed = 0, set[str]()
        self.weights = [
            (name, value, value._version)
            for name, value in module.named_parameters()
            if not value.is_inference()
        ]
        self.buffers = [
            (part, name, value, value.clone(), value._version)
            for part in module.modules()
            for name, value in part._buffers.items()
            if value is not None and not value.is_inference()
        ]

    def hook(self, name: str) -> Any:
        def receive(module: Any, inputs: Any, output: Any) -> None:
            if self.sink is not None:
                self.calls[name] += 1
                self.sink(name, self.calls[name], output)

        return receive

    def run(self, args: Sequence[Any], kwargs: Mapping[str, Any], sink: Sink) -> None:
        import torch

        self.sink, self.calls = sink, Counter()
        devices = [self.device] if self.device.type == "cuda" else []
        try:
            # A model that draws random numbers draws the same ones for equal seeds.
            with torch.random.fork_rng(devices=devices):
                torch.manual_seed(self.seed)
                self.module(
                    *(self._input(value) for value in args),
                    **{key: self._input(value) for key, value in kwargs.items()},
                )
        finally:
            self.sink = None
            self._restore()

    def _restore(self) -> None:
        """Undo changes of buffers, so that all batches see the state of the user."""
        for place, (part, name, value, before, version) in enumerate(self.buffers):
            if part._buffers.get(name) is not value or value._version != version:
                part._buffers[name] = value.copy_(before)
                again = part, name, value, before, value._version
                self.buffers[place] = again
                self.changed.add(name)
        for name, value, version in self.weights:
            if value._version != version:
                raise InvalidInput(
                    f"the forward pass changes the parameter {name!r}, so rows would "
                    f"depend on the batches before; switch this off for the run."
                )

    def _input(self, value: Any) -> Any:
        """A copy on the device of the model; a model may change its input."""
        import numpy as np
        import torch

        if isinstance(value, np.ndarray):
            value = torch.tensor(value)
        elif not isinstance(value, torch.Tensor):
            return value
        dtype = self.dtype if value.is_floating_point() else value.dtype
        return value.to(self.device, dtype, copy=True)


def _accepts(module: Any) -> Accepts:
    try:
        parameters = inspect.signature(module.forward).parameters.values()
    except (TypeError, ValueError):
        return Accepts(1, None)
    positional = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    )
    required = [p for p in parameters if p.kind in positional and p.default is p.empty]
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters):
        return Accepts(len(required), None)
    names = frozenset(p.name for p in parameters if p.kind is not p.VAR_POSITIONAL)
    return Accepts(len(required), names)


def _unprefixed(key: str) -> str:
    prefix, space, rest = key.rpartition(" ")
    return f"{prefix}{space}{clean_key(rest)}"


def _source(kind: type) -> str:
    try:
        return inspect.getsource(kind)
    except (OSError, TypeError):  # defined in a console or in C
        return kind.__qualname__


@contextmanager
def _eager(module: Any) -> Iterator[None]:
    """Run compiled parts in Python, because compiled code ignores new hooks."""
    with ExitStack() as stack:
        for part in module.modules():
            if getattr(part, "_compiled_call_impl", None) is not None:  # .compile()
                stack.enter_context(_replaced(part, "_compiled_call_impl", None))
            if type(part).__name__ == "OptimizedModule":  # torch.compile(part)
                stack.enter_context(_replaced(part, "forward", part._orig_mod))
        yield


@contextmanager
def _replaced(part: Any, attribute: str, value: Any) -> Iterator[None]:
    """Replace an attribute of the instance; a module would register the value."""
    before = part.__dict__.get(attribute)
    part.__dict__[attribute] = value
    try:
        yield
    finally:
        part.__dict__[attribute] = before


@contextmanager
def _no_fast_path() -> Iterator[None]:
    """Run the children of attention layers; their fused kernel would skip them."""
    import torch

    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(before)


@contextmanager
def _on_device(module: Any, device: Any) -> Iterator[None]:
    """Move the model for the run, and move it back."""
    import torch

    if device is None:
        yield
        return
    devices = {p.device for p in module.parameters()}
    if devices <= {torch.device(device)}:
        yield
        return
    if len(devices) > 1 or hasattr(module, "hf_device_map"):
        raise InvalidInput(
            f"device={device!r}: the model is on several devices; omit device=, and "
            f"each layer stays where it is."
        )
    module.to(device)
    try:
        yield
    finally:
        module.to(next(iter(devices)))
