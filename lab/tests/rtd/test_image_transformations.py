"""The eight image transformations against independent definitions."""

import colorsys

import numpy as np
import pytest
from PIL import Image, ImageEnhance
from scipy import ndimage

from similitude_lab.rtd.shift._image_transformations import SHIFTS

pytest.importorskip("torch")
pytest.importorskip("matplotlib")

#: Smooth colored images, as photographs are; values over nearly all of [0, 1].
DRAWN = np.random.default_rng(0).random((6, 32, 32, 3))
SMOOTH = ndimage.gaussian_filter(DRAWN, (0, 2, 2, 0), mode="wrap")
SMOOTH = ((SMOOTH - SMOOTH.min()) / np.ptp(SMOOTH)).astype(np.float32)
BYTES = np.rint(255 * SMOOTH).astype(np.uint8)
IMAGES = (BYTES.astype(np.float32) / 255).transpose(0, 3, 1, 2)


def applied(name: str, level: float, images: np.ndarray = IMAGES) -> np.ndarray:
    return SHIFTS[name].apply(images, level, np.random.default_rng(1))


def distance(name: str, level: float) -> float:
    return float(np.sqrt(((applied(name, level) - IMAGES) ** 2).mean()))


@pytest.mark.parametrize("name", SHIFTS)
def test_the_identity_level_returns_the_original_images(name: str) -> None:
    changed = applied(name, SHIFTS[name].identity)
    np.testing.assert_array_equal(changed, IMAGES)


@pytest.mark.parametrize("name", SHIFTS)
def test_every_level_gives_float32_images_in_the_unit_interval(name: str) -> None:
    before = IMAGES.copy()
    for level in SHIFTS[name].levels(5):
        changed = applied(name, level)
        assert changed.shape == IMAGES.shape
        assert changed.dtype == np.float32
        assert changed.min() >= 0
        assert changed.max() <= 1 + 1e-6
    np.testing.assert_array_equal(IMAGES, before)  # not changed in place


@pytest.mark.parametrize("name", SHIFTS)
def test_images_move_away_from_the_original_with_the_level(name: str) -> None:
    levels = SHIFTS[name].levels(9)
    away = np.abs(levels - SHIFTS[name].identity)
    if name == "rotation":  # a turn of an image far beyond 45 degrees is not farther
        away = away[away <= 45]
    order = np.argsort(away, kind="stable")
    distances = np.array([distance(name, levels[i]) for i in order])
    larger = np.diff(away[order]) > 1e-9  # hue has two levels at each distance
    assert (np.diff(distances)[larger] > 0).all()
    assert distances[0] == 0


@pytest.mark.parametrize("name", SHIFTS)
def test_one_generator_state_gives_one_result(name: str) -> None:
    level = SHIFTS[name].last
    np.testing.assert_array_equal(applied(name, level), applied(name, level))


def test_the_levels_of_the_paper() -> None:
    counts = {name: len(shift.levels(None)) for name, shift in SHIFTS.items()}
    assert counts.pop("zoom") == 29
    assert set(counts.values()) == {61}
    sizes = 32 * SHIFTS["zoom"].levels(None)
    np.testing.assert_allclose(sizes, np.arange(32, 3, -1))
    np.testing.assert_allclose(np.diff(SHIFTS["blur"].levels(None)), 0.05)
    assert SHIFTS["hue"].levels(None)[30] == 0
    assert SHIFTS["rotation"].levels(None)[-1] == 180
    for name, shift in SHIFTS.items():
        levels = shift.levels(13)
        assert shift.identity in levels, name


def test_noise_has_the_standard_deviation_and_is_clipped() -> None:
    gray = np.full((40, 3, 32, 32), 0.5, np.float32)
    changed = SHIFTS["noise"].apply(gray, 0.1, np.random.default_rng(2))
    np.testing.assert_allclose(changed.std(), 0.1, rtol=0.01)
    np.testing.assert_allclose(changed.mean(), 0.5, atol=1e-3)
    clipped = SHIFTS["noise"].apply(gray, 10.0, np.random.default_rng(2))
    assert {clipped.min(), clipped.max()} == {0.0, 1.0}
    other = SHIFTS["noise"].apply(gray, 0.1, np.random.default_rng(3))
    assert (changed != other).mean() > 0.99


