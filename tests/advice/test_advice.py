"""Warnings about properties of the data that make scores misleading."""

from dataclasses import replace

import numpy as np
import pytest

import similitude as sim
from similitude import Representation, advise, compare
from similitude.advice import CODES, describe


def normal(n: int = 120, d: int = 5, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d))


def codes(reps: object) -> list[tuple[str, tuple[str, ...]]]:
    return [(advice.code, advice.about) for advice in advise(reps)]


def test_no_advice_for_normal_data() -> None:
    assert advise({"a": normal(), "b": normal(seed=1)}) == []


def test_dead_units_duplicates_ranks_and_same_model_are_reported() -> None:
    dead, repeated = normal(), normal(seed=1)
    dead[:, 2] = 7.0
    repeated[3] = repeated[8]
    wide = normal(d=70, seed=2)
    found = codes({"dead": dead, "repeated": repeated, "wide": wide})
    assert found == [
        ("dead-units", ("dead",)),
        ("duplicate-rows", ("repeated",)),
        ("ranks", ("dead", "wide")),
        ("ranks", ("repeated", "wide")),
    ]
    layers = [Representation(f"m/{i}", normal(seed=i), model="m") for i in range(2)]
    assert codes(layers) == [("same-model", ("m/0", "m/1"))]
    steps = [replace(rep, step=step) for step, rep in enumerate(layers)]
    assert codes(steps) == []  # checkpoints, which are compared on purpose
    (text,) = (advice.text for advice in advise(layers))
    assert "deterministic function of the same input" in text
    assert {code for code, _ in found} <= set(CODES)


def test_fewer_than_ten_rows_per_neighbor_are_reported() -> None:
    few = {"few": normal(99)}
    assert codes(few) == [("few-rows-for-k", ("few",))]
    (text,) = (advice.text for advice in advise(few))
    assert text.startswith("few: k = 10 neighbors are more than a tenth of 99 rows")


def test_tied_distances_are_reported() -> None:
    """All corners of a simplex are equally far from each other, without duplicates."""
    corners, grid = np.eye(120), np.indices((12, 10)).reshape(2, -1).T
    assert codes({"corners": corners}) == [("ties", ("corners",))]
    assert codes({"grid": grid}) == [("ties", ("grid",))]
    assert codes({"exact": np.round(normal(), 6)}) == []
    measures = [
        "mutual_knn",
        sim.measures.MutualKNN(metric="euclidean"),
        "cknna",
        "cka",
    ]
    lengths = 1 + np.random.default_rng(5).random((120, 1))
    one_direction = {"a": normal(), "b": lengths * [[1.0, 2.0]]}
    found = compare(one_direction, measures, permutations=0)
    tied = {row.label: "ties" in row.advice for row in found.rows}
    assert tied == {
        "mutual_knn": True,
        "mutual_knn(metric=euclidean)": False,
        "cknna": False,
        "cka": False,
    }
    one_of_many = normal()
    one_of_many[0] = 0
    assert codes({"x": one_of_many}) == []


def test_rows_that_differ_in_the_sign_of_zero_are_duplicates() -> None:
    x = normal()
    x[7] = x[3]
    x[3, 0], x[7, 0] = 0.0, -0.0
    described = describe(Representation("x", x))
    assert described.duplicate_rows == 1
    assert described.intrinsic_dimension is None


def test_ranks_advice_counts_independent_columns() -> None:
    """Only 4 of 90 columns are independent, which is few for 120 rows."""
    thin = normal(d=4) @ normal(4, 90, seed=3)
    assert codes({"thin": thin, "b": normal(seed=1)}) == []
    assert describe(Representation("thin", thin)).rank == 4


def test_rows_list_the_codes_that_apply_to_their_measure() -> None:
    wide = {"a": normal(60, 20), "b": normal(60, 20, seed=1)}
    measures = [
        "cka",
        sim.measures.CKA(estimator="biased"),
        "mean_cca",
        "mutual_knn",
        "rtd",
    ]
    found = compare(wide, measures, permutations=0)
    assert {row.label: row.advice for row in found.rows} == {
        "cka": (),
        "cka(estimator=biased)": ("ranks",),
        "mean_cca": ("ranks",),
        "mutual_knn": ("few-rows-for-k",),
        "rtd": ("batch-sizes",),
    }


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1.0])
def test_advice_does_not_depend_on_the_scale(scale: float) -> None:
    x = normal(d=6)
    plain, scaled = (describe(Representation("x", values)) for values in (x, scale * x))
    assert scaled.rank == plain.rank == 6
    np.testing.assert_allclose(scaled.participation_ratio, plain.participation_ratio)
    assert codes({"a": scale * x, "b": scale * normal(seed=1)}) == []


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float16])
def test_describe_accepts_any_real_dtype(dtype: type) -> None:
    x = (normal(n=40, d=8) > 0).astype(dtype)
    x[:, 3] = 1
    described = describe(Representation("x", x))
    assert described.dead_units == 1
    assert described.duplicate_rows == 40 - len(np.unique(x, axis=0))
    assert described.rank == 7
    row = compare({"x": x, "y": normal(40)}, "cka", permutations=0).rows[0]
    assert "dead-units" in row.advice


def test_describe_a_constant_representation() -> None:
    described = describe(Representation("x", np.zeros((9, 2))))
    assert (described.rank, described.dead_units, described.duplicate_rows) == (0, 2, 8)
    assert described.participation_ratio == 0.0
    assert described.intrinsic_dimension is None


def test_participation_ratio_and_intrinsic_dimension_follow_the_formulas() -> None:
    x = normal(n=300, d=3) @ np.diag([3.0, 1.0, 0.5])
    found = describe(Representation("x", x))
    eigenvalues = np.linalg.eigvalsh(np.cov(x.T))
    expected = eigenvalues.sum() ** 2 / (eigenvalues**2).sum()
    np.testing.assert_allclose(found.participation_ratio, expected)
    distances = np.linalg.norm(x[:, None] - x[None], axis=2)
    nearest = np.sort(distances, axis=1)[:, 1:3]
    by_hand = 299 / np.sum(np.log(nearest[:, 1] / nearest[:, 0]))
    np.testing.assert_allclose(found.intrinsic_dimension, by_hand, rtol=1e-6)
    assert 2.5 < by_hand < 3.6


def test_ties_of_prepared_neighbors_replace_a_second_search(monkeypatch) -> None:
    from similitude import advice
    from similitude.advice import _facts

    rng = np.random.default_rng(0)
    grid = np.stack(np.meshgrid(np.arange(8.0), np.arange(8.0)), -1).reshape(-1, 2)
    for x in (grid, rng.normal(size=(64, 3))):
        reps = [sim.Representation(name, x) for name in "ab"]
        measure = sim.measures.MutualKNN(metric="euclidean")
        p = measure.prepare(x)
        details = measure.details(p, p)
        expected = advice.Pairwise(reps).codes(0, 1, measure)
        with monkeypatch.context() as patch:
            patch.setattr(_facts.Facts, "tied", None)  # calling it would fail
            assert advice.Pairwise(reps).codes(0, 1, measure, details) == expected
        assert ("ties" in expected) == (x is grid)
