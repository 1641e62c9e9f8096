"""Numerical tests of a transform's invariance to changes of coordinates."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...._base._array import Array, to_numpy
from ...._base._seed import Rng, as_seed
from ...._base._validate import check_at_least, points
from ....errors import Undefined
from ....transformations import Group, sample_element
from ..relative import Relative

#: changes in the report: single groups, and products that belong to activations
CHANGES: dict[str, tuple[str, ...]] = {
    **{group.value: (group,) for group in Group},
    "permutation x column_scale": ("permutation", "column_scale"),
    "permutation x diagonal + shift": ("permutation", "diagonal", "translation"),
    "rotation + scale": ("rotation", "isotropic_scale"),
    "rotation + shift": ("rotation", "translation"),
    "affine": ("linear", "translation"),
}


@dataclass(frozen=True)
class InvarianceReport:
    """How much each change of coordinates changes the output of a transform.

    Attributes
    ----------
    name
        Name of the transform.
    change
        Name of the change -> largest ||T' - T|| / ||T - mean|| over the draws.
    tolerance
        Changes up to this value count as rounding.
    """

    name: str
    change: dict[str, float]
    tolerance: float

    @property
    def survives(self) -> tuple[str, ...]:
        return tuple(k for k, v in self.change.items() if v <= self.tolerance)

    def __str__(self) -> str:
        width = max(map(len, self.change))
        groups = ", ".join(self.survives) or "none of the tested changes"
        lines = [f"{self.name} is invariant to {groups}"]
        for name, value in self.change.items():
            verdict = "invariant" if value <= self.tolerance else "changes by"
            size = f"({value:.0e})" if verdict == "invariant" else f"{value:.1%}"
            lines.append(f"  {name:{width}}  {verdict} {size}")
        return "\n".join(lines)


def invariance_report(
    transform: Relative | Callable[[Any], Callable[[Any], Array]],
    x: Any,
    anchors: Any,
    reference: Any = None,
    *,
    rng: Rng,
    draws: int = 3,
) -> InvarianceReport:
    """Apply random elements of each group to rows and anchors, and compare outputs.

    Parameters
    ----------
    transform
        A relative transform, or any function from anchors to a function of rows.
    x, anchors, reference
        Rows of one encoder; `reference` only for transforms that use it.
    draws
        Random elements per group; the report has the largest change.

    Examples
    --------
    >>> from similitude.latent.align.relative import Robust
    >>> x = np.random.default_rng(0).normal(size=(50, 6))
    >>> report = invariance_report(Robust(), x, x[:9], rng=0)
    >>> report.change["rotation"] > 0.1
    True
    >>> "permutation x diagonal + shift" in report.survives
    True
    """
    check_at_least("draws", draws, 1)
    p, a = points(x), points(anchors, "anchors")
    ref = None if reference is None else points(reference, "reference").values

    def run(move: Callable[[Array], Array]) -> np.ndarray:
        if isinstance(transform, Relative):
            moved = None if ref is None else move(ref)
            fitted: Any = transform.fit(move(a.values), moved)
        else:
            fitted = transform(move(a.values))
        return to_numpy(fitted(move(p.values))).astype(np.float64)

    before = run(lambda z: z)
    spread = np.linalg.norm(before - before.mean(axis=0))
    if spread == 0:
        raise Undefined("the output is the same for all rows of x; give other rows.")
    change = {}
    seeds = as_seed(rng).spawn(len(CHANGES))
    for (name, groups), seed in zip(CHANGES.items(), seeds, strict=True):
        draw = np.random.default_rng(seed)
        moved = [run(sample_element(groups, p.d, draw)) for _ in range(draws)]
        change[name] = max(float(np.linalg.norm(m - before) / spread) for m in moved)
    label = transform.label if isinstance(transform, Relative) else repr(transform)
    return InvarianceReport(label, change, 10 * max(p.eps, a.eps) ** 0.5)
