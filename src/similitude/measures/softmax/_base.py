"""A prepared softmax model with its random input sets."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from ..._base import _array
from ..._base._array import Array
from ...identifiability._input_sets import draw_input_sets
from ...inputs import SoftmaxModel, check_softmax_model
from .._base import Measure


@dataclass(frozen=True, eq=False)
class PreparedModel:
    """A model with its seed and input sets, equal for all models of one shape."""

    model: SoftmaxModel
    seed: SeedSequence | None
    input_sets: np.ndarray | None = None

    def score(self, value: float) -> Array:
        return _array.scalar(value, self.model.embeddings)

    def permute(self, order: np.ndarray) -> "PreparedModel":
        rows = _array.take(self.model.embeddings, order)
        return replace(self, model=replace(self.model, embeddings=rows))


class SoftmaxMeasure(Measure):
    """A measure of prepared softmax models."""

    domain = "softmax"

    def permute(self, q: PreparedModel, order: np.ndarray) -> PreparedModel:
        return q.permute(order)


def softmax_model(x: Any) -> SoftmaxModel:
    check_softmax_model(x, "x")
    return x


def with_input_sets(x: Any, draws: int, seed: SeedSequence | None) -> PreparedModel:
    x = softmax_model(x)
    return PreparedModel(x, seed, draw_input_sets(x.n, x.dimension + 1, draws, seed))
