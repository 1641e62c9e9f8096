"""Only errors of a measure become rows; errors of the machine leave a job open."""

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import similitude as sim
from engine.faulty_measure import EXCEPTIONS, MACHINE, TEXTS, Faulty, raised
from similitude import Representation, Results, advice

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(40, 1))
REPS = {name: Z + RNG.normal(size=(40, 2)) for name in "abc"}
OF_MACHINE = sorted(MACHINE | TEXTS.keys() | {"caused"})
OTHERS = sorted(EXCEPTIONS.keys() - MACHINE)
AT_SCORE = ["prepare", "compare", "details", "barcodes", "load"]
AT_STATISTICS = ["permute", "groups", "advice"]


class FaultyReader:
    """Values whose reading raises while a file exists, from the second time on."""

    domain, dtype = "points", np.dtype(float)

    def __init__(self, values: np.ndarray, error: str, flag: Path) -> None:
        self.values, self.error, self.flag, self.count = values, error, flag, 0
        self.shape, self.content = values.shape, sim.representation.fingerprint(values)

    def read(self) -> np.ndarray:
        self.count += 1  # `compare` looks at the values before it plans
        if self.flag.exists() and self.count > 1:
            raise raised(self.error)
        return self.values


def compared(place: str, error: str, folder: Path, **options: Any) -> Results:
    """Scores of three representations; the first and second pair can fail."""
    flag = folder / "flag"
    reps: Any = REPS
    if place == "load":
        reps = [
            Representation(name, FaultyReader(values, error, flag))
            for name, values in REPS.items()
        ]
    measure = Faulty(place=place, error=error, flag=str(flag), rows=40)
    return sim.compare(reps, measure, permutations=5, out=folder / "out", **options)


def assert_complete(results: Results) -> None:
    assert len(results.rows) == 3
    assert all(row.complete and row.status == "ok" for row in results.rows)
    assert all(row.p is not None and row.low is not None for row in results.rows)


def without_error(row: Any) -> tuple[Any, ...]:
    return row.a, row.b, row.score, row.p, row.low, row.high


@pytest.fixture(scope="module", autouse=True)
def young_heap() -> Iterator[None]:
    """Leave the objects of earlier tests out of collections, of which there are many.

    The engine collects after each error of the machine.
    """
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    found = compared("", "", tmp_path_factory.mktemp("expected"))
    assert_complete(found)
    return [without_error(row) for row in found.rows]


@pytest.fixture
def failing_advice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    codes = advice.Pairwise.codes

    def install(error: str) -> None:
        def fail(*arguments: Any, **options: Any) -> Any:
            if (tmp_path / "flag").exists():
                raise raised(error)
            return codes(*arguments, **options)

        monkeypatch.setattr(advice.Pairwise, "codes", fail)

    return install


@pytest.mark.parametrize("place", [*AT_SCORE, *AT_STATISTICS])
@pytest.mark.parametrize("error", OF_MACHINE)
def test_an_error_of_the_machine_leaves_jobs_open_and_the_next_run_computes_them(
    place: str, error: str, tmp_path: Path, expected: Any, failing_advice: Any
) -> None:
    (tmp_path / "flag").touch()
    if place == "advice":
        failing_advice(error)
    found = compared(place, error, tmp_path)
    assert len(found.rows) == (0 if place in AT_SCORE else 3)
    assert not any(row.complete for row in found.rows)
    assert all((row.status, row.p) == ("ok", None) for row in found.rows)
    count = len(found.rows)
    assert f"{count} of 3 rows have a score, and 0 their st" in found.unfinished
    (note,) = found.notes
    assert "faulty(" in note
    for pair in ("a - b", "a - c", "b - c"):
        assert pair in note
    assert Results.load(tmp_path / "out").rows == found.rows
    (tmp_path / "flag").unlink()
    again = compared(place, error, tmp_path)
    assert_complete(again)
    assert (again.notes, again.unfinished) == ((), "")
    assert [without_error(row) for row in again.rows] == expected


