"""CKA after removing the similarity that the inputs explain."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._record import Option
from ..._base._validate import Points, points
from ...errors import InvalidInput, Undefined
from ...transformations import SHAPE
from .._base import Measure
from .._claims import Alias, Claims
from ._base import check_enough_rows, check_no_classes, linear_side
from ._confounder import Confounder

__all__ = ["DeconfoundedCKA", "deconfounded_cka"]


@dataclass(frozen=True, eq=False)
class Adjusted:
    """A Gram matrix K, that of the confounder K0, and the residual K - slope K0."""

    gram: _linalg.Side
    confounder: _linalg.Side
    base: Array  # <K0, K0>
    slope: Array  # <K, K0> / <K0, K0>
    norm: Array  # of K - slope K0


@dataclass(frozen=True, kw_only=True)
class DeconfoundedCKA(Measure):
    """CKA without a confounder; see `similitude.deconfounded_cka`.

    It is not in `MEASURES`, because it cannot be built without arguments.
    """

    name = "deconfounded_cka"
    refs = ("cui2022deconfounded", "kornblith2019similarity")
    aliases = (Alias("dcka"),)

    confounder: Any
    estimator: Literal["unbiased", "biased"] = "unbiased"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.confounder, Confounder):
            object.__setattr__(self, "confounder", Confounder(self.confounder))

    @classmethod
    def _hints(cls) -> dict[str, Any]:  # type: ignore[override]
        """The type hints of the scalar options."""
        hints = super()._hints()
        return {name: hint for name, hint in hints.items() if name != "confounder"}

    @property
    def options(self) -> dict[str, Option]:
        """The options, with the sha256 of the confounder in place of its values."""
        return {"confounder": self.confounder.sha256, "estimator": self.estimator}

    @property
    def func(self) -> Callable[..., Array]:
        return functools.partial(
            deconfounded_cka, confounder=self.confounder, estimator=self.estimator
        )

    def claims(self) -> Claims:
        return Claims(
            kind="similarity",
            range=(-1.0, 1.0),  # biased too: the residual has negative eigenvalues
            invariant=SHAPE,
            chance="0" if self.estimator == "unbiased" else "grows with d / n",
            fits_noise=self.estimator == "biased",
            on_device=True,
        )

    @classmethod
    def of_inputs(cls, inputs: Any) -> "DeconfoundedCKA":
        return cls(confounder=inputs)

    def reading(self, n: int) -> str:
        return f"{super().reading(n)}, beyond what the inputs explain"

    def prepare(self, x: Any, seed: Any = None) -> Adjusted:
        x = points(x)
        check_no_classes(x, "deconfounded CKA")
        n = self.confounder.values.shape[0]
        if x.n != n:
            raise InvalidInput(
                f"the confounder has {n} rows and the representation has {x.n}. Give "
                f"both for the same stimuli in the same order."
            )
        check_enough_rows(n, self.estimator)
        return _adjusted(self._side(x), self._side(self._confounder_like(x)))

    def _side(self, x: Points) -> _linalg.Side:
        rows = _linalg.center(_linalg.widened(_linalg.balanced(x)))
        return linear_side(rows, unbiased=self.estimator == "unbiased")

    def _confounder_like(self, x: Points) -> Points:
        # A copy, because some libraries cannot use read-only arrays.
        return points(_array.from_numpy(self.confounder.values.copy(), x.values))

    def compare(self, p: Adjusted, q: Adjusted) -> Array:
        explained = p.slope * q.slope * p.base
        return (_linalg.inner(p.gram, q.gram) - explained) / (p.norm * q.norm)

    def compare_all(self, ps: Sequence[Adjusted]) -> Array:
        xp = _array.namespace(ps[0].norm)
        norms, slopes = (xp.stack([getattr(p, k) for p in ps]) for k in _PER_SIDE)
        explained = slopes[:, None] * slopes[None, :] * ps[0].base
        total = _linalg.inner_all([p.gram for p in ps]) - explained
        return total / (norms[:, None] * norms[None, :])

    def permute(self, q: Adjusted, order: np.ndarray) -> Adjusted:
        # The rows of the confounder keep their order, so its share changes.
        return _adjusted(q.gram.permute(order), q.confounder)

    def null(self, p: Adjusted, q: Adjusted, orders: np.ndarray) -> Array:
        xp = _array.namespace(p.norm)
        slopes = _linalg.inner_orders(p.confounder, q.gram, orders) / p.base
        # The squared norm of K is the sum over its two parts, in any order of rows.
        whole = q.norm**2 + q.slope**2 * q.base
        norms = xp.sqrt(whole - slopes**2 * p.base)
        total = _linalg.inner_orders(p.gram, q.gram, orders)
        return (total - p.slope * slopes * p.base) / (p.norm * norms)

    def details(self, p: Adjusted, q: Adjusted) -> dict[str, Any]:
        """The share of each Gram's squared norm that the confounder explains."""
        shares = []
        for side in (p, q):
            explained = _array.number(side.slope**2 * side.base)
            shares.append(explained / (explained + _array.number(side.norm**2)))
        return {"explained_x": shares[0], "explained_y": shares[1]}


