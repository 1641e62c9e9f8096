"""A kill in the middle of a long pair loses only its last part."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude._base import _parts
from similitude._linalg import _nearest
from similitude.engine._kept_parts import KeptParts

SLOW = """
import os, signal, sys
from dataclasses import dataclass
from pathlib import Path
import numpy as np
import similitude as sim
from similitude._base import _parts
from similitude.measures import Claims

_parts.SAVING = 0.0
calls = Path(sys.argv[1])

@dataclass(frozen=True, kw_only=True)
class Slow(sim.Measure):
    name = "slow"
    refs = ()
    def claims(self):
        return Claims(kind="similarity", range=(-np.inf, np.inf))
    def prepare(self, x, seed=None):
        return x
    def compare(self, p, q):
        with calls.open("ab") as file:
            file.write(b".")
        if len(calls.read_bytes()) == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)
        return np.float64(np.sum(p * q))

rng = np.random.default_rng(0)
reps = {name: rng.normal(size=(40, 3)) for name in "ab"}
found = sim.compare(reps, Slow(), permutations=30, out=sys.argv[2])
print(found.rows[0].null_mean.hex(), found.rows[0].p)
"""


def run(calls: Path, out: Path, killed_at: int) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-c", SLOW, calls, out, killed_at]
    return subprocess.run(list(map(str, line)), capture_output=True, text=True)


def test_permutations_of_a_pair_resume_after_sigkill(tmp_path: Path) -> None:
    expected = run(tmp_path / "whole", tmp_path / "expected", 0)
    assert expected.returncode == 0, expected.stderr
    count = len((tmp_path / "whole").read_bytes())
    calls, out = tmp_path / "calls", tmp_path / "out"
    killed = run(calls, out, count - 5)
    assert killed.returncode == -signal.SIGKILL
    assert len(list((out / "partial").iterdir())) == 1
    again = run(calls, out, 0)
    assert again.stdout == expected.stdout
    repeated = len(calls.read_bytes()) - (count - 5)
    assert repeated < count / 2  # the scores, and the last permutations
    assert not (out / "partial").exists()


def test_neighbors_of_a_representation_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_parts, "SAVING", 0.0)
    rng = np.random.default_rng(0)
    reps = {name: rng.normal(size=(1100, 5)) for name in "ab"}
    expected = sim.compare(reps, "mutual_knn", permutations=0)
    starts, stop_at, stages = [], [768], set()
    nearest = _nearest._Screen.nearest

    def interrupted(self: Any, start: int, stop: int) -> Any:
        if start in stop_at:
            raise KeyboardInterrupt
        starts.append(start)
        return nearest(self, start, stop)

    monkeypatch.setattr(_nearest._Screen, "nearest", interrupted)
    options: dict[str, Any] = {"permutations": 0, "out": tmp_path}
    with pytest.raises(KeyboardInterrupt):
        sim.compare(reps, "mutual_knn", **options)
    assert starts == [0, 256, 512]
    stop_at.clear()
    found = sim.compare(
        *(reps, "mutual_knn"), progress=lambda s, d, t: stages.add((s, d, t)), **options
    )
    assert starts[3:5] == [768, 1024]
    assert found == expected
    assert ("neighbors: mutual_knn", 1024, 1100) in stages
    assert not (tmp_path / "partial").exists()


def test_damaged_part_is_not_used(tmp_path: Path) -> None:
    kept, key = KeptParts(tmp_path), (np.arange(3), "x", 2)
    kept.save(key, np.arange(5.0))
    np.testing.assert_array_equal(kept.load(key), np.arange(5.0))
    assert kept.load((np.arange(3), "x", 3)) is None
    (path,) = tmp_path.iterdir()
    content = path.read_bytes()
    for damaged in (content[:-1], content[:-1] + b"x", b"", content[:40]):
        path.write_bytes(damaged)
        assert kept.load(key) is None
