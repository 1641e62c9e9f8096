"""Maps of the representations in the plane, and trees of average linkage."""

from dataclasses import replace
from typing import Any

import numpy as np
import scipy

from ...engine import Results
from ...errors import InvalidInput
from ...plots import map_distances, metric_mds

FEWEST = 3  # representations on a map
MOST = 400


def maps_of(results: Results) -> list[dict[str, Any]]:
    """One map per measure, or the reason why there is none."""
    return [_map(_only(results, label), label) for label in results.measures]


def _only(results: Results, label: str) -> Results:
    """The rows of one measure, without representations that have no score."""
    rows = tuple(row for row in results.rows if row.label == label)
    return replace(results, rows=tuple(row for row in rows if row.score is not None))


def _map(results: Results, label: str) -> dict[str, Any]:
    count = len(results.names)
    if not FEWEST <= count <= MOST:
        wanted = "3 or more" if count < FEWEST else f"at most {MOST}"
        return {"reason": f"A map needs {wanted} representations with scores."}
    try:
        distances, name = map_distances(results, label)
    except InvalidInput as error:
        return {"reason": str(error)}
    known = np.isfinite(distances)
    missing = (count**2 - count - int(known.sum())) // 2
    if 2 * missing > count * (count - 1) / 2:
        return {"reason": "Most pairs have no score, so a map is not determined."}
    if np.isinf(distances).any() or not distances[known].any():
        return {"reason": "All distances are equal to 0, or some are infinite."}
    restarts = 8 if count <= 40 else 1  # the work of one start grows with the square
    points, stress = metric_mds(distances, restarts=restarts)
    scale = float(np.abs(points).max()) or 1.0
    return {
        "names": results.names,
        "x": _rounded(points[:, 0] / scale),
        "y": _rounded(points[:, 1] / scale),
        "stress": round(stress, 4),
        "distance": name,
        "missing": missing,
        "tree": _tree(distances),
    }


def _tree(distances: np.ndarray) -> dict[str, Any]:
    """The merges of average linkage: both children and the height, from the lowest.

    A child below the number of leaves is a leaf; others are earlier merges.
    """
    filled = np.where(np.isfinite(distances), distances, np.nanmax(distances))
    np.fill_diagonal(filled, 0.0)
    pairs = filled[np.triu_indices(len(filled), 1)]
    hierarchy = scipy.cluster.hierarchy
    merges = hierarchy.linkage(pairs, "average", optimal_ordering=True)
    return {
        "order": hierarchy.leaves_list(merges).tolist(),
        # Six significant digits: enough to draw, and equal on all computers.
        "merges": [
            [int(a), int(b), float(f"{h:.6g}")] for a, b, h, _ in merges.tolist()
        ],
    }


def _rounded(values: np.ndarray) -> list[float]:
    return [round(float(value), 4) + 0.0 for value in values]
