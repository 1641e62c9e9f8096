"""
Your own measure
================

A measure is a frozen dataclass. Its fields are its options, ``prepare`` does the work
for one representation, and ``compare`` the work for one pair. ``check_measure`` tests
its claims, and ``sim.compare`` adds null distributions and baselines to it.

This measure asks whether the same stimuli are unusual in both representations: it
correlates their distances from the mean row.
"""

import textwrap
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from array_api_compat import array_namespace

import similitude as sim
from similitude.inputs import points
from similitude.measures import Claims
from similitude.testing import check_measure
from similitude.transformations import AFFINE, SHAPE


@dataclass(frozen=True, kw_only=True)
class Typicality(sim.Measure):
    """Correlation of the distances of stimuli from the mean."""

    name = "typicality"
    refs = ("kriegeskorte2008representational",)

    power: float = 1.0

    def claims(self) -> Claims:
        return Claims(
            kind="similarity",
            range=(-1.0, 1.0),
            invariant=SHAPE,
        )

    def prepare(self, x: Any, seed: Any = None) -> Any:
        rows = points(x)
        xp = rows.xp  # the functions of the caller's library: numpy, torch, ...
        values = xp.astype(rows.values, xp.float64)
        values = values - xp.mean(values, axis=0)
        distances = xp.linalg.vector_norm(values, axis=1) ** self.power
        centered = distances - xp.mean(distances)
        length = xp.linalg.vector_norm(centered)
        if length <= 1e-9 * xp.linalg.vector_norm(distances):
            raise sim.Undefined("all rows have the same distance from the mean row.")
        return centered / length

    def compare(self, p: Any, q: Any) -> Any:
        return p @ q

    def permute(self, q: Any, order: np.ndarray) -> Any:
        return array_namespace(q).take(q, array_namespace(q).asarray(order), axis=0)


# %%
# One call for a pair.

rng = np.random.default_rng(0)
x = rng.normal(size=(200, 10)) * rng.gamma(2.0, size=(200, 1))
y = x @ rng.normal(size=(10, 6)) + rng.normal(size=(200, 6))
print(float(Typicality()(x, y)))

# %%
# The contract tests check range, symmetry, dtypes, hard cases and the claimed
# invariances. They also check that invariances that are not claimed do not hold.

check_measure(Typicality())


# %%
# A wrong claim fails. Distances change under a linear map, so this claim is too strong:


class TooStrong(Typicality):
    """The same measure with a wrong claim."""

    def claims(self) -> Claims:
        return Claims(
            kind="similarity",
            range=(-1.0, 1.0),
            invariant=AFFINE,
        )


try:
    check_measure(TooStrong())
except AssertionError as error:
    for line in str(error).splitlines():
        print(textwrap.fill(line, 80, subsequent_indent="    "))

# %%
# In a table with another measure. It has a null distribution, because the class has
# the method ``permute``.

print(sim.compare({"x": x, "y": y}, [Typicality(), "cka"], progress=None))

# %%
# The null distribution itself: the scores of 999 random pairings of rows.

measure = Typicality()
p, q = measure.prepare(x), measure.prepare(y)
null = [
    float(measure.compare(p, measure.permute(q, rng.permutation(len(q)))))
    for _ in range(999)
]
plt.figure(figsize=(6, 3.2), layout="constrained")
plt.hist(null, bins=40)
plt.axvline(float(measure.compare(p, q)), color="tab:orange", label="score of the pair")
plt.xlabel("typicality")
plt.legend()
plt.show()
