"""Names of points in a scatter plot, placed so that they do not overlap."""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .._names import text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = 7.0  # of the text, in points
RINGS = (6.0, 10.0, 15.0, 21.0, 28.0, 36.0, 46.0, 58.0, 72.0)  # distances, in points
MARK = 4.0  # half the side of a mark, in points

Box = tuple[float, float, float, float]  # left, bottom, right, top


def draw_point_names(
    ax: "Axes",
    points: np.ndarray,
    names: Sequence[str],
    paths: Sequence[np.ndarray] = (),
) -> None:
    """Write each name next to its point, at the nearest free place.

    Names do not overlap each other or points, and avoid `paths` if there is room. A
    name that is not next to its point is connected to it by a thin line. Points with
    an empty name have no text.
    """
    from matplotlib.patheffects import withStroke

    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # settles the layout and the limits of the axes
    scale = 72 / figure.dpi
    places = ax.transData.transform(points) * scale
    frame = ax.get_window_extent()
    inside: Box = tuple(scale * v for v in frame.extents)  # type: ignore[assignment]
    taken: list[Box] = [(x - MARK, y - MARK, x + MARK, y + MARK) for x, y in places]
    lines = [
        box for path in paths for box in _along(ax.transData.transform(path) * scale)
    ]
    for point, place, name in zip(points, places, names, strict=True):
        if not name:
            continue
        width, height = 1.1 * text_width(name, SIZE) + 3.0, 1.3 * SIZE
        candidates = [
            (dx, dy, (x, y, x + width, y + height))
            for dx, dy in _steps()
            for x, y in [_corner(place, dx, dy, width, height)]
        ]
        free = [c for c in candidates if not any(_overlap(c[2], b) for b in taken)]
        within = [c for c in free if _contains(inside, c[2])]
        clear = [c for c in within if not any(_overlap(c[2], b) for b in lines)]
        dx, dy, box = (clear or within or free or candidates)[0]
        taken.append(box)
        middle = (box[0] + box[2]) / 2 - place[0], (box[1] + box[3]) / 2 - place[1]
        line = {
            "arrowstyle": "-",
            "color": "0.6",
            "lw": 0.5,
            "shrinkA": 0,
            "shrinkB": 2,
        }
        ax.annotate(
            name,
            point,
            middle,
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=SIZE,
            path_effects=[withStroke(linewidth=2.0, foreground="white")],
            arrowprops=line if math.hypot(dx, dy) > RINGS[1] else None,
        )


def _along(path: np.ndarray) -> Iterator[Box]:
    """Small boxes along a line through these places."""
    for start, stop in itertools.pairwise(path):
        count = int(np.linalg.norm(stop - start) / MARK) + 1
        for x, y in start + np.linspace(0, 1, count)[:, None] * (stop - start):
            yield x - 1, y - 1, x + 1, y + 1


def _steps() -> Iterator[tuple[float, float]]:
    """Steps from a point to a name: right first, then in circles of growing size."""
    for ring in RINGS:
        for turn in (0, 4, 2, 6, 1, 7, 3, 5):
            angle = turn * math.pi / 4
            yield ring * math.cos(angle), ring * math.sin(angle)


def _corner(
    place: np.ndarray, dx: float, dy: float, width: float, height: float
) -> tuple[float, float]:
    """The lower left corner of a name whose nearest side is at this step."""
    x, y = place[0] + dx, place[1] + dy
    left = 0.0 if dx > 1e-9 else -width if dx < -1e-9 else -width / 2
    down = 0.0 if dy > 1e-9 else -height if dy < -1e-9 else -height / 2
    return x + left, y + down


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _contains(outer: Box, inner: Box) -> bool:
    return (
        outer[0] <= inner[0]
        and outer[1] <= inner[1]
        and inner[2] <= outer[2]
        and inner[3] <= outer[3]
    )
