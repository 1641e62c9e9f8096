"""Facts about the real data sets, if the cache holds them (`make data-tests`)."""

import numpy as np
import pytest

from similitude.networks.data import (
    Dataset,
    encoder_path,
    find_dataset,
    find_encoder,
    load_dataset,
    verify_dataset,
)

pytestmark = pytest.mark.data


def load(name: str, **options) -> Dataset:
    entry = find_dataset(name)
    if not entry.present:
        pytest.skip(f"not in the cache: run `similitude data fetch {name}`")
    return load_dataset(name, **options)


def test_cifar10_is_complete() -> None:
    train, test = load("cifar10"), load("cifar10", split="test")
    assert (train.inputs.shape, test.inputs.shape) == (
        (50_000, 32, 32, 3),
        (10_000, 32, 32, 3),
    )
    assert train.counts.tolist() == [5000] * 10
    assert test.counts.tolist() == [1000] * 10
    means = np.mean([part.mean((0, 1, 2)) for part in np.split(train.inputs, 10)], 0)
    np.testing.assert_allclose(means / 255, [0.4914, 0.4822, 0.4465], atol=5e-5)
    assert train.labels[:5].tolist() == [6, 9, 9, 4, 1]
    assert test.labels[:5].tolist() == [3, 8, 8, 0, 6]


def test_mnist_is_complete() -> None:
    train, test = load("mnist"), load("mnist", split="test")
    assert (train.inputs.shape, test.inputs.shape) == (
        (60_000, 28, 28),
        (10_000, 28, 28),
    )
    assert train.counts.tolist() == [
        *(5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949),
    ]
    assert test.counts[[0, 1]].tolist() == [980, 1135]
    np.testing.assert_allclose(train.inputs.mean() / 255, 0.1307, atol=5e-5)


def test_fashion_mnist_is_complete() -> None:
    train, test = load("fashion_mnist"), load("fashion_mnist", split="test")
    assert train.counts.tolist() == [6000] * 10
    assert test.counts.tolist() == [1000] * 10
    np.testing.assert_allclose(train.inputs.mean() / 255, 0.2860, atol=5e-5)


def test_dsprites_has_all_combinations() -> None:
    found = load("dsprites")
    assert found.inputs.shape == (737_280, 64, 64)
    assert found.counts.tolist() == [245_760] * 3
    assert found.inputs[::10_000].max() == 1


def test_debian_descriptions_are_parallel() -> None:
    """The numbers differ slightly between releases of Debian."""
    found = load("debian_descriptions")
    assert 15_000 < len(found) < 25_000
    assert 50 <= len(found.class_names) <= 65
    assert len(set(found.ids.tolist())) == len(found)
    english, french = found.inputs.T
    assert np.mean(english == french) < 0.01
    with_german = load("debian_descriptions", languages=("en", "fr", "de", "it"))
    assert set(with_german.ids) < set(found.ids)


@pytest.mark.parametrize(
    "name", ["cifar10", "mnist", "fashion_mnist", "dsprites", "debian_descriptions"]
)
def test_all_checksums_match(name: str) -> None:
    if not find_dataset(name).present:
        pytest.skip(f"not in the cache: run `similitude data fetch {name}`")
    assert verify_dataset(name) == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [("mobilenet_v2", ".pt"), ("thin_resnet50", ".onnx"), ("minilm", "")],
)
def test_encoders_are_complete(name: str, kind: str) -> None:
    encoder = find_encoder(name)
    if not encoder.present:
        pytest.skip(f"not in the cache: run `similitude data fetch {name}`")
    path = encoder_path(name)  # verified
    assert path.suffix == kind
    files = [path] if kind else [path / file for file in encoder.pins]
    assert sum(file.stat().st_size for file in files) == encoder.bytes
