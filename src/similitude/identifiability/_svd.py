"""d_SVD and d_fg: how far two representations are, coordinate by coordinate."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _array
from .._linalg._blocks import budget_rows, spans
from .._seed import Rng
from .._validate import Points
from .._validate import pair as point_pair
from ..errors import InvalidInput, Undefined
from ._coordinates import Functions, centred, over_inputs, over_labels
from ._llv import LLV, d_llv
from ._pair import check_diverse, chosen_set, indices, label_subset, paired
from ._subsets import subsets

_NOISE = 8.0  # a coordinate below so many roundings of it is constant
_SMALL = 1e-7  # below, differences from 1 no longer tell subsets apart
_TIE = 1e-9  # what is closer than that, relatively, is equal


@dataclass(frozen=True)
class DF:
    """d_f, and over which labels it was found; see `d_f`.

    Attributes
    ----------
    value
        The largest d_SVD over subsets.
    labels
        The pivot, and the M labels where it is attained.
    num_subsets, total
        How many subsets were looked at, and how many there are.
    """

    value: float
    labels: tuple[int, ...]
    num_subsets: int
    total: int

    def __float__(self) -> float:
        return self.value

    @property
    def exact(self) -> bool:
        """Whether all subsets were looked at; if not, the value is a lower estimate."""
        return self.num_subsets == self.total


@dataclass(frozen=True)
class DFG:
    """d_fg = max(d_f, d_g), with its parts; see `d_fg`."""

    value: float
    d_f: DF
    d_g: float
    llv: LLV

    def __float__(self) -> float:
        return self.value

    @property
    def exact(self) -> bool:
        """Whether d_f is over all subsets of labels."""
        return self.d_f.exact


def d_svd(z: Any, w: Any) -> float:
    r"""Distance of two paired samples, one minus the mean singular value.

    .. math:: d = 1 - \frac{1}{M} \|R\|_*, \qquad R_{ij} = \mathrm{corr}(z_i, w_j)

    where z_i and w_j are the M columns of z and w, and the norm is the sum of the
    singular values. Also known as one minus m_SVD, and as partial least squares by
    SVD of standardised columns.

    Parameters
    ----------
    z, w
        n x M each, rows the same n.

    Returns
    -------
    float
        In [0, 1]; 0 where the standardised columns are rotations of each other.

    Notes
    -----
    Invariant to shifts and scales of columns, and to their permutation; not to
    rotations, since columns are standardised. As a residual after the best rotation,
    not as a difference from 1, so that it resolves what the data do.

    Not to be confused with: `m_cca`, which sees no linear map at all.

    Examples
    --------
    Columns a, b against a, c of a cube's corners: R has the singular values 1 and 0.

    >>> a = [1, 1, 1, 1, -1, -1, -1, -1]
    >>> b = [1, 1, -1, -1, 1, 1, -1, -1]
    >>> c = [1, -1, 1, -1, 1, -1, 1, -1]
    >>> round(d_svd(list(zip(a, b)), list(zip(a, c))), 12)
    0.5
    """
    x, y = point_pair(z, w)
    if x.d != y.d:
        raise InvalidInput(f"z has {x.d} columns and w has {y.d}; both need M.")
    return float(_residual(_columns(x, "z"), _columns(y, "w")))


def d_f(
    p: Any,
    q: Any,
    *,
    pivot: int,
    left_out: int | None = None,
    labels: Any = None,
    num_subsets: int = 1_000,
    rng: Rng | None = None,
) -> DF:
    r"""Largest d_SVD of the embeddings, seen by M labels at a time.

    .. math:: d_f = \max_J d_{SVD}(L_J' f(x), L_J'' f'(x))

    where L_J has the columns g(y_j) - g(y_0), j in J, and J runs over the subsets of M
    of the labels that are neither the pivot nor left out. All subsets if they are at
    most 10,000; beyond that `num_subsets` that are drawn, a lower estimate.

    Parameters
    ----------
    p, q
        `SoftmaxModel` of the same inputs, labels and dimension M.
    pivot, left_out
        As chosen by `d_llv`.
    labels
        The labels to choose from; all candidates by default.
    num_subsets, rng
        Of the draw, where there is one.

    Returns
    -------
    DF
        The value in [0, 1], where it is attained, and whether it is exact.
    """
    pair = paired(p, q)
    others = label_subset(pair, labels)
    gone = [y for y in (pivot, left_out) if y is not None]
    indices(gone, others, "pivot and left_out")
    others = others[~np.isin(others, gone)]
    if others.size < pair.dimension:
        raise Undefined(
            f"d_f needs M = {pair.dimension} labels beside the pivot and the one left "
            f"out; there are {others.size}."
        )
    chosen = np.concatenate([[pivot], others])
    for model, of in zip(pair.models, "pq", strict=True):
        check_diverse(model, chosen, "labels", of)
    first, second = over_inputs(pair, chosen)
    z = _ratios(first, p.eps, "psi of p")
    w = _ratios(second, q.eps, "psi of q")
    taken = subsets(
        others.size, pair.dimension, pivots=False, num_subsets=num_subsets, rng=rng
    )
    value, worst = _largest(z, w, taken.rows)
    at = (int(pivot), *others[worst].tolist())
    return DF(value, at, taken.rows.shape[0], taken.total)


def d_g(p: Any, q: Any, inputs: Any) -> float:
    r"""d_SVD of the unembeddings, seen by M + 1 inputs.

    .. math:: d_g = d_{SVD}(N' g(y), N'' g'(y))

    over all candidate labels y, where N has the columns f(x_j) - f(x_0).

    Parameters
    ----------
    p, q
        `SoftmaxModel` of the same inputs, labels and dimension M.
    inputs
        M + 1 indices, the pivot first, as chosen by `d_llv`.

    Returns
    -------
    float
        In [0, 1].
    """
    pair = paired(p, q)
    chosen = chosen_set(inputs, np.arange(pair.n), pair.dimension + 1, "inputs")
    for model, of in zip(pair.models, "pq", strict=True):
        check_diverse(model, chosen, "inputs", of)
    first, second = over_labels(pair, chosen)
    z, w = _ratios(first, p.eps, "phi of p"), _ratios(second, q.eps, "phi of q")
    return float(_residual(z, w))


def d_fg(
    p: Any,
    q: Any,
    *,
    llv: LLV | None = None,
    num_sets: int = 200,
    input_sets: Any = None,
    labels: Any = None,
    num_subsets: int = 1_000,
    rng: Rng | None = None,
    compat: bool = False,
) -> DFG:
    """Distance of the representations: the larger of `d_f` and `d_g`.

    It is bounded by 2 M d_LLV (published) and by 2 d_LLV^2 (ours), on the labels and
    inputs that d_LLV chose. `docs/identifiability.md` has the proof.

    Parameters
    ----------
    p, q
        `SoftmaxModel` of the same inputs, labels and dimension M.
    llv
        What `d_llv` returned for them, to use its choices. Otherwise it is computed,
        with the options of the same names.
    num_sets, input_sets, labels, rng, compat
        See `d_llv`; `labels` is used by `d_f` as well.
    num_subsets
        How many label subsets `d_f` draws where there are more than 10,000.

    Returns
    -------
    DFG
        The value in [0, 1], `d_f` (says whether it is exact), `d_g`, and the `llv`.

    References
    ----------
    nielsen2025when
    """
    if llv is not None:
        for name, given in (("input_sets", input_sets), ("labels", labels)):
            if given is not None:
                raise InvalidInput(
                    f"{name}= does nothing beside llv=, which has its own; leave one "
                    f"of the two out."
                )
    else:
        llv = d_llv(
            p,
            q,
            num_sets=num_sets,
            input_sets=input_sets,
            labels=labels,
            rng=rng,
            compat=compat,
        )
    of_f = d_f(
        p,
        q,
        pivot=llv.pivot,
        labels=(llv.pivot, *llv.labels),
        num_subsets=num_subsets,
        rng=rng,
    )
    of_g = d_g(p, q, llv.inputs)
    return DFG(max(of_f.value, of_g), of_f, of_g, llv)


def _columns(x: Points, name: str) -> np.ndarray:
    values = _array.to_numpy(x.values).astype(np.float64)
    size = np.linalg.norm(values, axis=0)
    return _standardised(centred(values).T, size, x.eps, name)


def _ratios(side: Functions, eps: float, name: str) -> np.ndarray:
    """Log-ratios to the pivot, which is the first, as unit vectors, one a row."""
    rows = side.logits[1:] - side.logits[:1]
    return _standardised(rows, side.scale[1:] + side.scale[0], eps, name)


def _standardised(
    rows: np.ndarray, size: np.ndarray, eps: float, name: str
) -> np.ndarray:
    length = np.linalg.norm(rows, axis=1)
    gone = length <= _NOISE * eps * size
    if gone.any():
        raise Undefined(
            f"{name} is 0: coordinate {int(gone.argmax())} is constant up to rounding "
            f"({int(gone.sum())} of {gone.size} are), so it has no correlations."
        )
    return rows / length[:, None]


def _residual(z: np.ndarray, w: np.ndarray) -> np.ndarray:
    """1 - |Z W'|_* / M of unit rows, as what is left after the best rotation."""
    u, _, vt = np.linalg.svd(z @ np.swapaxes(w, -1, -2))
    gap = np.swapaxes(u @ vt, -1, -2) @ z - w
    return np.sum(gap**2, axis=(-2, -1)) / (2 * z.shape[-2])


def _largest(
    z: np.ndarray, w: np.ndarray, rows: np.ndarray
) -> tuple[float, np.ndarray]:
    """The largest residual over subsets of rows of z and w, and the first with it."""
    values = _over_subsets(_difference, z, w, rows)
    if values.max() < _SMALL:
        values = _over_subsets(_residual, z, w, rows)
    worst = rows[np.argmax(values >= values.max() * (1 - _TIE))]
    return float(_residual(z[worst], w[worst])), worst


def _difference(z: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The same as a difference from 1: quicker, and good to 1e-15."""
    r = z @ np.swapaxes(w, -1, -2)
    return 1.0 - np.linalg.svd(r, compute_uv=False).sum(axis=-1) / z.shape[-2]


def _over_subsets(
    func: Callable[[np.ndarray, np.ndarray], np.ndarray],
    z: np.ndarray,
    w: np.ndarray,
    rows: np.ndarray,
) -> np.ndarray:
    count, m = rows.shape
    values = np.empty(count)
    for start, stop in spans(count, budget_rows(count, 16 * m * z.shape[1])):
        block = rows[start:stop]
        values[start:stop] = func(z[block], w[block])
    return values
