"""Slices of the space of factors, and the images of their points."""

from pathlib import Path

import numpy as np
import pytest

import similitude as sim
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


def test_a_shift_of_the_position_moves_the_images() -> None:
    with sprites(None) as data:
        points = slice_points(np.eye(5)[3], 0.6, 20, np.random.default_rng(1))
        before = data.images(points)
        after = data.images(points + 0.6 * np.eye(5)[3])
    steps = round(0.8 * (SIZES[3] - 1)) - round(0.2 * (SIZES[3] - 1))
    np.testing.assert_array_equal(np.roll(before, steps, axis=2), after)
    assert (before != after).any()


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
