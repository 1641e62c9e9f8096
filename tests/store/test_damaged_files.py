"""A damaged file is either read or refused with an error of one line."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from similitude import SimilitudeError
from similitude.engine import check_values
from similitude.store import read_files
from similitude.store._formats import _child, _limits
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
IN_A_CHILD = (".parquet", ".arrow", ".feather", ".h5")


@pytest.mark.parametrize("suffix", [*CASES, *IN_A_CHILD])
def test_randomly_damaged_files_give_one_line_errors(
    suffix: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(7)
    sound = write(tmp_path / f"sound{suffix}")
    path, messages = tmp_path / f"x{suffix}", []
    cases = CASES.get(suffix, 8)  # each of these files takes a process
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


@pytest.mark.parametrize("suffix", IN_A_CHILD)
@pytest.mark.parametrize("end", ["import os; os.abort()", "raise SystemExit(1)"])
def test_crash_of_a_reader_is_a_one_line_error(
    end: str, suffix: str, tmp_path: Path, monkeypatch
) -> None:
    """polars panics on some damaged files, and aborts the process on others."""
    path = tmp_path / f"a{suffix}"
    write(path)
    for program in ("_polars_child.py", "_hdf5_child.py"):
        (tmp_path / program).write_text(end)
    monkeypatch.setattr(_child, "_PROGRAMS", tmp_path)
    assert refusal(path).endswith(f"a{suffix} cannot be read: it is damaged.")


@pytest.mark.parametrize("suffix", [*CASES, *IN_A_CHILD])
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
