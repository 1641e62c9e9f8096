"""Curves of shifted images, and the levels that have no score."""

import numpy as np
import pytest

from similitude_lab.networks import ResNet20
from similitude_lab.rtd.curves._correlations import defined
from similitude_lab.rtd.shift._image_transformations import SHIFTS
from similitude_lab.rtd.shift._shifted import shift_curves
from similitude_lab.study._published import published
from similitude_lab.training.images import load_images, normalize_images

torch = pytest.importorskip("torch")
pytest.importorskip("matplotlib")


DIGITS = load_images("digits", images=60, normalize=False)


def curves_of(name: str) -> dict[str, np.ndarray]:
    network = ResNet20(10, multiplier=0.125, seed=1).eval()
    return shift_curves(
        SHIFTS[name], network, DIGITS, dataset="digits", levels=3, batch=30, seed=0
    )


def test_the_original_images_are_at_distance_0_and_have_the_clean_error() -> None:
    found = curves_of("blur")
    assert found["rtd"].shape == (3, 2)  # levels x batches
    for name in ("rtd", "cka", "disagreement"):
        np.testing.assert_allclose(found[name][0], 0, atol=1e-6)
    for name in ("rtd", "cka"):
        assert (found[name][1:] > 0).all()
    network = ResNet20(10, multiplier=0.125, seed=1).eval()
    with torch.no_grad():
        inputs = torch.from_numpy(normalize_images(DIGITS.inputs, "digits"))
        wrong = network(inputs).argmax(1).numpy() != DIGITS.labels
    np.testing.assert_allclose(found["error"][0], wrong.reshape(2, 30).mean(axis=1))


def test_all_networks_see_the_same_noise() -> None:
    first, second = curves_of("noise"), curves_of("noise")
    np.testing.assert_array_equal(first["rtd"], second["rtd"])
    assert (first["rtd"][2] > 0).all()


def test_black_images_have_no_cka_and_are_no_point_of_a_correlation() -> None:
    part = curves_of("brightness")
    assert np.isnan(part["cka"][-1]).all()
    assert np.isfinite(part["rtd"]).all()
    np.testing.assert_array_equal(defined(part), [True, True, False])


#: Shift -> RTD and 1 - CKA with disagreement, RTD and 1 - CKA with the error rate.
PUBLISHED = {
    "noise": (0.968, 0.928, 0.984, 0.967),
    "blur": (0.982, 0.915, 0.974, 0.999),
    "grayscale": (0.998, 0.937, 0.875, 0.978),
    "hue": (0.982, 0.916, 0.975, 0.987),
    "zoom": (0.956, 0.891, 0.945, 0.995),
    "brightness": (0.978, 0.857, 0.922, 0.998),
    "contrast": (0.939, 0.853, 0.938, 0.998),
    "rotation": (0.962, 0.861, 0.945, 0.984),
}


def test_the_printed_numbers_are_those_of_the_tables() -> None:
    numbers = published("rtd", "tables 6 and 7")
    columns = ("rtd_disagreement", "cka_disagreement", "rtd_error", "cka_error")
    for name, row in PUBLISHED.items():
        for column, value in zip(columns, row, strict=True):
            assert numbers.pop(f"{column}_{name}") == value
        assert row[0] > row[1]  # RTD is better in all eight
    assert numbers == {}
    assert sum(row[3] > row[2] for row in PUBLISHED.values()) == 7
    assert list(PUBLISHED) == list(SHIFTS)
