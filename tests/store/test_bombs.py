"""Small files that would expand to much memory are refused before it is allocated."""

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import h5py
import numpy as np
import polars
import pytest
import torch

from similitude.store import ReadLimits, read_files
from similitude.store._formats import _limits
from store.sound_files import X, refusal

MIB = 2**20

# The limit of 1 GiB is lowered to 16 MiB, so that the bombs are quick to write. Each
# file is read in one process; its memory may grow by less than the expanded bombs.
READ_ALL = """
import json, pathlib, resource, sys
import h5py, numpy, pyarrow.ipc, pyarrow.parquet, torch
from similitude import SimilitudeError
from similitude.store import read_files
from similitude.store._formats import _limits
_limits.LARGE_BYTES = 2**24
def peak():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before, errors = peak(), {}
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    try:
        read_files(path)
    except SimilitudeError as error:
        errors[path.name] = str(error)
print(json.dumps([errors, peak() - before]))
"""


def deflated(path: Path, entries: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)


def npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def compressed_pt(path: Path) -> None:
    plain = io.BytesIO()
    torch.save({"h": torch.zeros(12 * MIB, 1)}, plain)
    with zipfile.ZipFile(plain) as archive:
        deflated(path, {name: archive.read(name) for name in archive.namelist()})


def overlapping_npz(path: Path) -> None:
    """Many entries of the directory refer to the same compressed bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a0.npy", npy(np.zeros((MIB, 1))))
        original = archive.infolist()[0]
        for i in range(1, 40):
            entry = zipfile.ZipInfo(f"a{i}.npy")
            for field in ("header_offset", "compress_size", "file_size", "CRC"):
                setattr(entry, field, getattr(original, field))
            entry.compress_type = original.compress_type
            archive.filelist.append(entry)
            archive.NameToInfo[entry.filename] = entry
        archive._didModify = True


def write_bombs(folder: Path) -> None:
    deflated(folder / "one-entry.npz", {"h.npy": npy(np.zeros((6 * MIB, 1)))})
    small = npy(np.zeros((MIB // 8, 1)))
    deflated(folder / "many-entries.npz", {f"h{i}.npy": small for i in range(40)})
    overlapping_npz(folder / "overlap.npz")
    compressed_pt(folder / "compressed.pt")
    views = dict.fromkeys(map(str, range(2000)), torch.zeros(1000, 4))
    torch.save(views, folder / "views.pt")
    rows = polars.repeat(0, 16 * MIB, dtype=polars.UInt8, eager=True)
    polars.DataFrame({"u": rows}).write_parquet(folder / "runs.parquet")
    long = polars.repeat("x" * MIB, 100, dtype=polars.String, eager=True)
    polars.DataFrame({"id": long, "u": range(100)}).write_parquet(
        folder / "texts.parquet"
    )
    zeros = polars.repeat(0.0, 2**26, dtype=polars.Float32, eager=True)
    lists = polars.DataFrame({"e": zeros}).select(polars.col("e").implode())
    lists.write_parquet(folder / "lists.parquet")
    lists.write_ipc(folder / "lists.arrow", compression="zstd")
    with h5py.File(folder / "zeros.h5", "w") as file:
        file.create_dataset("h", (2**28, 8), "f4", chunks=(2**16, 8))
    (folder / "line.csv").write_bytes(b"1," * (33 * MIB))
    header = json.dumps(
        {
            "h": {
                "dtype": "F64",
                "shape": [10**6, 10**6],
                "data_offsets": [0, 8 * 10**12],
            }
        }
    ).encode()
    length = len(header).to_bytes(8, "little")
    (folder / "header.safetensors").write_bytes(length + header + b"\0" * 64)


def test_bombs_of_every_format_are_refused_in_bounded_memory(tmp_path: Path) -> None:
    write_bombs(tmp_path)
    run = subprocess.run(
        [sys.executable, "-c", READ_ALL, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    errors, growth = json.loads(run.stdout)
    reasons = {
        "one-entry.npz": "would grow from",
        "many-entries.npz": "would grow from",
        "overlap.npz": "overlaps another entry",
        "compressed.pt": "would grow from",
        "views.pt": "would grow from",
        "runs.parquet": "would grow from",
        "texts.parquet": "its ids or blocks are too long",
        "lists.parquet": "would grow from",
        "lists.arrow": "would grow from",
        "zeros.h5": "would grow from",
        "line.csv": "has a line with more than",
        "header.safetensors": "cannot be read",
    }
    assert errors.keys() >= reasons.keys()
    for name, reason in reasons.items():
        assert reason in errors[name]
        assert errors[name].isprintable()
    assert growth < 100 * MIB  # a line of 64 MiB is read before it is refused


def test_limit_holds_for_all_files_of_a_run(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(_limits, "LARGE_BYTES", 20 * MIB)
    paths = [tmp_path / f"{i}.npz" for i in range(3)]
    for path in paths:
        np.savez_compressed(path, h=np.zeros((MIB, 1)))
    limits = ReadLimits()
    for path in paths[:2]:
        assert read_files(path, limits=limits)[0].n == MIB
    with pytest.raises(ValueError, match="it and the files before it would grow from"):
        read_files(paths[2], limits=limits)
    assert read_files(paths[2])[0].n == MIB  # alone, it is below the limit


def test_compressed_entries_of_pt_files_are_refused(tmp_path: Path) -> None:
    torch.save({"h": torch.tensor(X)}, tmp_path / "plain.pt")
    with zipfile.ZipFile(tmp_path / "plain.pt") as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    deflated(tmp_path / "a.pt", entries)
    assert "is compressed, which torch.save does not do" in refusal(tmp_path / "a.pt")


LIMITED = """
import resource, sys
from pathlib import Path
from similitude import SimilitudeError
from similitude.store import read_files
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
limit = used + 2**27
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for path in sys.argv[1:]:
    try:
        read_files(path)[0].load()
        print("read")
    except SimilitudeError as error:
        print(error)
"""


def test_arrays_larger_than_the_available_memory_are_refused(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).integers(0, 9, (2**25, 5), np.uint8)
    np.save(tmp_path / "a.npy", rows)
    np.savez(tmp_path / "a.npz", h=rows)
    np.save(tmp_path / "b.npy", rows[: 2**22])
    paths = [str(tmp_path / name) for name in ("a.npy", "a.npz", "b.npy")]
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, *paths],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = run.stdout.splitlines()
    assert len(lines) == 3
    for path, line in zip(paths[:2], lines, strict=False):
        assert line.startswith(f"{path} cannot be read: it needs 167,772,")
        assert "are available" in line
    assert lines[2] == "read"
