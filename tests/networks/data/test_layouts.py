"""Published layouts are read exactly, and damaged or malicious files are refused."""

import gzip
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from shared.published_files import (
    CIFAR,
    CIFAR_LABELS,
    write_cifar10_pickles,
    write_cifar100_pickles,
    write_debian_lists,
    write_dsprites,
    write_idx,
    write_mnist,
    write_pickle,
    write_png_strips,
)
from similitude.networks.data import Dataset, fetch_dataset, load_dataset


@pytest.fixture(autouse=True)
def cache(tmp_path: Path):
    with sim.config(cache_dir=tmp_path / "cache"):
        yield tmp_path / "cache" / "data"


def load_local(name: str, source: Path, **options) -> Dataset:
    fetch_dataset(name, source=source, overwrite=True)
    return load_dataset(name, **options)


def refused(name: str, source: Path, cache: Path, match: str) -> None:
    """Assert a one-sentence error, and that nothing is left in the cache."""
    with pytest.raises(sim.InvalidInput, match=match) as caught:
        fetch_dataset(name, source=source)
    assert "\n" not in str(caught.value)
    assert [path.name for path in cache.iterdir()] == [f".{name}.lock"]


@pytest.mark.parametrize("write", [write_png_strips, write_cifar10_pickles])
def test_cifar10_png_strips_and_pickles_give_the_same_images(write, tmp_path) -> None:
    source = write(tmp_path / "source")
    train = load_local("cifar10", source, split="train")
    test = load_dataset("cifar10", split="test")
    np.testing.assert_array_equal(train.inputs, CIFAR[:5].reshape(20, 32, 32, 3))
    np.testing.assert_array_equal(test.inputs, CIFAR[5])
    np.testing.assert_array_equal(train.labels, CIFAR_LABELS[:5].ravel())
    assert (train.inputs.dtype, train.labels.dtype) == (np.uint8, np.int64)
    assert isinstance(train.inputs, np.memmap)
    assert train.fingerprint != test.fingerprint
    assert (train.ids[3], test.ids[3]) == ("train-00003", "test-00003")
    assert test.class_names[3] == "cat"
    assert train.origin == "local files"


def test_the_fingerprint_depends_on_the_content_and_not_on_the_source(tmp_path) -> None:
    # Only the fingerprints: Windows does not replace a data set while it is in use.
    png = load_local("cifar10", write_png_strips(tmp_path / "png")).fingerprint
    pickles = write_cifar10_pickles(tmp_path / "pickled")
    assert load_local("cifar10", pickles).fingerprint == png
    path = tmp_path / "pickled" / "cifar-10-batches-py" / "data_batch_1"
    images = CIFAR[0].copy()
    images[0, 0, 0, 0] ^= 1
    write_pickle(path, images, {"labels": CIFAR_LABELS[0].tolist()})
    assert load_local("cifar10", tmp_path / "pickled").fingerprint != png


def test_cifar100_has_fine_and_coarse_labels(tmp_path) -> None:
    fine = load_local("cifar100", write_cifar100_pickles(tmp_path / "source"))
    coarse = load_dataset("cifar100", labels="coarse")
    np.testing.assert_array_equal(fine.inputs, CIFAR[0])
    assert fine.labels.tolist() == [0, 99, 5, 5]
    assert coarse.labels.tolist() == [0, 19, 1, 1]
    assert (fine.class_names[99], coarse.class_names[19]) == ("f99", "t")
    with pytest.raises(sim.InvalidInput, match="choose 'fine' or 'coarse'"):
        load_dataset("cifar100", labels="both")


@pytest.mark.parametrize("coarse", [[0, 1, 2], [0, 1, 2, 20], [0, 1, 2, -1]])
def test_wrong_coarse_labels_are_refused(coarse, tmp_path, cache) -> None:
    source = write_cifar100_pickles(tmp_path / "source")
    labels = {"fine_labels": [0, 1, 2, 3], "coarse_labels": coarse}
    write_pickle(source / "cifar-100-python" / "test", CIFAR[0], labels)
    refused("cifar100", source, cache, "test has wrong coarse_labels")