def test_blur_is_the_convolution_with_a_gaussian() -> None:
    point = np.zeros((1, 3, 33, 33), np.float32)
    point[:, 1, 16, 16] = 1.0
    changed = SHIFTS["blur"].apply(point, 1.5, np.random.default_rng(0))[0]
    away = np.arange(33) - 16
    gauss = np.exp(-(away**2) / (2 * 1.5**2))
    expected = np.outer(gauss, gauss) / gauss.sum() ** 2
    np.testing.assert_allclose(changed[1], expected, atol=1e-5)
    np.testing.assert_array_equal(changed[[0, 2]], 0)  # channels do not mix


@pytest.mark.parametrize(
    ("name", "enhance"),
    [
        ("grayscale", ImageEnhance.Color),
        ("brightness", ImageEnhance.Brightness),
        ("contrast", ImageEnhance.Contrast),
    ],
)
@pytest.mark.parametrize("strength", [0.0, 0.3, 0.75])
def test_mixtures_agree_with_pillow(name: str, enhance: type, strength: float) -> None:
    changed = 255 * applied(name, strength)
    for ours, image in zip(changed, BYTES, strict=True):
        theirs = np.asarray(enhance(Image.fromarray(image)).enhance(strength))
        # Pillow rounds the gray values and the result to whole numbers.
        np.testing.assert_allclose(ours, theirs.transpose(2, 0, 1), atol=1.6)


@pytest.mark.parametrize("turn", [-0.5, -0.2, 0.1, 0.35])
def test_hue_agrees_with_colorsys(turn: float) -> None:
    pixels = IMAGES[:2, :, ::4, ::4]
    expected = []
    for red, green, blue in pixels.transpose(0, 2, 3, 1).reshape(-1, 3).tolist():
        h, s, v = colorsys.rgb_to_hsv(red, green, blue)
        expected.append(colorsys.hsv_to_rgb((h + turn) % 1, s, v))
    changed = applied("hue", turn, pixels).transpose(0, 2, 3, 1).reshape(-1, 3)
    np.testing.assert_allclose(changed, expected, atol=1e-5)


def test_half_a_turn_of_hue_is_the_same_in_both_directions() -> None:
    np.testing.assert_allclose(applied("hue", 0.5), applied("hue", -0.5), atol=1e-6)


@pytest.mark.parametrize("size", [4, 13, 24])
def test_zoom_agrees_with_pillow(size: int) -> None:
    changed = applied("zoom", size / 32)
    for ours, image in zip(changed, IMAGES, strict=True):
        for channel, before in zip(ours, image, strict=True):
            small = Image.fromarray(before).resize(
                (size, size), Image.Resampling.BILINEAR
            )
            theirs = small.resize((32, 32), Image.Resampling.BILINEAR)
            np.testing.assert_allclose(channel, theirs, atol=1e-5)


def test_quarter_turns_move_the_pixels() -> None:
    for quarters in (1, 2):
        changed = applied("rotation", 90.0 * quarters)
        expected = np.rot90(IMAGES, quarters, axes=(2, 3))
        np.testing.assert_allclose(changed, expected, atol=1e-5)


def test_rotation_agrees_with_pillow_inside_and_has_black_corners() -> None:
    changed = applied("rotation", 30.0)
    row, column = np.indices((32, 32)) - 15.5
    inside = row**2 + column**2 < 15**2
    for ours, image in zip(changed, IMAGES, strict=True):
        theirs = Image.fromarray(image[0]).rotate(30, Image.Resampling.BILINEAR)
        np.testing.assert_allclose(
            ours[0][inside], np.asarray(theirs)[inside], atol=0.01
        )
    np.testing.assert_array_equal(changed[:, :, 0, 0], 0)
