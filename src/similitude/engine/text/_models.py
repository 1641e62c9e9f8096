"""Models and their layers in rows of results."""

from collections.abc import Sequence
from dataclasses import dataclass

from .._rows import Row


@dataclass(frozen=True)
class Model:
    """A model: the names of its representations, each with the name of its layer."""

    name: str
    layers: dict[str, str]


def models_of(rows: Sequence[Row]) -> list[Model]:
    """The models of rows; empty if a representation does not belong to a model."""
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        for name, model, layer in (
            (row.a, row.a_model, row.a_layer),
            (row.b, row.b_model, row.b_layer),
        ):
            if model is None:
                return []
            label = layer or name.removeprefix(model).lstrip("/ ") or name
            found.setdefault(model, {}).setdefault(name, label)
    return [Model(name, layers) for name, layers in found.items()]


def within_model(rows: Sequence[Row], model: str) -> list[Row]:
    """The rows of pairs of layers of this model."""
    return [row for row in rows if row.a_model == row.b_model == model]


def is_directed(rows: Sequence[Row]) -> bool:
    """Whether a pair is compared in both directions."""
    pairs = {(row.a, row.b) for row in rows}
    return any((b, a) in pairs for a, b in pairs)
