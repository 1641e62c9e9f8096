"""Total persistence of degree 1, for two clouds of normalized distances.

Each function returns (whole, trees) for every direction: the sum of all bars, and the
part that is a difference of minimum spanning trees. The rest is from loops. Trees use
the same order of events as the bars, so the split is exact. Except for `lite_parts`,
they also return the bars of every direction.
"""

from collections.abc import Callable

import numpy as np

from ..errors import Undefined
from ._barcode import Barcode
from ._edge_weights import EdgeWeights, singles
from ._engines import relative_pairs_and_trees
from ._engines._pairs import Pairs, Reader, edges_of, gather
from ._trees._spanning_trees import spanning_tree

Parts = np.ndarray  # (directions, 2): whole, trees
Bars = list[np.ndarray]  # one array (k, 2) per direction: births, deaths
Barcodes = tuple[list[Barcode], np.ndarray]  # and the part of trees of each


def rtd_parts(w: EdgeWeights, w_tilde: EdgeWeights) -> tuple[Parts, Bars]:
    """H_1(R(min), R(w)), and H_1(R(min), R(w̃))."""
    return _parts(*rtd_barcodes(w, w_tilde))


def srtd_parts(w: EdgeWeights, w_tilde: EdgeWeights) -> tuple[Parts, Bars]:
    """H_1(R(min), R(max)), which has only one direction."""
    return _parts(*srtd_barcodes(w, w_tilde))


def max_rtd_parts(w: EdgeWeights, w_tilde: EdgeWeights) -> tuple[Parts, Bars]:
    """H_1(R(w̃), R(max)), and H_1(R(w), R(max))."""
    k, k_tilde = singles(w, w_tilde)
    most = np.maximum(k, k_tilde)
    one, trees = relative_pairs_and_trees(k_tilde, most)
    two, others = relative_pairs_and_trees(k, most)
    read, read_tilde = _readers(w, w_tilde, [*one, *two], [*trees, *others])
    outer = _either(np.maximum, read, read_tilde)
    bars = [
        gather(one[0], 1, w.n, outer, read_tilde),
        gather(two[0], 1, w.n, outer, read),
    ]
    length = _length(w.n, trees[1], outer)
    inner = _length(w.n, trees[0], read_tilde), _length(w.n, others[0], read)
    return _parts(bars, np.array([length - tree for tree in inner]))


def rtd_barcodes(w: EdgeWeights, w_tilde: EdgeWeights) -> Barcodes:
    """Both directions of RTD, in one sweep over the edges of min(w, w̃).

    In the second barcode, `w_tilde` is the first matrix: "cone" and "w" refer to it.
    """
    k, k_tilde = singles(w, w_tilde)
    pairs, trees = relative_pairs_and_trees(np.minimum(k, k_tilde), k, k_tilde)
    read, read_tilde = _readers(w, w_tilde, pairs, trees)
    bars = [
        gather(pairs[0], 1, w.n, read, read_tilde),
        gather(pairs[1], 1, w.n, read_tilde, read),
    ]
    inner = _length(w.n, trees[0], _either(np.minimum, read, read_tilde))
    outer = _length(w.n, trees[1], read), _length(w.n, trees[2], read_tilde)
    return bars, np.array([tree - inner for tree in outer])


def srtd_barcodes(w: EdgeWeights, w_tilde: EdgeWeights) -> Barcodes:
    """The barcode of SRTD.

    "cone" and "w" refer to max(w, w̃), and "w_tilde" to min(w, w̃) where they differ.
    """
    k, k_tilde = singles(w, w_tilde)
    least, most = np.minimum(k, k_tilde), np.maximum(k, k_tilde)
    pairs, trees = relative_pairs_and_trees(least, most)
    readers = _readers(w, w_tilde, pairs, trees)
    outer, inner = (_either(f, *readers) for f in (np.maximum, np.minimum))
    bars = gather(pairs[0], 1, w.n, outer, inner)
    part = _length(w.n, trees[1], outer) - _length(w.n, trees[0], inner)
    return [bars], np.array([part])


def lite_parts(w: np.ndarray, w_tilde: np.ndarray) -> np.ndarray:
    """MST(w) - MST(min), and MST(w̃) - MST(min); trees are found in float64."""
    least = np.minimum(w, w_tilde)
    trees = [float(spanning_tree(m)[1].sum()) for m in (w, w_tilde, least)]
    return _finite(np.array([trees[0] - trees[2], trees[1] - trees[2]]))


def _readers(
    w: EdgeWeights, w_tilde: EdgeWeights, pairs: list[Pairs], trees: list[np.ndarray]
) -> tuple[Reader, Reader]:
    edges = np.concatenate([edges_of(*pairs), *trees])
    return w.reader(edges), w_tilde.reader(edges)


def _either(choose: Callable[..., np.ndarray], one: Reader, two: Reader) -> Reader:
    """Weights in the entrywise minimum or maximum of two matrices."""
    return lambda edges: choose(one(edges), two(edges))


def _length(n: int, forest: np.ndarray, read: Reader) -> float:
    """Length of a minimum spanning tree; infinite if the points are not connected.

    Trees are found by the order of float32 distances, as bars are. So the parts from
    trees and loops add up exactly.
    """
    return float(read(forest).sum()) if len(forest) == max(n - 1, 0) else np.inf


def _parts(barcodes: list[Barcode], trees: np.ndarray) -> tuple[Parts, Bars]:
    totals = [bars.total_persistence for bars in barcodes]
    parts = _finite(np.stack([totals, trees], axis=1))
    return parts, [np.stack([b.births, b.deaths], axis=1) for b in barcodes]


def _finite(totals: np.ndarray) -> np.ndarray:
    if not np.isfinite(totals).all():
        raise Undefined(
            "the sum of bars does not exist: a bar is infinite, because some distances "
            "are. Use the barcode itself, or make the distances finite."
        )
    return totals
