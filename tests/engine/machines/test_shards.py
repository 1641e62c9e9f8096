"""Shards of a plan, in any order, give the table of one process."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, Results
from similitude.engine import Folder, _tiles

from .stores import MEASURES, write_store

NAMES = MEASURES.split(",")


@pytest.fixture(scope="module")
def reps(tmp_path_factory) -> Path:
    return write_store(tmp_path_factory.mktemp("store") / "reps")


def options() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    twins = {f"r{i}": rng.normal(size=(60, 5)) for i in range(6)}
    inputs = rng.normal(size=(60, 3))
    return {"permutations": 9, "baselines": {"untrained": twins}, "inputs": inputs}


@pytest.fixture(scope="module")
def expected(reps: Path) -> Results:
    return sim.compare(reps, NAMES, **options())


def rows_by(out: Path) -> list[set[str]]:
    """The jobs in each part of a results folder."""
    return [set(Folder(out).rows()) for out in sorted(out.iterdir())]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_shards_in_any_order_give_the_same_table(
    order: tuple[int, ...], reps: Path, expected: Results, tmp_path: Path
) -> None:
    seen: list[set[str]] = []
    for i in order:
        found = sim.compare(reps, NAMES, out=tmp_path, shard=f"{i}/3", **options())
        seen.append(set(Folder(tmp_path).rows()) - set().union(*seen))
    assert found == expected == Results.load(tmp_path)
    total = len(expected.rows) + len(expected.baseline_rows)
    assert sum(map(len, seen)) == total
    assert all(len(part) > total / 5 for part in seen)
    lines = [p.read_bytes().count(b"\n") for p in (tmp_path / "parts").iterdir()]
    assert sum(lines) == 2 * total  # no row was computed by two shards


def test_shards_do_not_overlap_and_do_not_depend_on_the_folder(
    reps: Path, tmp_path: Path
) -> None:
    for i in range(3):
        sim.compare(reps, "rsa", permutations=0, out=tmp_path / str(i), shard=(i, 3))
    parts = rows_by(tmp_path)
    assert sum(map(len, parts)) == len(set().union(*parts)) == 15


def test_shards_of_several_products_give_the_same_table(
    reps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each product is computed by one shard."""
    products = []
    compare_all = sim.measures.CKA.compare_all

    def counted(self: Any, ps: Any) -> Any:
        products.append(len(ps))
        return compare_all(self, ps)

    monkeypatch.setattr(_tiles, "_fit_in_product", lambda shape, symmetric: 4)
    monkeypatch.setattr("similitude.engine.statistics._resampling.TILE", 2)
    monkeypatch.setattr(sim.measures.CKA, "compare_all", counted)
    whole = sim.compare(reps, "cka", permutations=0)
    alone, _ = products.copy(), products.clear()
    for i in (1, 0):
        found = sim.compare(reps, "cka", permutations=0, out=tmp_path, shard=(i, 2))
    assert found == whole
    assert sorted(products) == sorted(alone)


def test_unfinished_shard_has_no_q_values(reps: Path, tmp_path: Path) -> None:
    found = sim.compare(reps, "rsa", permutations=9, out=tmp_path, shard=(0, 2))
    assert 0 < len(found) < 15
    assert all(row.complete and row.q is None for row in found.rows)


def test_shards_of_separate_folders_are_merged_by_copying_their_parts(
    reps: Path, tmp_path: Path
) -> None:
    """On machines that share no disk, each shard has its own folder."""
    folders = [tmp_path / str(i) for i in range(3)]
    for i, out in enumerate(folders):
        sim.compare(reps, ["cka", "rsa"], permutations=9, out=out, shard=(i, 3))
    for out in folders[1:]:
        for part in (out / "parts").iterdir():
            shutil.copy(part, folders[0] / "parts")
    merged = Results.load(folders[0])
    assert merged == sim.compare(reps, ["cka", "rsa"], permutations=9)
    assert not merged.unfinished


@pytest.mark.parametrize("shard", ["3/3", "1", "-1/3", "0/0", "a/b", (0,), (0.0, 2), 3])
def test_invalid_shard_is_an_error(shard: Any, reps: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="write I/N with I from 0 to N - 1"):
        sim.compare(reps, "cka", out=tmp_path, shard=shard)


def test_shard_needs_a_folder(reps: Path) -> None:
    with pytest.raises(InvalidInput, match="shard= needs out="):
        sim.compare(reps, "cka", shard="0/2")


SLOW = """
import time
import similitude as sim
from dataclasses import dataclass
from similitude.measures import Claims

@dataclass(frozen=True, kw_only=True)
class Slow(sim.Measure):
    name = "slow"
    refs = ()
    def claims(self):
        return Claims(kind="similarity", range=(-9, 9))
    def prepare(self, x, seed=None):
        return x
    def compare(self, p, q):
        time.sleep(0.1)
        return p[0, 0] * q[0, 0]

sim.compare(REPS, Slow(), permutations=0, out=OUT)
"""


def test_two_processes_in_one_folder_share_the_pairs(tmp_path: Path) -> None:
    """Without shards: they compute the same pairs only for about a second."""
    reps = write_store(tmp_path / "reps", count=10, n=20)
    out = tmp_path / "out"
    script = SLOW.replace("REPS", repr(str(reps))).replace("OUT", repr(str(out)))
    runs = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(2)]
    assert [run.wait() for run in runs] == [0, 0]
    found = Results.load(out)
    assert len(found) == 45
    assert all(row.complete for row in found.rows)
    folder = Folder(out)
    first, second = (
        {row.job for row in folder._rows_of(path) if not row.complete}
        for path in (out / "parts").iterdir()
    )
    assert len(first | second) == 45
    assert len(first & second) < 45 / 2
