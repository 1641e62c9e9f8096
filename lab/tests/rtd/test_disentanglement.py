"""Slices of the space of factors, and the images of their points."""

from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude_lab.rtd.disentanglement._disentanglement import divergence
from similitude_lab.rtd.disentanglement._slices import (
    SIZES,
    directions,
    slice_points,
    sprites,
)


def test_both_slices_are_planes_inside_of_the_cube() -> None:
    rng = np.random.default_rng(0)
    for direction in directions(2, rng).values():
        np.testing.assert_allclose(np.linalg.norm(direction), 1.0)
        points = slice_points(direction, 0.6, 50, rng)
        assert points.shape == (50, 5)
        middle = 0.5 * direction.sum()
        np.testing.assert_allclose(points @ direction, middle - 0.3, atol=1e-9)
        for place in (points, points + 0.6 * direction):
            assert place.min() > -1e-8
            assert place.max() < 1 + 1e-8


@pytest.mark.parametrize("axis", [3, 4])
def test_a_shift_moves_images_by_a_fraction_and_changes_their_distances(axis) -> None:
    """Images that move by whole pixels keep all distances: RTD would be exactly 0."""
    way = np.eye(5)[axis]
    with sprites(None) as data:
        points = slice_points(way, 0.6, 40, np.random.default_rng(1))
        before, after = data.images(points), data.images(points + 0.6 * way)
        assert divergence(data, way, 0.6, 40, np.random.default_rng(1))["rtd"] > 0
    steps = round(0.8 * (SIZES[axis] - 1)) - round(0.2 * (SIZES[axis] - 1))
    pixels = np.arange(64)
    sums = [one.sum(axis=1 if axis == 3 else 2) for one in (before, after)]
    places = [(one @ pixels) / one.sum(axis=1) for one in sums]
    np.testing.assert_allclose(places[1] - places[0], steps * 32 / 31, atol=0.35)
    assert before.shape == (40, 64, 64)
    assert set(np.unique(before)) == {0, 1}


def test_each_shape_has_its_area() -> None:
    """At full scale: a square of side 20, an ellipse of half axes 14 and 7."""
    points = np.array([[shape, 1, 0, 0.5, 0.5] for shape in (0, 0.5, 1)])
    with sprites(None) as data:
        square, ellipse, heart = data.images(points).sum(axis=(1, 2))
    assert square == pytest.approx(400, rel=0.1)
    assert ellipse == pytest.approx(np.pi * 14 * 7, rel=0.05)
    assert 300 < heart < 600


def test_a_file_without_all_images_is_refused(tmp_path: Path) -> None:
    np.savez_compressed(
        tmp_path / "dsprites_part.npz",
        imgs=np.zeros((6, 64, 64), np.uint8),
        latents_classes=np.zeros((6, 6), np.int64),
    )
    with (
        pytest.raises(sim.InvalidInput, match="needs all 737280"),
        sprites(tmp_path / "dsprites_part.npz"),
    ):
        pass
