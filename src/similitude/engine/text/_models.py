"""Models and their layers in rows of results."""

from collections.abc import Sequence
from dataclasses import dataclass

from .._findings import models_and_layers
from .._rows import Row


@dataclass(frozen=True)
class Model:
    """A model: the names of its representations, each with the name of its layer."""

    name: str
    layers: dict[str, str]
    prefix: str = ""  # of all layers, such as "encoder.layer."; not in `layers`


def models_of(rows: Sequence[Row]) -> list[Model]:
    """The models of rows; empty if a representation does not belong to a model."""
    found: dict[str, dict[str, str]] = {}
    for name, (model, layer) in models_and_layers(rows).items():
        if model is None:
            return []
        label = layer or name.removeprefix(model).lstrip("/ ") or name
        found.setdefault(model, {})[name] = label
    return [_without_prefix(name, layers) for name, layers in found.items()]


def _without_prefix(name: str, layers: dict[str, str]) -> Model:
    """The model with shorter names of layers: without parts that all of them share."""
    first, last = min(layers.values()), max(layers.values())
    places = [i for i, mark in enumerate(first, 1) if mark in "./" and first != last]
    end = max((i for i in places if last[:i] == first[:i]), default=0)
    shorter = {each: label[end:] for each, label in layers.items()}
    return Model(name, shorter, first[:end])


def of(model: Model) -> str:
    """The name of a model, with the prefix of its layers."""
    return f"{model.name} ({model.prefix}*)" if model.prefix else model.name


def within_model(rows: Sequence[Row], model: str) -> list[Row]:
    """The rows of pairs of layers of this model."""
    return [row for row in rows if row.a_model == row.b_model == model]


def is_directed(rows: Sequence[Row]) -> bool:
    """Whether a pair is compared in both directions."""
    pairs = {(row.a, row.b) for row in rows}
    return any((b, a) in pairs for a, b in pairs)