class Malicious:
    def __init__(self, called, *arguments) -> None:
        self.called, self.arguments = called, arguments

    def __reduce__(self):
        return self.called, self.arguments


@pytest.mark.parametrize("protocol", [0, 2, 4, 5])
@pytest.mark.parametrize("called", [os.system, eval, np.load, np.dtype, getattr])
def test_pickles_that_call_other_functions_are_refused_and_not_run(
    called, protocol: int, tmp_path, cache
) -> None:
    source = write_cifar10_pickles(tmp_path / "source")
    witness = tmp_path / "witness"
    payload = pickle.dumps({"data": Malicious(called, f"touch {witness}")}, protocol)
    (source / "cifar-10-batches-py" / "data_batch_3").write_bytes(payload)
    refused("cifar10", source, cache, "data_batch_3 is not a batch of CIFAR")
    assert not witness.exists()


def test_pickled_arrays_of_objects_are_refused(tmp_path, cache) -> None:
    source = write_cifar10_pickles(tmp_path / "source")
    objects = np.array([1, "a"], dtype=object)
    payload = pickle.dumps({"data": objects, "labels": [1]}, protocol=2)
    (source / "cifar-10-batches-py" / "test_batch").write_bytes(payload)
    refused("cifar10", source, cache, "test_batch is not a batch of CIFAR")


@pytest.mark.parametrize("kept", [0, 1, 1000, 12_000])
def test_truncated_pickles_are_refused(kept: int, tmp_path, cache) -> None:
    source = write_cifar10_pickles(tmp_path / "source")
    path = source / "cifar-10-batches-py" / "data_batch_2"
    path.write_bytes(path.read_bytes()[:kept])
    refused("cifar10", source, cache, "data_batch_2 is not a batch of CIFAR")


def test_damaged_png_strips_and_labels_are_named(tmp_path, cache) -> None:
    source = write_png_strips(tmp_path / "source")
    path = source / "data_batch_4.png"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    refused("cifar10", source, cache, "data_batch_4.png is not a complete PNG")
    path.unlink()
    refused("cifar10", source, cache, "data_batch_4.png is missing")
    path.write_bytes(whole)
    (source / "train_lables.json").write_text("[1, 2")
    refused("cifar10", source, cache, "train_lables.json is not a JSON file")
    (source / "train_lables.json").write_text("[1, 2]")
    refused("cifar10", source, cache, "4 images but 2 labels")
    (source / "train_lables.json").write_text(str([1] * 21))
    refused("cifar10", source, cache, "has 1 more train labels than images")
    (source / "train_lables.json").write_text(str([10] * 20))
    refused("cifar10", source, cache, "labels must be 0 to 9")
    refused("cifar10", tmp_path, cache, "give a folder cifar-10-batches-py")


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("name", ["mnist", "fashion_mnist"])
def test_idx_files_are_read_gzipped_or_not(name: str, suffix: str, tmp_path) -> None:
    train = load_local(name, write_mnist(tmp_path / "source", suffix))
    assert train.inputs.shape == (6, 28, 28)
    assert train.inputs[:, 5, 7].tolist() == train.labels.tolist() == [*range(6)]
    assert load_dataset(name, split="test").inputs.shape == (2, 28, 28)
    with pytest.raises(sim.InvalidInput, match="choose 'train' or 'test'"):
        load_dataset(name, split="valid")


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_damaged_idx_files_are_named(suffix: str, tmp_path, cache) -> None:
    source = write_mnist(tmp_path / "source", suffix)
    path = source / f"train-images-idx3-ubyte{suffix}"
    whole = path.read_bytes()
    plain = gzip.decompress(whole) if suffix else whole
    path.write_bytes(whole[:-20])
    refused("mnist", source, cache, "train-images-idx3-ubyte.* is (truncated|damaged)")
    write = gzip.compress if suffix else bytes
    path.write_bytes(write(plain + b"more"))
    refused("mnist", source, cache, "longer than its header says")
    path.write_bytes(write(plain[:4] + b"\xff" * 12))
    refused("mnist", source, cache, "which is wrong")
    path.write_bytes(write(b"\x00\x00\x0d\x03" + plain[4:]))
    refused("mnist", source, cache, "is not an IDX file")
    path.unlink()
    refused("mnist", source, cache, "is missing")


