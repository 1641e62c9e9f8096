"""Correct measures, from which each wrong measure differs in one way."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from similitude import Claims, InvalidInput, Measure
from similitude._base import _array
from similitude.inputs import points
from similitude.measures import Procrustes

RIGHT = Procrustes(form="similarity")


@dataclass(frozen=True, kw_only=True)
class Correct(Measure):
    """Procrustes similarity under another name; the base of the wrong measures."""

    name = "correct"
    refs = ("none",)

    def claims(self) -> Claims:
        return RIGHT.claims()

    def prepare(self, x: Any, seed: Any = None) -> Any:
        return RIGHT.prepare(x, seed)

    def compare(self, p: Any, q: Any) -> Any:
        return RIGHT.compare(p, q)

    def permute(self, q: Any, order: Any) -> Any:
        return RIGHT.permute(q, order)

    def per_stimulus(self, p: Any, q: Any) -> Any:
        return RIGHT.per_stimulus(p, q)


@dataclass(frozen=True, kw_only=True)
class Subsampled(Measure):
    """Procrustes similarity of a random half of the rows."""

    name = "subsampled"
    refs = ("none",)

    def claims(self):
        return replace(RIGHT.claims(), stochastic=True, per_stimulus=None)

    def rows(self, x, seed):
        if seed is None:
            raise InvalidInput("half of the rows are drawn: pass rng=0, or a Generator")
        return np.random.default_rng(seed).permutation(x.n)[: (x.n + 1) // 2]

    def prepare(self, x, seed=None):
        x = points(x)
        order = self.rows(x, seed)
        return RIGHT.prepare(_array.take(x.values, order))

    def compare(self, p, q):
        return RIGHT.compare(p, q)
