"""The generated dSprites-like images: order, positions, laziness."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude.networks.data import Dataset, fetch_dataset, load_dataset


@pytest.fixture(scope="module")
def sprites(tmp_path_factory) -> Dataset:
    with sim.config(cache_dir=tmp_path_factory.mktemp("cache")):
        fetch_dataset("dsprites")
        return load_dataset("dsprites")


def index(shape: int, scale: int, orientation: int, x: int, y: int) -> int:
    return (((shape * 6 + scale) * 40 + orientation) * 32 + x) * 32 + y


def test_all_combinations_are_there_in_the_official_order(sprites: Dataset) -> None:
    assert sprites.name == "dSprites-like"
    assert sprites.inputs.shape == (737_280, 64, 64)
    assert sprites.counts.tolist() == [245_760] * 3
    row = index(2, 5, 7, 31, 4)
    assert [int(found[row]) for found in sprites.factors.values()] == [2, 5, 7, 31, 4]
    assert len(set(sprites.ids[::10_000])) == 74


def test_positions_move_the_shape_by_whole_pixels_without_clipping(
    sprites: Dataset,
) -> None:
    for shape in range(3):
        first = sprites.inputs[index(shape, 5, 11, 0, 0)]
        last = sprites.inputs[index(shape, 5, 11, 31, 31)]
        assert first.sum() == last.sum() > 250
        right = sprites.inputs[index(shape, 5, 11, 3, 0)]
        np.testing.assert_array_equal(right, np.roll(first, 3, axis=1))
        down = sprites.inputs[index(shape, 5, 11, 0, 5)]
        np.testing.assert_array_equal(down, np.roll(first, 5, axis=0))
        for image in (first, last):
            border = (image[0], image[-1], image[:, 0], image[:, -1])
            assert not np.any(border)


def test_scale_orientation_and_shape_change_the_image(sprites: Dataset) -> None:
    areas = [int(sprites.inputs[index(0, scale, 0, 9, 9)].sum()) for scale in range(6)]
    assert areas == sorted(set(areas))
    assert areas[-1] == 21**2
    kinds = [
        sprites.inputs[index(shape, 5, orientation, 9, 9)].tobytes()
        for shape in range(3)
        for orientation in (0, 5)
    ]
    assert len(set(kinds)) == 6
    heart = sprites.inputs[index(2, 5, 0, 16, 16)]
    np.testing.assert_array_equal(heart[:, 1:], heart[:, :0:-1])  # symmetric
    assert heart[:32].sum() > heart[32:].sum()  # it stands on its tip


def test_images_are_computed_on_demand(sprites: Dataset) -> None:
    tracemalloc.start()
    rows = np.arange(0, 737_280, 1_000)
    batch = sprites.inputs[rows]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (batch.shape, batch.dtype) == ((738, 64, 64), np.uint8)
    assert peak < 30e6  # all images have 3 GB
    np.testing.assert_array_equal(batch[5], sprites.inputs[5_000])
    np.testing.assert_array_equal(sprites.inputs[-1], sprites.inputs[737_279])
    np.testing.assert_array_equal(sprites.inputs[4_998:5_002:2][1], batch[5])
    with pytest.raises(IndexError):
        sprites.inputs[737_280]


def test_generated_images_are_the_same_every_time(
    sprites: Dataset, tmp_path: Path
) -> None:
    with sim.config(cache_dir=tmp_path):
        fetch_dataset("dsprites")
        assert load_dataset("dsprites").fingerprint == sprites.fingerprint
