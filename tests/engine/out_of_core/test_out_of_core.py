"""Representations larger than the memory budget are compared from parts of rows."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import similitude as sim
from engine.machines.here import Here
from similitude import InvalidInput, Results
from similitude.engine import Folder
from similitude.engine.out_of_core import _pass
from similitude.measures import find_measure
from similitude.store import _element, open_store

N = 20_000
LINEAR = [
    "cka",
    "cka(estimator=biased)",
    "cka(form=angular)",
    "mean_cca",
    "svcca",
    "pwcca",
    "procrustes",
    "linear_regression",
]


MIXED = ["procrustes", "magnitude_difference"]


def values() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(N, 6))
    found = {}
    for i, dtype in enumerate((np.float64, np.float64, np.float32, np.int16)):
        x = z @ rng.normal(size=(6, 8 + i)) + rng.normal(size=(N, 8 + i)) + 20 * i
        found[f"r{i}"] = (100 * x).astype(dtype) if i == 3 else x.astype(dtype)
    return found


def write(path: Path, reps: dict[str, np.ndarray], **fields: Any) -> Path:
    store = open_store(path, create=True)
    for name, x in reps.items():
        store.put(sim.Representation(name, x, **fields))
    return path


@pytest.fixture(scope="module")
def reps(tmp_path_factory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_element, "SHARD_BYTES", 300_000)  # several shards each
        return write(tmp_path_factory.mktemp("store") / "reps", values())


@pytest.fixture(scope="module")
def found(reps: Path) -> Results:
    with sim.config(memory_budget=2**20, threads=2):
        return sim.compare(reps, LINEAR)


def test_scores_equal_those_of_all_rows(found: Results) -> None:
    arrays = values()
    assert len(found) == 6 * 6 + 2 * 12  # two measures have two directions
    for measure in map(find_measure, LINEAR):
        prepared = {name: measure.prepare(x) for name, x in arrays.items()}
        for row in found.rows:
            if row.label != measure.label:
                continue
            assert row.status == "ok", row.reason
            assert row.details["streamed"]
            whole = measure.compare(prepared[row.a], prepared[row.b])
            atol = 3e-6 if "r2" in {row.a, row.b} else 1e-9  # it is in float32
            np.testing.assert_allclose(row.score, whole, rtol=0, atol=atol)


def test_table_says_so(reps: Path) -> None:
    with sim.config(memory_budget=2**20):
        found = sim.compare(reps, "procrustes")
    text = " ".join(str(found).split())
    assert (
        "procrustes: 6 pairs read in parts, without null and interval: loading" in text
    )
    assert "and the budget is 1 MiB (SIMILITUDE_MEMORY_BUDGET)" in text
    assert "no null: the rows were read in parts" in text


def test_number_of_threads_and_resuming_do_not_change_a_bit(
    reps: Path, found: Results, tmp_path: Path
) -> None:
    with sim.config(memory_budget=2**20, threads=1):
        for i in (2, 0, 1):
            again = sim.compare(reps, LINEAR, out=tmp_path, shard=(i, 3))
    assert again == found
    rows = Folder(tmp_path).rows()
    part = min((tmp_path / "parts").iterdir())
    part.write_bytes(b"".join(part.read_bytes().splitlines(keepends=True)[:3]))
    assert len(Folder(tmp_path).rows()) < len(rows)
    with sim.config(memory_budget=2**20, threads=3):
        assert sim.compare(reps, LINEAR, out=tmp_path) == found


def test_values_are_never_loaded_as_a_whole(
    reps: Path, found: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(self: Any) -> Any:
        raise AssertionError("loaded")

    monkeypatch.setattr(sim.Representation, "load", load)
    with sim.config(memory_budget=2**20):
        assert sim.compare(reps, LINEAR) == found


def test_only_pairs_with_a_large_side_are_read_in_parts(reps: Path) -> None:
    large = [rep for rep in sim.load(reps) if rep.name in {"r0", "r1"}]
    rng = np.random.default_rng(1)
    small = {"s": rng.normal(size=(N, 2)), "t": rng.normal(size=(N, 3))}
    given = [*large, *(sim.Representation(name, x) for name, x in small.items())]
    with sim.config(memory_budget=3 * 2**22):
        found = sim.compare(given, MIXED, permutations=0)
    whole = sim.compare(given, MIXED, permutations=0)
    for row, other in zip(found.rows, whole.rows, strict=True):
        streams = row.measure == "procrustes" and {row.a, row.b} != {"s", "t"}
        assert bool(row.details.get("streamed")) == streams
        np.testing.assert_allclose(row.score, other.score, rtol=1e-9)


def test_first_rows_far_from_the_others_are_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sums about a center far from the mean would lose digits."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20 * 4096, 3))
    x[:4096] += 100
    y = x[:, :2] + rng.normal(size=(len(x), 2))
    reps = {0: sim.Representation("x", x), 1: sim.Representation("y", y)}
    passes, one_pass = [], _pass._pass

    def counted(*given: Any) -> None:
        passes.append(1)
        one_pass(*given)

    monkeypatch.setattr(_pass, "_pass", counted)
    sums = _pass.sums_of_pairs(reps, [(0, 1)])[0, 1]
    assert len(passes) == 2
    np.testing.assert_allclose(sums.mean_x(), x.mean(axis=0), rtol=1e-12)
    for measure in (
        sim.measures.CKA(),
        sim.measures.Procrustes(),
        sim.measures.MeanCCA(),
    ):
        whole = measure(x, y)
        np.testing.assert_allclose(measure.compare_sums(sums), whole, rtol=1e-9)
    x[:] = rng.normal(size=x.shape)
    passes.clear()
    _pass.sums_of_pairs({0: reps[0], 1: sim.Representation("z", -x)}, [(0, 1)])
    assert len(passes) == 1


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_value_that_is_not_finite_is_named(value: float, tmp_path: Path) -> None:
    arrays = values()
    arrays["r1"][12_345, 2] = value
    path = write(tmp_path / "reps", arrays)
    with sim.config(memory_budget=2**20):
        with pytest.raises(InvalidInput, match=r"r1: row 12345, column 2 is (NaN|inf)"):
            sim.compare(path, "procrustes")
        found = sim.compare(path, "procrustes", permutations=0, drop_nonfinite=True)
    assert found.dropped == 1
    keep = np.arange(N) != 12_345
    kept = {k: x[keep] for k, x in arrays.items()}
    whole = sim.compare(kept, "procrustes", permutations=0)
    for row, other in zip(found.rows, whole.rows, strict=True):
        # Products of at most 4,096 float32 rows (r2) are summed in float32, in an order
        # that depends on the processor: 1.1e-8 with AVX2, less than 1e-8 with AVX-512.
        rtol = np.finfo("f4").eps if "r2" in {row.a, row.b} else 1e-12
        np.testing.assert_allclose(row.score, other.score, rtol=rtol)


def test_changed_shard_gives_an_error_and_no_score(reps: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "reps", values())
    file = max(path.glob("elements/r1-*/rows-*.npy"))
    data = bytearray(file.read_bytes())
    data[-9] ^= 1
    file.write_bytes(data)
    out = tmp_path / "out"
    with (
        sim.config(memory_budget=2**20),
        pytest.raises(InvalidInput, match="has changed since it was written"),
    ):
        sim.compare(path, "cka", out=out)
    assert not Folder(out).rows()


def test_dask_reads_large_files_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are copied to a store and compared without loading them."""
    monkeypatch.setattr("similitude.store._formats._npy.SMALL_BYTES", 2**16)
    monkeypatch.setattr("similitude.engine.machines._sent.SHARD_BYTES", 2**19)
    for name, x in values().items():
        np.save(tmp_path / f"{name}.npy", x)
    paths = sorted(tmp_path.glob("*.npy"))
    with sim.config(memory_budget=2**20):
        expected = sim.compare(paths, "procrustes")
        monkeypatch.setattr(sim.Representation, "load", None)
        found = sim.compare(paths, "procrustes", out=tmp_path / "out", dask=Here())
    assert found == expected
    assert all(row.details["streamed"] for row in found.rows)


def test_constant_representation_is_undefined(tmp_path: Path) -> None:
    arrays = {"a": values()["r0"], "b": np.full((N, 8), 3.25)}
    path = write(tmp_path / "reps", arrays)
    with sim.config(memory_budget=2**20):
        found = sim.compare(path, ["cka", "procrustes", "mean_cca"])
    assert [row.status for row in found.rows] == ["undefined"] * 3


def test_measures_own_the_fact_that_they_stream() -> None:
    streams = {n for n, m in sim.MEASURES.items() if m.offers("compare_sums")}
    assert streams == {
        *("cka", "mean_cca", "svcca", "pwcca", "procrustes", "linear_regression")
    }
    for without in (
        sim.measures.CKA(kernel=sim.measures.RBF()),
        sim.measures.Procrustes(cross_validated=True),
        sim.measures.LinearRegression(cross_validated=True),
    ):
        assert not without.offers("compare_sums")
