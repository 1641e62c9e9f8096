"""Images of dSprites on two parallel slices of the space of factors."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import similitude as sim

from ._drawn import DrawnSprites

NAMES = ("shape", "scale", "orientation", "x", "y")
SIZES = (3, 6, 40, 32, 32)


@contextmanager
def sprites(source: Path | None) -> Iterator["Sprites | DrawnSprites"]:
    """The official file at `source`; without it, similar images are drawn."""
    if source is None:
        yield DrawnSprites()
        return
    with tempfile.TemporaryDirectory() as folder:
        with sim.config(cache_dir=Path(folder)):
            sim.networks.data.fetch_dataset("dsprites", source=source)
            found = sim.networks.data.load_dataset("dsprites")
        yield Sprites(found)


class Sprites:
    """Images by their factors, each factor scaled to [0, 1]."""

    def __init__(self, dataset: sim.networks.data.Dataset) -> None:
        self.name = dataset.name
        self.inputs = dataset.inputs
        classes = tuple(dataset.factors[name] for name in NAMES)
        self.rows = np.full(np.prod(SIZES), -1)
        self.rows[np.ravel_multi_index(classes, SIZES)] = np.arange(len(dataset))
        if (self.rows < 0).any():
            raise sim.InvalidInput(
                f"{dataset.name} has {len(dataset)} images, but this study needs all "
                f"{len(self.rows)} combinations of factors; give the complete file."
            )

    def images(self, points: np.ndarray) -> np.ndarray:
        """The image nearest to each point, n x 64 x 64 zeros and ones."""
        classes = np.rint(points * (np.array(SIZES) - 1)).astype(int)
        return self.inputs[self.rows[np.ravel_multi_index(classes.T, SIZES)]]


def directions(count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The five axes, and random unit vectors."""
    found = {f"axis_{i + 1}": row for i, row in enumerate(np.eye(len(SIZES)))}
    for i in range(count):
        vector = rng.normal(size=len(SIZES))
        found[f"random_{i + 1}"] = vector / np.linalg.norm(vector)
    return found


def slice_points(
    direction: np.ndarray, shift: float, count: int, rng: np.random.Generator
) -> np.ndarray:
    """Points of the unit cube on a plane orthogonal to `direction`.

    The plane and its shifted copy are at the distance shift / 2 from the center of the
    cube. Uniform points are projected onto the plane. A point is kept if it and its
    shifted copy are in the cube.
    """
    center = np.full(len(direction), 0.5) - shift / 2 * direction
    kept: list[np.ndarray] = []
    while sum(map(len, kept)) < count:
        points = rng.random((4 * count, len(direction)))
        points += np.outer((center - points) @ direction, direction)
        moved = points + shift * direction
        both = np.hstack([points, moved])
        inside = (both >= -1e-9) & (both <= 1 + 1e-9)
        kept.append(points[inside.all(axis=1)])
    return np.concatenate(kept)[:count]


def strip(sprites: Sprites | DrawnSprites, direction: np.ndarray) -> np.ndarray:
    """Ten images along a line through the center of the cube, at most of length 1."""
    half = min(0.5, 0.5 / np.abs(direction).max())
    places = np.linspace(-half, half, 10)
    return sprites.images(0.5 + np.outer(places, direction))
