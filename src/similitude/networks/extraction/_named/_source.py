"""Models that a text names: Python functions, ONNX files, Hugging Face folders."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....errors import InvalidInput, require
from .._models._fresh import fresh_twin
from .._models._language import LanguageModel
from .._models._onnx import OnnxModel
from ._user_code import call, is_code, load
from ._weights import ENCODER, encoder_file, load_weights, names_of, weight_files

_PREFIXES = ("hf:", ENCODER)
TWIN_SEED = 1000  # of the first untrained twin; models themselves are built with 0


@dataclass(frozen=True)
class Named:
    """A model, its name in tables, and the kind of baseline that it is for."""

    name: str
    model: Any
    baseline: str | None = None


class Source:
    """A model that a text names, as in ``net.py:make`` or ``encoder:NAME``."""

    def __init__(self, text: str, *, truncate: bool = False) -> None:
        text, self.weights = _split(_resolved(text))
        self.text, self.truncate = text, truncate
        self.huggingface = text.startswith("hf:")
        self.is_onnx = text.endswith(".onnx")
        if not (self.huggingface or self.is_onnx or is_code(text)):
            raise InvalidInput(
                f"{text!r} is not a model: write PATH.py:function, a file ending in "
                f".onnx, hf:FOLDER, or encoder:NAME."
            )
        if self.is_onnx and not Path(text).is_file():
            raise InvalidInput(f"{text} does not exist.")

    def build(self, seed: int | None = None) -> Any:
        """The model; with a seed, its random weights are drawn from it."""
        if self.is_onnx:
            return OnnxModel(self.text)
        torch = require("torch", feature="extract", extra="torch")
        if self.huggingface:
            folder = self.text.removeprefix("hf:")
            return LanguageModel(folder, truncate=self.truncate, seed=seed)
        function = load(self.text, "the model")
        if isinstance(function, torch.nn.Module):  # it would be called without an input
            raise InvalidInput(
                f"{self.text} is a network; name a function that returns it."
            )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0 if seed is None else seed)
            return call(function, self.text)

    @property
    def default_name(self) -> str:
        if self.huggingface:
            return Path(self.text.removeprefix("hf:")).resolve().name
        return Path(self.text).stem if self.is_onnx else self.text.rpartition(":")[2]

    def models(
        self, weights: Sequence[str], *, name: str | None, untrained: bool
    ) -> Iterator[Named]:
        """One model per file of weights, each followed by its untrained twin.

        Twins have different seeds: the twins of two models are compared with each
        other, and equal twins would be perfectly similar.
        """
        weights = [*self.weights, *weights]
        if self.is_onnx and (weights or untrained):
            option = "--weights" if weights else "--untrained"
            raise InvalidInput(f"{option}: an ONNX file has fixed weights.")
        if not weights:
            label = name or self.default_name
            yield Named(label, self.build())
            if untrained:
                yield Named(label, self._fresh(TWIN_SEED, weights), "untrained")
            return
        files = weight_files(weights)
        labels = names_of(files)
        if name is not None:
            labels = [name] if len(files) == 1 else [f"{name}-{n}" for n in labels]
        for number, (path, label) in enumerate(zip(files, labels, strict=True)):
            model = self.build()
            load_weights(_module(model), path)
            yield Named(label, model)
            if untrained:
                twin = self._fresh(TWIN_SEED + number, weights)
                yield Named(label, twin, "untrained")

    def _fresh(self, seed: int, weights: Sequence[str]) -> Any:
        """The model with fresh weights.

        If files give the weights, the function itself returns fresh ones. Otherwise it
        may load some, and all its modules are initialized again.
        """
        if weights or self.huggingface:
            return self.build(seed)
        return fresh_twin(self.build(), seed, self.text)


def is_model(text: str) -> bool:
    """Whether a text names a model, which may be followed by ``=WEIGHTS``."""
    source, _ = _split(text)
    return source.endswith(".onnx") or source.startswith(_PREFIXES) or is_code(source)


def named_model(text: str) -> Any:
    """The model of ``net.py:make``, ``net.py:make=WEIGHTS`` or another name."""
    source = Source(text)
    return next(source.models([], name=None, untrained=False)).model


def _split(text: str) -> tuple[str, list[str]]:
    """The model and its weights, which follow a function and a sign of equality."""
    source, equals, weights = text.partition("=")
    return (source, [weights]) if equals and is_code(source) else (text, [])


def _resolved(text: str) -> str:
    """The ONNX file or Hugging Face folder of ``encoder:NAME``, after verification."""
    if not text.startswith(ENCODER):
        return text
    path = encoder_file(text)
    if path.is_dir():
        return f"hf:{path}"
    if path.suffix != ".onnx":
        raise InvalidInput(
            f"{text} has only weights; give the network, as in PATH.py:function "
            f"--weights {text}."
        )
    return str(path)


def _module(model: Any) -> Any:
    model = getattr(model, "module", model)  # of a LanguageModel
    if not hasattr(model, "load_state_dict"):
        raise InvalidInput(
            f"the model must be a PyTorch module to load weights; got "
            f"{type(model).__name__}."
        )
    return model
