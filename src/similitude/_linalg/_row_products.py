"""Products of corresponding rows of two centered Grams, for scores of single rows.

Row i of a centered Gram is the similarity profile of stimulus i. With centered rows and
``k_i = |x_i|^2``, a linear kernel needs neither n x n matrix::

    sum_j (XX')_ij (YY')_ij = x_i' (X'Y) y_i

and the U-centered Grams add terms in the effects of rows. These products also give
``<K, L>`` without stimulus i. If K and L are centered, their row sums are 0. The sums
over the other rows are then ``-K_ij``, and centering the remaining rows takes no pass
over them.
"""

from .. import _array
from .._array import Array
from ._blocks import budget_rows, cross_product, spans
from ._grams import Features, Side
from ._hsic import inner
from ._symmetric import effects_of

# Without stimulus i, an inner product may have this error relative to the whole.
_MOST_ERROR = 1e-9


def row_products(p: Side, q: Side, *, most_error: float = 0.0) -> Array:
    """The n sums over j of K_ij L_ij; their total is `inner`.

    `most_error` is the error that the caller accepts, relative to the norms of K and L.
    Products are in single precision if their rounding is below it.
    """
    if isinstance(p, Features) and isinstance(q, Features):
        products = _products_of_features(p, q, most_error)
        return _unbiased(p, q, products) if p.unbiased else products
    xp, n, parts = _array.namespace(p.diagonal()), p.n, []
    for start, stop in spans(n, budget_rows(n, 2 * 8 * n)):
        parts.append(xp.vecdot(p.block(start, stop), q.block(start, stop)))
    return xp.concat(parts)


def inner_without_each(p: Side, q: Side) -> Array:
    """`inner` without row 0, without row 1, ...: n values, centered again."""
    n, rows = p.n, row_products(p, q, most_error=_MOST_ERROR)
    if p.unbiased:
        return inner(p, q) - 2.0 * (n - 2) / (n - 3) * rows
    change = n / (n - 1)
    own = p.diagonal() * q.diagonal()
    return inner(p, q) - 2.0 * change * rows + change**2 * own


def _products_of_features(p: Features, q: Features, most_error: float) -> Array:
    """x_i' (X'Y) y_i for each row, in blocks of columns of p and of rows."""
    xp, (n, d), total = _array.namespace(p.rows), p.rows.shape, 0.0
    dtype = p.rows.dtype
    if most_error and _rounding(p, q) <= most_error:
        dtype = xp.float32
    for first, last in spans(d, budget_rows(d, 8 * q.rows.shape[1])):
        few = p.rows[:, first:last]
        whole = first == 0 and last == d and p is q
        product = p.covariance if whole else cross_product(few, q.rows)
        product, parts = xp.astype(product, dtype, copy=False), []
        # Blocks of 1,024 rows stay in the cache until they are multiplied by y.
        for a, b in spans(n, 1024):
            mapped = xp.astype(few[a:b, :], dtype, copy=False) @ product
            right = xp.astype(q.rows[a:b, :], dtype, copy=False)
            parts.append(_array.widen(xp.vecdot(mapped, right)))
        total = total + xp.concat(parts)
    return total


def _rounding(p: Features, q: Features) -> float:
    """Error of x_i' (X'Y) y_i in single precision, relative to the norms of K and L.

    The product is at most ``|x_i| |X'Y| |y_i|``, where |X'Y|^2 is at most |X'X| |Y'Y|.
    """
    bound = 2.0**-22
    for side in (p, q):
        xp = _array.namespace(side.squares)
        longest = _array.number(xp.max(side.squares))
        norm = _array.number(xp.linalg.matrix_norm(side.covariance))
        bound *= (longest / norm) ** 0.5
    return bound


def _unbiased(p: Features, q: Features, products: Array) -> Array:
    """The products for U-centered Grams, whose diagonals are 0."""
    xp, n = _array.namespace(p.rows), p.n
    k, l = p.squares, q.squares  # noqa: E741 (the letters of the formula)
    e, _ = effects_of(-k, n, unbiased=True)
    f, constant = effects_of(-l, n, unbiased=True)
    mapped = _times(p.rows, f) + _times(q.rows, e)
    own = (k - e) * (l - 2.0 * f + constant)
    return products - mapped + xp.vecdot(e, f) - own - xp.sum(e) * (constant - f)


def _times(rows: Array, weights: Array) -> Array:
    """X X'w in float64."""
    wide = _array.widen(rows)
    return wide @ (wide.T @ weights)
