"""Products of corresponding rows of two centered Grams, for scores of single rows.

Row i of a centered Gram is the similarity profile of stimulus i. With centered rows and
``k_i = |x_i|^2``, a linear kernel needs neither n x n matrix::

    sum_j (XX')_ij (YY')_ij = x_i' (X'Y) y_i

and the U-centered Grams add terms in the effects of rows. These products also give
``<K, L>`` without stimulus i. If K and L are centered, their row sums are 0. The sums
over the other rows are then ``-K_ij``, and centering the remaining rows takes no pass
over them.
"""

from typing import Any

from .._base import _array
from .._base._array import Array
from ._blocks import budget_rows, cross_product, spans
from ._grams import Features, Side
from ._hsic import inner_from_product
from ._symmetric import effects_of

# Without stimulus i, an inner product may have this error relative to the whole.
_MOST_ERROR = 4e-9


def row_products(p: Side, q: Side) -> Array:
    """The n sums over j of K_ij L_ij; their total is `inner`."""
    return _inner_and_rows(p, q, most_error=0.0)[1]


def inner_with_and_without(p: Side, q: Side) -> tuple[Array, Array]:
    """`inner`, and `inner` without row 0, without row 1, ...: n values."""
    n = p.n
    whole, rows = _inner_and_rows(p, q, most_error=_MOST_ERROR)
    if p.unbiased:
        return whole, whole - 2.0 * (n - 2) / (n - 3) * rows
    change = n / (n - 1)
    own = p.diagonal() * q.diagonal()
    return whole, whole - 2.0 * change * rows + change**2 * own


def _inner_and_rows(p: Side, q: Side, *, most_error: float) -> tuple[Array, Array]:
    """`inner` and `row_products`.

    `most_error` is the error that the caller accepts, relative to the norms of K and L.
    Products are in single precision if their rounding is below it.
    """
    if isinstance(p, Features) and isinstance(q, Features) and p.classes is None:
        square, products = _products_of_features(p, q, most_error)
        return inner_from_product(p, q, square), products
    xp, n, parts = _array.namespace(p.diagonal()), p.n, []
    for start, stop in spans(n, budget_rows(n, 2 * 8 * n)):
        parts.append(xp.vecdot(p.block(start, stop), q.block(start, stop)))
    products = xp.concat(parts)
    return xp.sum(products), products


def _products_of_features(
    p: Features, q: Features, most_error: float
) -> tuple[Array, Array]:
    """``|X'Y|^2``, and the products of rows; in blocks of columns and of rows."""
    xp, (n, d), dtype = _array.namespace(p.rows), p.rows.shape, p.rows.dtype
    if most_error and _rounding(p, q) <= most_error:
        dtype = xp.float32
    square, total, weights = 0.0, 0.0, None
    if p.unbiased:
        total, *weights = _unbiased(p, q, dtype)
    for first, last in spans(d, budget_rows(d, 8 * q.rows.shape[1])):
        few, whole = p.rows[:, first:last], p is q and last - first == d
        product = p.covariance if whole else cross_product(few, q.rows)
        square = square + xp.sum(product * product)
        product = xp.astype(product, dtype, copy=False)
        panels = _upper_panels(product) if whole else [(0, product.shape[1], product)]
        parts = []
        # Blocks of 512 rows stay in the cache until they are multiplied by y.
        for a, b in spans(n, 512):
            left = xp.astype(few[a:b, :], dtype, copy=False)
            right = xp.astype(q.rows[a:b, :], dtype, copy=False)
            forms = 0.0
            for start, stop, panel in panels:
                mapped = left[:, : panel.shape[0]] @ panel
                forms = forms + _array.widen(xp.vecdot(mapped, right[:, start:stop]))
            if weights is not None:
                forms = forms - _array.widen(left @ weights[0][first:last])
                if first == 0:
                    forms = forms - _array.widen(right @ weights[1])
            parts.append(forms)
        total = total + xp.concat(parts)
    return square, total


def _upper_panels(c: Array) -> list[tuple[int, int, Array]]:
    """Panels P of columns of a symmetric C, with x' C x = sum over panels of x' P x.

    They contain only the upper half of C, with twice the values above the diagonal
    blocks, so products with them take little more than half the time.
    """
    xp = _array.namespace(c)
    return [
        (a, b, xp.concat([2.0 * c[:a, a:b], c[a:b, a:b]]))
        for a, b in spans(c.shape[1], 128)
    ]


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


def _unbiased(p: Features, q: Features, dtype: Any) -> tuple[Array, Array, Array]:
    """Terms c, u and v of U-centered Grams, whose diagonals are 0.

    Their products of rows are ``x_i' (X'Y) y_i + c_i - x_i'u - y_i'v``.
    """
    xp, n = _array.namespace(p.rows), p.n
    k, l = p.squares, q.squares  # noqa: E741 (the letters of the formula)
    e, _ = effects_of(-k, n, unbiased=True)
    f, constant = effects_of(-l, n, unbiased=True)
    own = (k - e) * (l - 2.0 * f + constant)
    terms = xp.vecdot(e, f) - own - xp.sum(e) * (constant - f)
    u = _weighted_sum(p.rows, f)
    v = u if p is q else _weighted_sum(q.rows, e)
    return terms, xp.astype(u, dtype, copy=False), xp.astype(v, dtype, copy=False)


def _weighted_sum(rows: Array, weights: Array) -> Array:
    """X'w, summed in float64 from products in the dtype of the rows."""
    xp = _array.namespace(rows)
    column = xp.astype(weights, rows.dtype, copy=False)[:, None]
    return cross_product(rows, column)[:, 0]
