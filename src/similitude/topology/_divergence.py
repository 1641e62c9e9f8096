"""Total persistence of degree 1, for two matrices of normalized distances.

Each function returns (whole, trees) for every direction: the sum of all bars, and the
part that is a difference of minimum spanning trees. The rest is from loops. Trees use
the same order of events as the bars, so the split is exact. Except for `lite_parts`,
they also return the bars of every direction.
"""

import numpy as np

from ..errors import Undefined
from ._barcode import Barcode
from ._engines._pairs import single
from ._r_cross_barcode import both_r_cross_barcodes, relative_barcodes
from ._trees._spanning_trees import spanning_tree

Parts = np.ndarray  # (directions, 2): whole, trees
Bars = list[np.ndarray]  # one array (k, 2) per direction: births, deaths


def rtd_parts(w: np.ndarray, w_tilde: np.ndarray) -> tuple[Parts, Bars]:
    """H_1(R(min), R(w)), and H_1(R(min), R(w̃))."""
    least = np.minimum(w, w_tilde)
    bars = [direction[1] for direction in both_r_cross_barcodes(w, w_tilde)]
    trees = _tree_lengths(w, w_tilde, least)
    totals = [direction.total_persistence for direction in bars]
    parts = _finite([[totals[k], trees[k] - trees[2]] for k in (0, 1)])
    return parts, _bars(bars)


def srtd_parts(w: np.ndarray, w_tilde: np.ndarray) -> tuple[Parts, Bars]:
    """H_1(R(min), R(max)), which has only one direction."""
    least, most = np.minimum(w, w_tilde), np.maximum(w, w_tilde)
    bars = relative_barcodes(most, least)[1]
    trees = _tree_lengths(most, least)
    parts = _finite([[bars.total_persistence, trees[0] - trees[1]]])
    return parts, _bars([bars])


def max_rtd_parts(w: np.ndarray, w_tilde: np.ndarray) -> tuple[Parts, Bars]:
    """H_1(R(w̃), R(max)), and H_1(R(w), R(max))."""
    most = np.maximum(w, w_tilde)
    bars = [relative_barcodes(most, inner)[1] for inner in (w_tilde, w)]
    outer_tree, *inner_trees = _tree_lengths(most, w_tilde, w)
    directions = zip(bars, inner_trees, strict=True)
    parts = [[b.total_persistence, outer_tree - tree] for b, tree in directions]
    return _finite(parts), _bars(bars)


def lite_parts(w: np.ndarray, w_tilde: np.ndarray) -> np.ndarray:
    """MST(w) - MST(min), and MST(w̃) - MST(min); trees are found in float64."""
    least = np.minimum(w, w_tilde)
    trees = [float(spanning_tree(m)[1].sum()) for m in (w, w_tilde, least)]
    return _finite([trees[0] - trees[2], trees[1] - trees[2]])


def _tree_lengths(*matrices: np.ndarray) -> list[float]:
    """Lengths of minimum spanning trees, found by the order of float32 distances.

    Bars use the same order, so the parts from trees and loops add up exactly.
    """
    totals = []
    for values, order in zip(matrices, single(*matrices), strict=True):
        i, j = spanning_tree(order)[0].T
        totals.append(float(values[i, j].sum()) if len(i) else 0.0)
    return totals


def _bars(barcodes: list[Barcode]) -> Bars:
    return [np.stack([b.births, b.deaths], axis=1) for b in barcodes]


def _finite(parts: list) -> np.ndarray:
    totals = np.array(parts, dtype=np.float64)
    if not np.isfinite(totals).all():
        raise Undefined(
            "the sum of bars does not exist: a bar is infinite, because some distances "
            "are. Use the barcode itself, or make the distances finite."
        )
    return totals
