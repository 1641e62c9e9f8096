"""`apply_map`: formats, blocks, and resuming after SIGKILL."""

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import similitude as sim
from similitude.errors import InvalidInput
from similitude.latent import align
from similitude.latent.migration import apply_map

FORMATS = (".npy", ".safetensors", ".parquet")
N = 1000

SLOW = """
import sys, time
from similitude.latent.migration import apply_map
from similitude.store import Work
record = Work.record
def slow(self, manifest):
    record(self, manifest)
    print(len(manifest.files), flush=True)
    time.sleep(0.2)
Work.record = slow
apply_map(*sys.argv[1:], block=100)
"""


@pytest.fixture
def rows() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(N, 6)).astype(np.float32)


@pytest.fixture
def map_folder(rows: np.ndarray, tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    new = rows @ rng.normal(size=(6, 4)).astype(np.float32) + 1
    align.fit_affine(rows, new).save(tmp_path / "map")
    return tmp_path / "map"


def expected(map_folder: Path, rows: np.ndarray) -> np.ndarray:
    return align.load_map(map_folder).apply(rows)


def write(path: Path, rows: np.ndarray, ids: list[str] | list[int] | None) -> Path:
    if path.suffix == ".npy":
        np.save(path, rows)
    elif path.suffix == ".safetensors":
        from safetensors.numpy import save_file

        save_file({"a": rows}, path)
    else:
        columns = {"text": ["x"] * len(rows), "vector": pl.Series(rows).arr.to_list()}
        frame = pl.DataFrame(columns if ids is None else {"id": ids, **columns})
        frame.write_parquet(path, row_group_size=130)
    return path


@pytest.mark.parametrize(
    ("before", "after", "block"),
    [
        case
        for case in itertools.product(FORMATS, FORMATS, [300, 128, 1])
        if case[2] != 128 or ".parquet" not in case  # a block of a table is a process
    ],
)
def test_all_formats_and_blocks_give_the_same_rows(
    rows: np.ndarray, map_folder: Path, before: str, after: str, block: int
) -> None:
    few = 3 if before == ".parquet" else 40  # each block of a table is a process
    count = few if block == 1 else 300
    source = write(map_folder.parent / f"in{before}", rows[:count], None)
    out = map_folder.parent / f"out{after}"
    assert apply_map(map_folder, source, out, block=block) == (count, 4)
    (found,) = sim.load(out)
    np.testing.assert_array_equal(found.load(), expected(map_folder, rows[:count]))
    assert found.load().dtype == np.float32
    assert not list(map_folder.parent.glob(".out*"))


@pytest.mark.parametrize(
    "ids", [[f"t{i}" for i in range(N)], list(range(N)), [*range(1, N), "last"]]
)
def test_ids_of_a_table_are_kept(rows: np.ndarray, map_folder: Path, ids: list) -> None:
    names = [str(each) for each in ids] if "last" in ids else ids
    source = write(map_folder.parent / "in.parquet", rows, names)
    out = map_folder.parent / "out.parquet"
    apply_map(map_folder, source, out, block=600)
    (found,) = sim.load(out)
    assert found.ids.tolist() == names
    np.testing.assert_array_equal(found.load(), expected(map_folder, rows))


@pytest.mark.parametrize("suffix", FORMATS)
def test_resume_after_sigkill_gives_the_identical_file(
    rows: np.ndarray, map_folder: Path, suffix: str
) -> None:
    source = write(map_folder.parent / "in.npy", rows, None)
    whole, out = (map_folder.parent / f"{name}{suffix}" for name in ("whole", "out"))
    apply_map(map_folder, source, whole, block=100)
    command = [sys.executable, "-c", SLOW, str(map_folder), str(source), str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while int(process.stdout.readline()) < 4:
            pass
        os.kill(process.pid, signal.SIGKILL)
    assert not out.exists()
    folder = map_folder.parent / f".out{suffix}.parts"
    kept = {path.name: path.stat().st_mtime_ns for path in folder.glob("0*")}
    assert 4 <= len(kept) < 10
    started = time.time_ns()
    apply_map(map_folder, source, out, block=100)
    assert all(when < started for when in kept.values())
    assert out.read_bytes() == whole.read_bytes()
    assert not folder.exists()


def kill_after_a_part(map_folder: Path, source: Path, out: Path) -> None:
    command = [sys.executable, "-c", SLOW, str(map_folder), str(source), str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()


def test_a_damaged_part_is_refused(rows: np.ndarray, map_folder: Path) -> None:
    source = write(map_folder.parent / "in.npy", rows, None)
    out = map_folder.parent / "out.npy"
    kill_after_a_part(map_folder, source, out)
    part = map_folder.parent / ".out.npy.parts" / "000000"
    content = part.read_bytes()
    part.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(InvalidInput, match="damaged"):
        apply_map(map_folder, source, out, block=100)
    assert not out.exists()


def test_a_changed_input_starts_again(rows: np.ndarray, map_folder: Path) -> None:
    source = write(map_folder.parent / "in.npy", rows, None)
    out = map_folder.parent / "out.npy"
    kill_after_a_part(map_folder, source, out)
    write(source, 2 * rows, None)
    apply_map(map_folder, source, out, block=100)
    np.testing.assert_array_equal(np.load(out), expected(map_folder, 2 * rows))


def test_wrong_files_are_refused(rows: np.ndarray, map_folder: Path) -> None:
    folder = map_folder.parent
    source = write(folder / "in.npy", rows, None)
    out = folder / "out.npy"
    for suffix in FORMATS:
        wrong = write(folder / f"wide{suffix}", rows[:, :5], None)
        with pytest.raises(InvalidInput, match="takes 6"):
            apply_map(map_folder, wrong, out)
        broken = rows.copy()
        broken[700, 2] = np.nan
        file = write(folder / f"nan{suffix}", broken, None)
        with pytest.raises(InvalidInput, match="from row 600,: row 100, column 2"):
            apply_map(map_folder, file, folder / "nan_out.npy", block=300)
    for name in ("out.csv", "out", "in.npy"):
        with pytest.raises(InvalidInput):
            apply_map(map_folder, source, folder / name)
    for missing in ("none.npy", "none.parquet"):
        with pytest.raises(InvalidInput, match="does not exist"):
            apply_map(map_folder, folder / missing, out)
    two = pl.DataFrame({"a": [[1.0, 2.0]], "b": [[3.0, 4.0]]})
    two.write_parquet(folder / "two.parquet")
    with pytest.raises(InvalidInput, match="choose one"):
        apply_map(map_folder, folder / "two.parquet", out)
    for file in sorted(map_folder.iterdir()):
        content = file.read_bytes()
        file.write_bytes(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
        with pytest.raises(InvalidInput):
            apply_map(map_folder, source, out)
        file.write_bytes(content)
    assert not out.exists()
