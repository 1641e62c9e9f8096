"""Images for training and comparison: size, classes, splits, order, augmentation."""

import numpy as np
import pytest

from similitude.errors import InvalidInput
from similitude.networks.data import load_dataset
from similitude_lab.training.images import load_images, normalize_images
from similitude_lab.training.images._batches import Batches
from similitude_lab.training.images._images import _framed

from .small_requests import request


def test_train_and_test_images_are_disjoint_and_complete() -> None:
    train, test = (load_images("digits", split=split) for split in ("train", "test"))
    assert set(train.ids).isdisjoint(test.ids)
    assert len(train) + len(test) == 1797
    assert np.unique(test.labels).size == 10


def test_small_gray_images_are_enlarged_and_get_three_channels() -> None:
    found = load_images("digits", split="train", images=1, normalize=False)
    original = load_dataset("digits").inputs[0] / 16
    for channel in found.inputs[0]:
        np.testing.assert_allclose(channel[::4, 3::4], original, atol=0.003)


def test_images_of_28_pixels_get_a_black_border() -> None:
    framed = _framed(np.full((1, 28, 28), 7, dtype=np.uint8))
    assert framed.shape == (1, 32, 32, 3)
    assert (framed[:, 2:30, 2:30] == 7).all()
    assert framed.sum() == 7 * 28 * 28 * 3


def test_classes_are_numbered_in_the_given_order() -> None:
    every = load_images("digits")
    found = load_images("digits", classes=(8, 3))
    at = {name: label for name, label in zip(every.ids, every.labels, strict=True)}
    assert [at[name] for name in found.ids] == [(8, 3)[c] for c in found.labels]


@pytest.mark.parametrize("classes", [(), (3, 3), (10,)])
def test_wrong_classes_are_an_error(classes) -> None:
    with pytest.raises(InvalidInput, match="distinct classes from 0 to 9"):
        load_images("digits", classes=classes)


def test_the_training_images_of_digits_are_normalized() -> None:
    inputs = load_images("digits", split="train").inputs
    np.testing.assert_allclose(inputs.mean(), 0, atol=0.02)
    np.testing.assert_allclose(inputs.std(), 1, atol=0.02)


def test_each_epoch_has_all_images_in_an_order_that_the_seed_determines() -> None:
    plain = request(crop=0, flip=False)
    inputs = load_images("digits", split="train", images=96).inputs

    def epoch(number: int, seed: int) -> np.ndarray:
        batches = list(Batches(request(crop=0, flip=False, seed=seed)).epoch(number))
        return np.concatenate([x.numpy() for x, _ in batches])

    first = epoch(1, plain.seed)
    np.testing.assert_array_equal(first, epoch(1, plain.seed))
    assert (first != epoch(2, plain.seed)).any()
    assert (first != epoch(1, 1)).any()
    ours, theirs = (np.sort(x.reshape(96, -1).sum(axis=1)) for x in (first, inputs))
    np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-2)


def test_augmentation_moves_and_mirrors_images() -> None:
    """Each augmented image is one of the 2 x 25 shifted images of the data set."""
    data = Batches(request(crop=2, flip=True, images=8, batch=8))
    pixels = load_images("digits", split="train", images=8, normalize=False).inputs
    padded = np.pad(pixels, [(0, 0), (0, 0), (2, 2), (2, 2)])
    windows = np.stack(
        [
            padded[:, :, y : y + 32, x : x + 32][..., ::step]
            for y in range(5)
            for x in range(5)
            for step in (1, -1)
        ],
        axis=1,
    )
    ((inputs, _),) = data.epoch(1)
    expected = normalize_images(windows.reshape(-1, 3, 32, 32), "digits")
    expected = expected.reshape(400, -1)
    distance = [
        np.abs(expected - image.ravel()).max(axis=1) for image in inputs.numpy()
    ]
    assert max(each.min() for each in distance) < 1e-4
    assert len({int(each.argmin()) % 50 for each in distance}) > 3
