"""Every file that the library writes for itself is verified when it is read."""

from pathlib import Path

import numpy as np
import pytest

from shared.damaged import assert_damage_is_noticed, writing_functions
from similitude.latent import align
from similitude.store import (
    read_sealed,
    read_sealed_json,
    write_sealed,
    write_sealed_json,
)

SRC = Path(__file__).parent.parent.parent / "src" / "similitude"

# Functions that write files, with the test that damages these files ...
VERIFIED = {
    "latent/align/_saved.py:write": "test_damaged_fits_are_refused, below",
    "networks/data/_cache/_building.py:array": "sha256 in the manifest of an entry",
    "networks/data/_cache/_building.py:text": "sha256 in the manifest of an entry",
    "networks/data/_encoders/_encoder.py:convert": "an entry of the same cache",
    "engine/_barcodes.py:write_barcodes": "tests/attack, flips of barcodes",
    "engine/_folder.py:append": "tests/attack, flips of parts",
    "engine/_folder.py:start": "tests/attack, flips of run.json",
    "latent/migration/_apply.py:apply_map": "tests/latent/migration, a damaged part",
    "store/_element.py:_write_shard": "tests/store/test_flipped_bytes.py",
    "store/_element.py:commit": "tests/store/test_integrity.py",
    "store/_resumable.py:start": "tests/networks/extraction, sealed lines",
    "store/_sealed.py:write_sealed": "test_damaged_sealed_files, below",
    "store/_sealed.py:write_sealed_json": "test_damaged_sealed_files, below",
    "store/_shard_file.py:_start": "tests/store/test_flipped_bytes.py",
    "store/_shard_file.py:resume": "tests/store/test_flipped_bytes.py",
    "store/_store.py:open_store": "tests/store/test_integrity.py",
    "store/_work.py:write": "tests/store/test_work.py",
}
# ... or the reason why nothing is verified.
NOT_READ_BACK = {
    "networks/_commands/_diff.py:diff": "a JUnit file for continuous integration",
    "latent/_commands/_relative.py:write": "a file for other tools",
    "networks/data/_clients/_apt.py:apt_lists": "for apt-get, used at once",
    "networks/data/_clients/_client.py:start_client": "a log, for an error",
    "networks/data/_clients/_registries.py:npm_package": "for npm, used at once",
    "latent/migration/_apply.py:_write": "a file of the user",
    "plots/_pictures.py:save_picture": "a picture for people",
    "report/_page.py:write_page": "an HTML page for people",
    "store/_atomic.py:write_atomically": "the writer itself; its callers are listed",
    "store/_plain_files.py:write_table": "a CSV table for other tools",
}


def test_every_function_that_writes_a_file_is_listed() -> None:
    found = writing_functions(SRC)
    assert found == {*VERIFIED, *NOT_READ_BACK}


def test_a_new_writer_is_detected(tmp_path: Path) -> None:
    (tmp_path / "new.py").write_text("def f(p):\n    p.write_bytes(b'')\n")
    assert writing_functions(tmp_path) == {"new.py:f"}


def test_damaged_sealed_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_sealed(path, b"content " * 40)
    assert_damage_is_noticed(path, lambda: read_sealed(path, "write it again"), _equal)
    write_sealed_json(path, {"score": 1.866, "names": ["a", "ä"], "none": None})
    assert_damage_is_noticed(
        path, lambda: read_sealed_json(path, "write it again"), _equal
    )


def test_damaged_fits_are_refused(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 4))
    align.fit_affine(x, x @ rng.normal(size=(4, 3))).save(tmp_path / "map")
    for path in sorted((tmp_path / "map").iterdir()):
        assert_damage_is_noticed(
            path, lambda: align.load_map(tmp_path / "map")(x), _close
        )


def _equal(a: object, b: object) -> bool:
    return a == b


def _close(a: np.ndarray, b: np.ndarray) -> bool:
    return bool((a == b).all())


def test_documents_without_checksum_are_read_only_if_allowed(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text('{"a": 1}')
    assert read_sealed_json(path, "", unsealed=True) == {"a": 1}
    with pytest.raises(ValueError, match="has changed since it was written; do this"):
        read_sealed_json(path, "do this")
