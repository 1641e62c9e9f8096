"""The map through the canonical variates of two representations."""

from dataclasses import replace
from typing import Any, Literal

from .... import _linalg
from ...._base._array import Array, stop_gradient
from ...._base._validate import Points, check_at_least, check_one_of, pair
from ....errors import InvalidInput, Undefined
from ._matrix import AffineMap
from ._paired import Paired, paired


def fit_cca(
    x: Any,
    y: Any,
    *,
    components: int | None = None,
    weights: Literal["unit", "correlation"] = "unit",
) -> AffineMap:
    r"""Map x to its canonical variates, to those of y, and back to y.

    .. math:: B = W_x P \, \mathrm{diag}(w) \, Q' W_y^+

    where

    - :math:`W_x, W_y` whiten x and y, and :math:`W_y^+` reverts the whitening of y;
    - :math:`P \,\mathrm{diag}(\rho) Q'` is the singular value decomposition of the
      cross-covariance of the whitened rows: canonical directions and correlations;
    - w is 1 (``"unit"``: each variate of x becomes the variate of y, variance is
      kept) or :math:`\rho` (``"correlation"``: with all components this is least
      squares, `fit_affine`).

    Parameters
    ----------
    components
        Number of canonical directions to use. By default all, which is the smaller
        rank.

    Raises
    ------
    Undefined
        If a rank reaches n - 1: every correlation is then 1 for any data.

    References
    ----------
    hotelling1936relations, maiorca2023latent

    Examples
    --------
    >>> f = fit_cca([[0.0], [1.0], [2.0], [4.0]], [[5.0], [3.0], [1.0], [-3.0]])
    >>> f.apply([[3.0]]).round(9)
    array([[-1.]])
    """
    check_one_of("weights", weights, ("unit", "correlation"))
    p = paired(x, y, translate=True)
    bases = [_basis(side) for side in pair(x, y)]
    ranks = [basis.rank for basis in bases]
    if max(ranks) >= p.n - 1:
        raise Undefined(
            f"x and y have ranks {ranks[0]} and {ranks[1]} with n - 1 = {p.n - 1}: all "
            f"correlations are 1 for any data. Use more rows, or fewer columns."
        )
    if components is None:
        components = min(ranks)
    check_at_least("components", components, 1)
    if components > min(ranks):
        raise InvalidInput(
            f"components={components}, but x and y have ranks {ranks[0]} and "
            f"{ranks[1]}; choose at most {min(ranks)}."
        )
    white_x, whiten_x, _ = _whitening(p.x, bases[0], p)
    white_y, _, color_y = _whitening(p.y, bases[1], p)
    left, rho, right = _linalg.svd(white_x.across(white_y))
    w = rho if weights == "correlation" else p.xp.ones_like(rho)
    across = (left[:, :components] * w[:components]) @ right[:components, :]
    return p.map(whiten_x @ across @ color_y, "cca")


def _basis(side: Points) -> _linalg.Whitened:
    return _linalg.whiten(replace(side, values=stop_gradient(side.values)))


def _whitening(
    rows: Array, basis: _linalg.Whitened, p: Paired
) -> tuple[_linalg.Factored, Array, Array]:
    """Return Z, W, C with Z = rows W, Z'Z = I, rows = Z C."""
    if basis.whitening is not None and basis.coordinates is not None:
        return basis, basis.whitening, basis.coordinates
    u, s, vt = _linalg.svd(rows)
    u, s, vt = u[:, : basis.rank], s[: basis.rank], vt[: basis.rank, :]
    return _linalg.Factored(u), vt.T / s, s[:, None] * vt