def test_idx_labels_must_belong_to_the_images(tmp_path, cache) -> None:
    source = write_mnist(tmp_path / "source")
    write_idx(source / "t10k-labels-idx1-ubyte", np.zeros(3, np.uint8))
    refused("mnist", source, cache, "2 images but 3 labels")


def test_the_official_dsprites_file_is_unpacked_lazily(tmp_path) -> None:
    images = write_dsprites(tmp_path / "dsprites_invented.npz")
    found = load_local("dsprites", tmp_path)
    assert found.name == "dsprites"
    assert found.inputs.shape == (5, 64, 64)
    np.testing.assert_array_equal(found.inputs[:], images)
    np.testing.assert_array_equal(found.inputs[3], images[3])
    np.testing.assert_array_equal(found.inputs[[4, 0]], images[[4, 0]])
    assert found.labels.tolist() == [0, 1, 2, 0, 1]
    assert found.factors["y"].tolist() == [0, 1, 2, 3, 4]


def test_damaged_dsprites_files_are_named(tmp_path, cache) -> None:
    path = tmp_path / "dsprites_invented.npz"
    write_dsprites(path)
    path.write_bytes(path.read_bytes()[:-100])
    refused("dsprites", path, cache, "is not a complete dSprites file")
    latents = np.zeros((2, 6), int)
    np.savez(path, imgs=np.full((2, 64, 64), 2, np.uint8), latents_classes=latents)
    refused("dsprites", path, cache, "must be zeros and ones")
    np.savez(path, imgs=np.zeros((3, 64, 64), np.uint8), latents_classes=latents)
    refused("dsprites", path, cache, "has 2 latents for another number of images")
    np.savez(path, imgs=np.zeros((2, 8, 8), np.uint8), latents_classes=latents)
    refused("dsprites", path, cache, "must be n x 64 x 64")


def test_debian_lists_are_joined_on_the_md5_of_the_description(tmp_path) -> None:
    found = load_local("debian_descriptions", write_debian_lists(tmp_path / "source"))
    assert found.ids.tolist() == ["11", "22"]
    assert found.inputs.tolist() == [
        ["a tool\nDoes things.\n\nTwice.", "un outil\nFait des choses."],
        ["a game", "un jeu"],
    ]
    assert [found.class_names[i] for i in found.labels] == ["utils", "games"]
    assert "Debian invented 1.2 Sat, 11 Jul 2026" in found.origin
    three = load_dataset("debian_descriptions", languages=("de", "en", "fr"))
    assert three.inputs.tolist() == [["ein Spiel", "a game", "un jeu"]]
    assert three.fingerprint != found.fingerprint
    with pytest.raises(sim.InvalidInput, match="has no text in"):
        load_dataset("debian_descriptions", languages=("en", "it"))
    with pytest.raises(sim.InvalidInput, match="give some of en, fr, de, it"):
        load_dataset("debian_descriptions", languages="fr")


def test_damaged_debian_lists_are_named(tmp_path, cache) -> None:
    source = write_debian_lists(tmp_path / "source")
    path = source / "mirror_main_i18n_Translation-fr"
    path.write_bytes(b"\xff\xfe")
    refused("debian_descriptions", source, cache, "Translation-fr is damaged")
    path.write_text("no field\n")
    refused("debian_descriptions", source, cache, "Translation-fr has a line that is")
    path.rename(f"{path}.gz")
    refused("debian_descriptions", source, cache, "Translation-fr.gz is damaged")
