"""Groups of stimuli that are near each other in one network and far in the other.

For each stimulus, the nearest others in one network have ranks in the other network. A
pair of stimuli is an edge if it is much farther there. Spectral clusters of this graph
are the groups (Kondapaneni et al. 2025 compare ranks of neighbors in the same way).
"""

from dataclasses import dataclass

import numpy as np

from ... import _linalg
from ...inputs import points

NEAR = 15  # an edge joins two stimuli of which one is among so many nearest ones
_FAR = 4 * NEAR  # and which are farther than this, by rank, in the other network
_EDGES = 5  # within the group, of each stimulus
_MOST = 12  # groups per direction


@dataclass(frozen=True)
class Group:
    """Stimuli that are near each other in `near`, and far from each other in `far`.

    `members` are row numbers, the most typical ones first. `score` is their mean score
    under the measure.
    """

    near: str
    far: str
    members: tuple[int, ...]
    score: float

    @property
    def size(self) -> int:
        return len(self.members)


def groups_of(
    x: np.ndarray, y: np.ndarray, names: tuple[str, str], scores: np.ndarray
) -> tuple[Group, ...]:
    """Groups of both directions, the largest first."""
    found = []
    for near, far, (a, b) in ((x, y, names), (y, x, names[::-1])):
        for members in clusters(farther(near, far)):
            mean = float(np.mean(scores[list(members)]))
            found.append(Group(a, b, members, mean))
    return tuple(sorted(found, key=lambda group: -group.size))


def farther(near: np.ndarray, far: np.ndarray) -> np.ndarray:
    """Symmetric n x n weights: log2 of the ratio of ranks for edges, otherwise 0."""
    n = len(near)
    k = min(NEAR, n - 1)
    a, b = (
        np.asarray(_linalg.metric_rows(points(side), "euclidean"))
        for side in (near, far)
    )
    lists = _linalg.nearest(a, k, "euclidean")
    weights = np.zeros((n, n))
    for start, stop in _linalg.spans(n, _linalg.budget_rows(n, 24 * n)):
        own = np.arange(start, stop)
        distances = _linalg.cross_distances(b[own], b, "euclidean")
        places = np.argsort(np.argsort(distances, axis=1), axis=1)  # 0 is the row
        ranks = np.take_along_axis(places, lists[own], axis=1)
        ratios = np.log2(np.maximum(ranks, 1) / np.arange(1, k + 1))
        edges = np.where(ranks > _FAR, ratios, 0.0)
        weights[np.repeat(own, k), lists[own].ravel()] = edges.ravel()
    return np.maximum(weights, weights.T)


def clusters(weights: np.ndarray) -> list[tuple[int, ...]]:
    """Spectral clusters of the stimuli that have several edges with each other."""
    import scipy

    kept = _core(weights, np.arange(len(weights)))
    if not kept.size:
        return []
    inner = weights[np.ix_(kept, kept)]
    root = 1.0 / np.sqrt(inner.sum(axis=1))
    values, vectors = scipy.linalg.eigh(inner * root[:, None] * root)
    values, vectors = values[::-1], vectors[:, ::-1]
    most = min(_MOST, len(kept) - 1)
    # The number of clusters is where the eigenvalues drop most.
    count = 1 + int(np.argmax(values[:most] - values[1 : most + 1]))
    labels = np.zeros(len(kept), dtype=int)
    if count > 1:
        rows = vectors[:, :count] / np.linalg.norm(
            vectors[:, :count], axis=1, keepdims=True
        )
        generator = np.random.default_rng(0)
        labels = scipy.cluster.vq.kmeans2(rows, count, minit="++", rng=generator)[1]
    found = []
    for label in range(count):
        own = _core(weights, kept[labels == label])
        if own.size:
            within = weights[np.ix_(own, own)].sum(axis=1)
            found.append(tuple(own[np.argsort(-within, kind="stable")].tolist()))
    return found


def _core(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The largest part of these rows in which each has `_EDGES` edges."""
    while rows.size:
        enough = np.count_nonzero(weights[np.ix_(rows, rows)], axis=1) >= _EDGES
        if enough.all():
            break
        rows = rows[enough]
    return rows