_PER_SIDE = ("norm", "slope")


def _adjusted(gram: _linalg.Side, confounder: _linalg.Side) -> Adjusted:
    base = _linalg.norm(confounder) ** 2
    whole = _linalg.norm(gram) ** 2
    slope = _linalg.inner(gram, confounder) / base
    left = whole - slope**2 * base
    if _array.number(left) <= 1e-13 * _array.number(whole):
        raise Undefined(
            "the confounder explains all of this representation's Gram matrix, so "
            "nothing is left to compare. Use cka() instead."
        )
    return Adjusted(gram, confounder, base, slope, _array.namespace(left).sqrt(left))


def deconfounded_cka(
    x: Any,
    y: Any,
    /,
    *,
    confounder: Any,
    estimator: Literal["unbiased", "biased"] = "unbiased",
) -> Score:
    r"""Linear CKA after regressing a confounder's Gram matrix out of both sides.

    .. math::

        \frac{\langle \tilde K, \tilde L \rangle}{\|\tilde K\| \|\tilde L\|}, \qquad
        \tilde K = K - \frac{\langle K, K_0 \rangle}{\langle K_0, K_0 \rangle} K_0

    where

    - :math:`K, L, K_0` are the linear Gram matrices of x, y and the confounder,
      centered as `estimator` says (see `similitude.cka`), and :math:`\tilde L` is
      defined like :math:`\tilde K`;
    - the factor of :math:`K_0` is the slope of a regression: similarities of rows in x
      on similarities of rows in the confounder.

    Two networks that both preserve the geometry of their inputs are similar for that
    reason alone, trained or not. This measure is the partial correlation of their
    similarities given those of the inputs.

    It removes one multiple of :math:`K_0`, not everything that the confounder predicts.
    With one-hot classes as the confounder, class means that differ in their distances
    remain: two representations that share only their class means can have a CKA of
    0.86, a deconfounded CKA of 0.6, and a CKA of 0 without class means. To remove class
    means, use ``similitude.compare(..., within=labels)``.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
    confounder
        n x d0: usually the inputs themselves, flattened.
    estimator
        ``"unbiased"`` or ``"biased"``, as for CKA.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1], for both estimators.

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation of either
    side (and of the confounder). `details` reports the shares that the confounder
    explains.

    The residual has negative eigenvalues. The authors' code sets them to 0, which costs
    n^3 operations and adds another bias. Here the residual is not modified, so the
    unbiased estimator stays unbiased.

    Not to be confused with: CKA of residuals of a regression of x itself on the inputs;
    if the inputs are wide, these residuals are 0.

    Raises
    ------
    Undefined
        As for `similitude.cka`. Also if the confounder explains all of a side.

    References
    ----------
    cui2022deconfounded, kornblith2019similarity

    Examples
    --------
    x and y both contain the inputs, and each has independent columns besides:

    >>> import numpy as np, similitude as sim
    >>> inputs, a, b = np.random.default_rng(0).normal(size=(3, 500, 4))
    >>> x, y = np.hstack([inputs, a]), np.hstack([inputs, b])
    >>> round(float(sim.cka(x, y)), 1)
    0.5
    >>> abs(float(sim.deconfounded_cka(x, y, confounder=inputs))) < 0.05
    True
    """
    return DeconfoundedCKA(confounder=confounder, estimator=estimator)(x, y)
