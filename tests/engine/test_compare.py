"""`compare`: scores, statistics, joins, baselines and resuming."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import torch

import similitude as sim
from similitude import (
    InvalidInput,
    Measure,
    Outputs,
    Representation,
    Results,
    Undefined,
)
from similitude.measures import CKA, RBF, Claims


def family(count: int = 4, n: int = 60, d: int = 5) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 3))
    return {
        f"r{i}": z @ rng.normal(size=(3, d + i)) + rng.normal(size=(n, d + i))
        for i in range(count)
    }


def test_scores_equal_those_of_the_functions() -> None:
    reps = family()
    names = ["cka", "procrustes", "mean_cca", "rsa", "mutual_knn", "linear_regression"]
    found = sim.compare(reps, names, permutations=0)
    assert found.measures == tuple(names)
    assert found.names == tuple(reps)
    assert len(found) == 5 * 6 + 12
    for row in found.rows:
        expected = getattr(sim, row.measure)(reps[row.a], reps[row.b])
        np.testing.assert_allclose(row.score, expected, rtol=1e-12, atol=1e-14)
        assert (row.status, row.n, row.d_a) == ("ok", 60, reps[row.a].shape[1])


def test_asymmetric_measures_have_both_directions() -> None:
    reps = family(3)
    found = sim.compare(reps, "linear_regression", permutations=0)
    matrix = found.matrix("linear_regression")
    for i, a in enumerate(reps):
        for j, b in enumerate(reps):
            if i != j:
                expected = sim.linear_regression(reps[a], reps[b])
                np.testing.assert_allclose(matrix[i, j], expected, rtol=1e-12)
    np.testing.assert_array_equal(np.diag(matrix), 1.0)


def test_reference_is_compared_with_all_others() -> None:
    reps = family()
    found = sim.compare(reps, "cka", reference="r2", permutations=0)
    assert found.pairs() == (("r2", "r0"), ("r2", "r1"), ("r2", "r3"))
    outside = sim.compare(reps, "cka", reference=reps["r0"] + 1, permutations=0)
    assert [row.a for row in outside.rows] == ["reference"] * 4
    np.testing.assert_allclose(outside.rows[0].score, 1, rtol=1e-12)
    with pytest.raises(InvalidInput, match="not among r0"):
        sim.compare(reps, "cka", reference="r9")


def test_default_measures_and_advice() -> None:
    reps = family(2, n=40)
    reps["r0"][:, 1] = 3.0
    reps["r1"][5] = reps["r1"][6]
    found = sim.compare(reps, permutations=0)
    assert set(found.measures) >= {"cka", "procrustes", "mean_cca", "rsa"}
    (row,) = [row for row in found.rows if row.label == "mutual_knn"]
    assert set(row.advice) == {"dead-units", "duplicate-rows", "few-rows-for-k"}


def test_pair_without_a_score_has_a_reason() -> None:
    reps = family(3) | {"wide": np.random.default_rng(1).normal(size=(60, 58))}
    found = sim.compare(reps, ["mean_cca", "cka"], permutations=5)
    assert len(found) == 12
    wrong = found.errors()
    assert {row.label for row in wrong} == {"mean_cca"}
    assert {frozenset((r.a, r.b)) for r in wrong} == {
        frozenset((f"r{i}", "wide")) for i in range(3)
    }
    assert all(row.status == "undefined" and "ranks" in row.reason for row in wrong)
    assert np.isnan(found.matrix("mean_cca")[0, 3])
    assert "undefined: ranks" in found.table(width=200)


@dataclass(frozen=True, kw_only=True)
class Broken(Measure):
    """Fails in `prepare` for one representation, and in `compare` for one pair."""

    name: ClassVar[str] = "broken"
    refs: ClassVar[tuple[str, ...]] = ()

    def claims(self) -> Claims:
        return Claims(kind="similarity", range=(-1.0, 1.0))

    def prepare(self, x, seed=None):
        if x.shape[1] == 5:
            raise RuntimeError("no memory left")
        return x

    def compare(self, p, q):
        if {p.shape[1], q.shape[1]} == {6, 7}:
            raise Undefined("not for these")
        return np.float64(0.5)


def test_failures_become_rows_and_other_pairs_are_computed() -> None:
    found = sim.compare(family(), [Broken(), "cka"], permutations=0)
    status = {(r.a, r.b): r for r in found.rows if r.measure == "broken"}
    assert {pair for pair, r in status.items() if r.status == "failed"} == {
        ("r0", "r1"),
        ("r0", "r2"),
        ("r0", "r3"),
    }
    assert status["r0", "r1"].reason == "RuntimeError: no memory left"
    assert status["r1", "r2"].status == "undefined"
    assert status["r1", "r3"].score == 0.5
    assert all(r.status == "ok" for r in found.rows if r.measure == "cka")


@pytest.mark.parametrize("measure", ["cka", "rsa", "mutual_knn"])
def test_tables_are_the_same_for_any_number_of_workers(measure: str) -> None:
    reps = family(5)
    one = sim.compare(reps, measure, permutations=5)
    with sim.config(workers=2):
        two = sim.compare(reps, measure, permutations=5)
    assert one == two
    assert one.rows[0].p is not None


def test_tables_are_the_same_with_a_small_memory_budget() -> None:
    """The budget holds two prepared representations at a time."""
    reps = {f"r{i}": np.random.default_rng(i).normal(size=(400, 100)) for i in range(6)}
    whole = sim.compare(reps, ["procrustes", "cka"], permutations=0)
    with sim.config(memory_budget=2**20):
        tiled = sim.compare(reps, ["procrustes", "cka"], permutations=0)
    assert [(r.a, r.b, r.label) for r in whole.rows] == [
        (r.a, r.b, r.label) for r in tiled.rows
    ]
    np.testing.assert_allclose(
        [row.score for row in tiled.rows],
        [row.score for row in whole.rows],
        rtol=1e-12,
        atol=1e-13,
    )


def test_rows_are_joined_by_id() -> None:
    x, y = (family(2)[name] for name in ("r0", "r1"))
    order = np.random.default_rng(0).permutation(60)
    a = Representation("a", x, ids=np.arange(60))
    b = Representation("b", y[order], ids=order)
    joined = sim.compare([a, b], "cka", permutations=0).rows[0]
    assert joined.score == sim.compare({"a": x, "b": y}, "cka").rows[0].score
    c = Representation("c", y[:50], ids=np.arange(5, 55))
    with pytest.raises(InvalidInput, match=r"0, 1, 2 and 7 more are only in a"):
        sim.compare([a, c], "cka")
    common = sim.compare([a, c], "cka", permutations=0, join_ids="common").rows[0]
    np.testing.assert_allclose(common.score, sim.cka(x[5:55], y[:50]), rtol=1e-12)
    assert common.n == 50


def test_different_blocks_are_refused() -> None:
    x, y = (family(2)[name] for name in ("r0", "r1"))
    a = Representation("a", x, blocks=np.arange(60) // 3)
    b = Representation("b", y, blocks=np.arange(60) // 4)
    with pytest.raises(InvalidInput, match="different blocks"):
        sim.compare([a, b], "cka")


@pytest.mark.parametrize(
    ("reps", "message"),
    [
        ({"a": np.zeros((4, 2))}, "got 1 representation; give two or more"),
        ({"a": np.ones((5, 2)), "b": np.ones((4, 2))}, "a has 5 rows and b has 4"),
        ({"a": np.ones((5, 2)), "b": np.ones(5)}, "b must be 2-d"),
        ({"a": np.eye(5), "b": np.full((5, 2), np.nan)}, "b: row 0, column 0 is NaN"),
        (3, "mapping of names"),
    ],
)
def test_invalid_representations_are_refused(reps, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        sim.compare(reps, "cka")


def test_measures_of_outputs_and_of_points_in_one_table() -> None:
    rng = np.random.default_rng(0)
    labels = {f"o{i}": Outputs(labels=rng.integers(3, size=60)) for i in range(2)}
    found = sim.compare(family(2) | labels, ["cka", "disagreement"], permutations=0)
    assert [(r.label, r.a, r.b) for r in found.rows] == [
        ("cka", "r0", "r1"),
        ("disagreement", "o0", "o1"),
    ]
    assert len(found.notes) == 2  # one note for each measure that skips some
    with pytest.raises(InvalidInput, match="disagreement compares outputs"):
        sim.compare(family(2), "disagreement")


def test_tensors_give_the_same_score_as_arrays() -> None:
    reps = family(2)
    tensors = {name: torch.tensor(x) for name, x in reps.items()}
    assert (
        sim.compare(tensors, "cka", permutations=0).rows[0].score
        == sim.compare(reps, "cka", permutations=0).rows[0].score
    )


def test_resume_keeps_existing_rows_and_recomputes_changed_inputs(
    tmp_path: Path,
) -> None:
    reps = family()
    first = sim.compare(reps, ["cka", "rsa"], permutations=5, out=tmp_path)
    again = sim.compare(reps, ["cka", "rsa"], permutations=5, out=tmp_path)
    assert first == again == Results.load(tmp_path)
    assert [r.seconds for r in first.rows] == [r.seconds for r in again.rows]
    reps["r0"] = reps["r0"] + 1e-3  # other values are other jobs, under the same name
    changed = sim.compare(reps, ["cka", "rsa"], permutations=5, out=tmp_path)
    assert {row.job for row in changed.rows} & {row.job for row in first.rows} == {
        row.job for row in first.rows if "r0" not in (row.a, row.b)
    }


def test_another_seed_gives_another_job() -> None:
    jobs = [
        sim.compare(family(2), "cka", permutations=9, rng=seed).rows[0]
        for seed in (0, 1, 0)
    ]
    assert jobs[0] == jobs[2]
    assert jobs[0].job != jobs[1].job
    assert jobs[0].null_mean != jobs[1].null_mean


def test_results_convert_to_json_and_polars() -> None:
    found = sim.compare(family(3), ["cka", "mean_cca"], permutations=5)
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["schema"] == 1
    assert len(document["rows"]) == 6
    frame = found.to_polars()
    assert frame.shape[0] == 6
    assert frame["score"].to_list() == [row.score for row in found.rows]
    assert "kornblith" in found.cite()


def test_mapping_of_measures_gives_custom_labels() -> None:
    wanted = {"wide rbf": CKA(kernel=RBF(fraction=4.0)), "plain": CKA()}
    found = sim.compare(family(2), wanted, permutations=0)
    assert found.measures == ("wide rbf", "plain")


def test_rows_have_the_scores_of_untrained_and_seed_twins() -> None:
    reps = family(2)
    rng = np.random.default_rng(5)
    blank = {name: rng.normal(size=(60, 4)) for name in reps}
    other = {name: x + 0.1 * rng.normal(size=x.shape) for name, x in reps.items()}
    found = sim.compare(
        reps,
        ["cka", "procrustes"],
        baselines={"untrained": blank, "seed": other},
        permutations=0,
    )
    assert len(found) == 2
    for row in found.rows:
        measure = getattr(sim, row.measure)
        floor = measure(blank["r0"], blank["r1"])
        ceiling = np.mean([measure(reps[n], other[n]) for n in reps])
        np.testing.assert_allclose(row.baselines["untrained"], floor, rtol=1e-10)
        np.testing.assert_allclose(row.baselines["seed"], ceiling, rtol=1e-10)
    single = sim.compare(
        reps, "cka", baselines={"untrained": blank["r0"]}, permutations=0
    )
    expected = np.mean([sim.cka(reps[n], blank["r0"]) for n in reps])
    np.testing.assert_allclose(single.rows[0].baselines["untrained"], expected)
    with pytest.raises(InvalidInput, match="names 'zz'"):
        sim.compare(reps, "cka", baselines={"seed": {"zz": reps["r0"]}})


def test_intervals_equal_those_recomputed_without_each_group() -> None:
    """Even with one dominant row, for which the single pass loses all digits."""
    reps = family(3, n=120)
    reps["r0"][7] *= 1e7
    found = sim.compare(reps, "cka", permutations=0)
    stream = np.random.SeedSequence(0, spawn_key=(2,))
    parts = sim.stats.groups(120, stream)
    sizes = np.array([len(g) for g in parts])
    couples = [np.concatenate(parts[i : i + 2]) for i in range(0, 20, 2)]
    for row in found.rows:
        x, y = reps[row.a], reps[row.b]
        one, two = (
            [float(sim.cka(np.delete(x, g, 0), np.delete(y, g, 0))) for g in without]
            for without in (parts, couples)
        )
        group_sizes = sim.stats.GroupSizes(sizes, sizes)
        left = sim.stats.JackknifeScores(
            row.score, np.array(one), np.array(two), group_sizes
        )
        many = [sim.stats.directions(sim.measures.CKA(), side) for side in (x, y)]
        expected = sim.stats.interval_of(sim.measures.CKA(), left, x=many[0], y=many[1])
        limits = [expected.low, expected.high]
        np.testing.assert_allclose([row.low, row.high], limits, rtol=1e-6)


def test_inputs_add_deconfounded_cka() -> None:
    reps, rng = family(3), np.random.default_rng(3)
    inputs = rng.normal(size=(60, 4))
    found = sim.compare(reps, "cka", inputs=inputs, permutations=3)
    assert found.measures == ("cka", "deconfounded_cka")
    for row in found.rows[3:]:
        x, y = reps[row.a], reps[row.b]
        expected = sim.deconfounded_cka(x, y, confounder=inputs)
        np.testing.assert_allclose(row.score, expected, rtol=1e-10)
        assert row.p is not None
    assert "beyond what the inputs explain" in found.table(200)
    assert "cui2022deconfounded" in found.cite()
    other = sim.compare(reps, "cka", inputs=inputs + 1, permutations=3)
    assert other.rows[3].job != found.rows[3].job  # other inputs are another job
    # The rows of the inputs are joined by id as well.
    order = rng.permutation(60)
    with_ids = [Representation(n, x, ids=np.arange(60)) for n, x in reps.items()]
    permuted = Representation("inputs", inputs[order], ids=order)
    joined = sim.compare(with_ids, "cka", inputs=permuted, permutations=3)
    np.testing.assert_allclose(
        [row.score for row in joined.rows], [row.score for row in found.rows]
    )
    with pytest.raises(InvalidInput, match="inputs has 50"):
        sim.compare(reps, "cka", inputs=inputs[:50])


def test_compare_does_not_change_its_arguments() -> None:
    reps = family(2)
    copies = {name: x.copy() for name, x in reps.items()}
    sim.compare(reps, permutations=2)
    for name, x in copies.items():
        np.testing.assert_array_equal(reps[name], x)


def test_importing_similitude_does_not_load_the_engine() -> None:
    code = "import sys, similitude; print('similitude.engine' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_blocks_of_one_side_disable_exact_moments() -> None:
    """The moments are over all row orders, but blocks allow only some of them."""
    x, y = (family(2)[name] for name in ("r0", "r1"))
    a = Representation("a", x, blocks=np.arange(60) // 3)
    row = sim.compare([a, Representation("b", y)], "cka", permutations=9).rows[0]
    assert row.p_method == "permutation"
    assert row.p == 1 / 10
