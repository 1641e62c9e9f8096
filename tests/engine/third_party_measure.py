"""A measure defined outside of the package, with all its claims."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from similitude import Measure
from similitude.inputs import points
from similitude.measures import Claims, Coverage
from similitude.transformations import SHAPE


@dataclass(frozen=True)
class FirstDirection(Measure):
    """Squared correlation of the first principal components, or its angle."""

    name = "first_direction"
    refs = ()

    angular: bool = False

    def claims(self) -> Claims:
        return Claims(
            kind="distance" if self.angular else "similarity",
            range=(0.0, math.pi / 2) if self.angular else (0.0, 1.0),
            invariant=SHAPE,
            differentiable=False,
            fits_noise=True,
            neighbors=(12, "euclidean"),
            interval=None if self.angular else Coverage("correlation", 40, blocks=60),
        )

    def prepare(self, x: Any, seed: Any = None) -> np.ndarray:
        rows = np.asarray(points(x).values, dtype=float)
        u, _, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
        return u[:, 0]

    def compare(self, p: np.ndarray, q: np.ndarray) -> np.float64:
        cosine = min(abs(p @ q), 1.0)
        return np.float64(math.acos(cosine) if self.angular else cosine**2)

    def permute(self, q: np.ndarray, order: np.ndarray) -> np.ndarray:
        return q[order]
