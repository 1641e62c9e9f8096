"""What extraction needs to know about a model, of PyTorch or of ONNX."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

#: Receives the module, the number of its call in this pass from 1, and its output.
Sink = Callable[[str, int, Any], None]


@dataclass(frozen=True)
class Accepts:
    """The inputs of a model."""

    required: int  # inputs without a default
    names: frozenset[str] | None  # accepted keywords; None: all


class Session(Protocol):
    """A model that is ready to run."""

    seed: int  # of the random numbers of the next pass
    changed: set[str]  # buffers that passes changed; they are restored

    def run(self, args: Sequence[Any], kwargs: Mapping[str, Any], sink: Sink) -> None:
        """One forward pass; `sink` receives the outputs of the layers."""


class Model(Protocol):
    class_name: str
    default_name: str
    dtype: str
    runtime: str  # version of the library that runs the model
    accepts: Accepts
    is_graph: bool  # its layers are tensors, listed in running order

    def layers(self) -> tuple[list[str], Mapping[str, str]]:
        """One name per layer, and all names mapped to these."""

    def auto(self) -> list[str]:
        """The layers of ``layers="auto"``."""

    def describe(self, layer: str) -> tuple[str, int]:
        """The kind of a layer, and the number of its weights."""

    def fingerprint(self) -> str:
        """sha256 of the weights: names, dtypes, shapes and values."""

    def structure(self) -> str:
        """sha256 of everything else that can be seen of the model."""

    def check_device(self, device: Any) -> None:
        """Raise an error of one sentence if the model cannot run on this device."""

    def session(
        self, layers: Sequence[str], device: Any
    ) -> AbstractContextManager[Session]:
        """Prepare the model for runs; leave it unchanged afterwards."""

    def why_silent(self, layer: str) -> str:
        """Why a layer may give no output."""