@pytest.mark.parametrize("error", OTHERS)
@pytest.mark.parametrize("place", AT_SCORE[:-1])
def test_an_error_of_the_measure_is_a_row_with_a_reason(
    place: str, error: str, tmp_path: Path
) -> None:
    (tmp_path / "flag").touch()
    found = compared(place, error, tmp_path)
    status = "undefined" if error == "Undefined" else "failed"
    assert [row.status for row in found.rows] == [status] * 3
    assert all(row.complete and row.reason for row in found.rows)
    assert (found.notes, found.unfinished) == ((), "")


@pytest.mark.parametrize("error", OTHERS)
@pytest.mark.parametrize("place", ["permute", "groups"])
def test_an_error_of_the_statistics_keeps_the_score(
    place: str, error: str, tmp_path: Path
) -> None:
    (tmp_path / "flag").touch()
    found = compared(place, error, tmp_path)
    assert all((row.status, row.complete) == ("ok", True) for row in found.rows)
    missing = {"permute": "p", "groups": "low"}[place]
    assert all(getattr(row, missing) is None for row in found.rows)
    assert found.unfinished == ""


@pytest.mark.parametrize("error", ["MemoryError", "OSError"])
def test_a_product_that_does_not_fit_is_computed_pair_by_pair(
    error: str, tmp_path: Path, expected: Any
) -> None:
    (tmp_path / "flag").touch()
    found = compared("compare_all", error, tmp_path)
    assert_complete(found)
    for row, other in zip(found.rows, expected, strict=True):
        np.testing.assert_allclose(row.score, other[2], rtol=1e-12)


@pytest.mark.parametrize("place", ["prepare", "compare", "permute"])
@pytest.mark.parametrize("error", ["MemoryError", "killed"])
def test_workers_that_run_out_of_memory_or_die_leave_jobs_open(
    place: str, error: str, tmp_path: Path, expected: Any
) -> None:
    (tmp_path / "flag").write_text(str(os.getpid()))
    with sim.config(workers=2):
        found = compared(place, error, tmp_path)
        assert not any(row.complete for row in found.rows)
        assert len(found.rows) == (3 if place == "permute" else 0)
        (note,) = found.notes
        assert "MemoryError: text" in note or "a worker process was killed" in note
        (tmp_path / "flag").unlink()
        again = compared(place, error, tmp_path)
    assert [without_error(row) for row in again.rows] == expected


def test_a_budget_that_is_too_small_is_not_a_row(tmp_path: Path) -> None:
    reps = {name: RNG.normal(size=(600, 3)) for name in "ab"}
    measures = ["rsa(outer=kendall_a)", "matching_accuracy", "rtd(batch=600)"]
    few = {"permutations": 0, "out": tmp_path}
    with sim.config(memory_budget=2**20):
        found = sim.compare(reps, measures, **few)
    assert not found.rows
    assert "memory" in found.notes[0]
    again = sim.compare(reps, measures, **few)
    assert [row.status for row in again.rows] == ["ok"] * 3


LIMITED = """
import resource, sys
import similitude as sim
small = {name: [[1.0, 2.0], [0.0, 1.0], [3.0, 5.0]] for name in "ab"}
sim.compare(small, "procrustes", permutations=0)  # imports everything
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
limit = used + int(sys.argv[1]) * 2**20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
found = sim.compare("reps", "procrustes", permutations=0, out="out")
print(len(found.rows), {row.status for row in found.rows}, found.unfinished)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_process_with_too_little_memory_leaves_no_failed_row(tmp_path: Path) -> None:
    """The limit of the address space is a real one, at several sizes."""
    store = sim.store.open_store(tmp_path / "reps", create=True)
    for name in "abcdef":
        values = RNG.normal(size=(20_000, 32)).astype(np.float32)
        store.put(Representation(name, values))
    hindered = 0
    for mebibytes in (4, 12, 25, 50, 1000):
        done = subprocess.run(
            [sys.executable, "-c", LIMITED, str(mebibytes)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        if done.returncode == 0:
            assert "failed" not in done.stdout, done.stdout
            hindered += not done.stdout.startswith("15 ")
        else:  # before any row was computed
            assert "MemoryError" in done.stderr, done.stderr
            hindered += 1
    assert done.stdout == "15 {'ok'} \n"
    # Where a limit bites depends on the allocator, so no single size is expected to.
    assert hindered
