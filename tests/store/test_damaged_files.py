"""A damaged file is either read or refused with an error of one line."""

import io
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest

from similitude import SimilitudeError
from similitude.engine import check_values
from similitude.store import ReadLimits, read_files
from similitude.store._formats import _limits
from similitude.store._formats._hdf5_file import open_hdf5
from store.sound_files import X, refusal, write


def damage(sound: bytes, rng: np.random.Generator) -> bytes:
    """Truncate the file, flip bits, overwrite header bytes, or move eight bytes."""
    bytes_, kind = bytearray(sound), rng.integers(4)
    if kind == 0:
        return sound[: rng.integers(len(sound))]
    if kind == 1:
        for _ in range(rng.integers(1, 6)):
            bytes_[rng.integers(len(sound))] ^= 1 << rng.integers(8)
    elif kind == 2:
        for _ in range(rng.integers(1, 4)):
            bytes_[rng.integers(min(len(sound), 256))] = rng.integers(256)
    else:
        target, source = rng.integers(len(sound) - 8, size=2)
        bytes_[target : target + 8] = bytes_[source : source + 8]
    return bytes(bytes_)


CASES = {".npy": 200, ".npz": 200, ".safetensors": 200, ".pt": 100, ".csv": 200}
TABLES = (".parquet", ".arrow", ".feather", ".h5")


@pytest.mark.parametrize("suffix", [*CASES, *TABLES])
def test_randomly_damaged_files_give_one_line_errors(
    suffix: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(7)
    sound = write(tmp_path / f"sound{suffix}")
    path, messages = tmp_path / f"x{suffix}", []
    cases = CASES.get(suffix, 200)
    for _ in range(cases):
        path.unlink(missing_ok=True)  # a memory map of it may still be open
        path.write_bytes(damage(sound, rng))
        try:
            check_values(read_files(path))
        except SimilitudeError as error:
            messages.append(str(error))
    assert cases / 4 < len(messages) <= cases
    assert all(text.isprintable() for text in messages)
    assert max(map(len, messages)) < 400 + len(str(path))


def with_texts(path: Path, **options: object) -> bytearray:
    with h5py.File(path, "w") as file:
        file["h"] = X
        texts = [f"s{i}" for i in range(12)]
        file.create_dataset("ids", data=texts, dtype=h5py.string_dtype(), **options)
    return bytearray(path.read_bytes())


def test_a_loop_in_a_heap_of_hdf5_is_refused(tmp_path: Path) -> None:
    """The HDF5 library would not return."""
    path = tmp_path / "a.h5"
    content = with_texts(path)
    entry = content.index(b"GCOL") + 16
    content[entry + 8 : entry + 16] = (2**64 - 16).to_bytes(8, "little")
    path.write_bytes(content)
    assert refusal(path).endswith("a.h5 cannot be read: it is damaged.")


def test_lengths_of_texts_in_hdf5_are_checked_before_allocation(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    content = with_texts(path)
    with h5py.File(path) as file:
        place = file["ids"].id.get_offset()
    content[place : place + 4] = (2**32 - 1).to_bytes(4, "little")
    path.write_bytes(content)
    assert "its ids or blocks are too long" in refusal(path)


@pytest.mark.parametrize("shuffle", [False, True])
def test_lengths_of_texts_in_compressed_chunks(tmp_path: Path, shuffle) -> None:
    path = tmp_path / "a.h5"
    with_texts(path, chunks=(5,), compression="gzip", shuffle=shuffle)
    (rep,) = read_files(path)
    assert rep.ids.tolist() == [f"s{i}" for i in range(12)]
    with open_hdf5(path, h5py, ReadLimits()) as file:
        assert file.text_bytes(file.open("ids")) == 2 * 10 + 3 * 2


@pytest.mark.parametrize("suffix", [*CASES, *TABLES])
@pytest.mark.parametrize("share", [0.0, 0.4, 0.98])
def test_truncated_files_are_refused(suffix: str, share: float, tmp_path: Path) -> None:
    path = tmp_path / f"cut{suffix}"
    sound = write(path)
    end = int(share * len(sound))
    if suffix == ".csv" and end:  # a truncated number is still a number
        end = sound.rindex(b",", 0, end)
    path.write_bytes(sound[:end])
    assert f"cut{suffix}" in refusal(path)


def header(shape: str, descr: str = "'<f8'") -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"
    return b"\x93NUMPY\x01\x00\x76\x00" + text.ljust(117).encode() + b"\n"


HEADERS = {
    "brackets": header("(((((", "[[[(((("),
    "a trillion rows": header("(1000000000000, 3)"),
    "too many to count": header("(4611686018427387904, 4611686018427387904)"),
    "a negative number": header("(-2, 3)"),
    "names instead of numbers": header("('n', 3)"),
    "no dtype": header("(4, 3)", "'nonsense'"),
    "objects": header("(4, 3)", "'|O'"),
    "deep": b"\x93NUMPY\x01\x00\x76\x00" + b"(" * 117 + b"\n",
    "a later version": b"\x93NUMPY\x09" + header("(4, 3)")[7:],
}


@pytest.mark.parametrize("case", HEADERS)
def test_invalid_npy_headers_are_refused(case: str, tmp_path: Path) -> None:
    content = HEADERS[case] + b"\x00" * 96
    (tmp_path / "a.npy").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("h.npy", content)
    for name in ("a.npy", "a.npz"):
        assert name in refusal(tmp_path / name)


def test_shape_is_checked_before_allocation(tmp_path: Path, monkeypatch) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("h.npy", HEADERS["a trillion rows"] + b"\x00" * 96)
    read = np.lib.format.read_array
    calls = []
    monkeypatch.setattr(
        np.lib.format, "read_array", lambda *a, **k: calls.append(a) or read(*a, **k)
    )
    assert "(1000000000000, 3)" in refusal(tmp_path / "a.npz")
    assert calls == []


def test_zip_bombs_are_refused(tmp_path: Path, monkeypatch) -> None:
    np.savez_compressed(tmp_path / "a.npz", h=np.zeros((20_000, 50)))
    assert read_files(tmp_path / "a.npz")[0].n == 20_000  # 8 MB is below the limit
    monkeypatch.setattr(_limits, "LARGE_BYTES", 2**20)
    assert "save it uncompressed" in refusal(tmp_path / "a.npz")


def test_npz_entries_that_are_not_npy_or_repeated_are_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.save(buffer, X)
    path = tmp_path / "a.npz"
    for names in (["notes.txt"], ["h.npy", "notes.txt"], ["sub/"]):
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, buffer.getvalue() if "npy" in name else b"")
        assert "is not a .npy file" in refusal(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("h.npy", buffer.getvalue())
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("h.npy", buffer.getvalue())
    assert "two entries called 'h.npy'" in refusal(path)
