"""Selection of rows by number or id, and removal of nonfinite rows."""

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, Representation

N = 30
RNG = np.random.default_rng(0)
X, Y, Z = (RNG.normal(size=(N, d)) for d in (4, 3, 5))
ORDER = RNG.permutation(N)


def score(reps, **options) -> float:
    (row,) = sim.compare(reps, "cka", permutations=0, **options).rows
    return row.score


@pytest.mark.parametrize(
    ("rows", "numbers"),
    [
        ("5:25:2", np.arange(5, 25, 2)),
        (slice(5, 25, 2), np.arange(5, 25, 2)),
        (slice(-12, None), np.arange(N - 12, N)),
        ("9,3,4,8,1,0", [9, 3, 4, 8, 1, 0]),
        ([9, 3, 4, 8, 1, 0], [9, 3, 4, 8, 1, 0]),
        (np.array([9, 3, 4, 8, 1, 0]), [9, 3, 4, 8, 1, 0]),
    ],
)
def test_rows_may_be_numbers_a_slice_or_text(rows, numbers) -> None:
    assert score({"x": X, "y": Y}, rows=rows) == sim.cka(X[numbers], Y[numbers])


def test_rows_are_counted_in_the_first_representation_if_all_have_ids() -> None:
    reps = [
        Representation("x", X, ids=np.arange(N)),
        Representation("y", Y[ORDER], ids=ORDER),
    ]
    assert score(reps, rows="0:20") == sim.cka(X[:20], Y[:20])


def test_rows_of_twins_and_inputs_are_selected_and_dropped_too() -> None:
    nonfinite = Z.copy()
    nonfinite[7, 2] = np.inf
    found = sim.compare(
        {"x": X, "y": Y},
        "cka",
        baselines={"seed": nonfinite},
        inputs=Z,
        rows=slice(20),
        drop_nonfinite=True,
        permutations=0,
    )
    keep = np.delete(np.arange(20), 7)
    x, y, z = X[keep], Y[keep], Z[keep]
    row, deconfounded = found.rows
    assert found.dropped == 1
    assert row.score == sim.cka(x, y)
    assert row.baselines["seed"] == (sim.cka(x, z) + sim.cka(y, z)) / 2
    expected = sim.deconfounded_cka(x, y, confounder=z)
    np.testing.assert_allclose(deconfounded.score, expected, rtol=1e-12)


def test_number_of_dropped_rows_is_saved(tmp_path) -> None:
    with_nan = X.copy()
    with_nan[[3, 9]] = np.nan
    sim.compare({"x": with_nan, "y": Y}, "cka", drop_nonfinite=True, out=tmp_path / "o")
    assert sim.Results.load(tmp_path / "o").dropped == 2


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([3, 3], r"rows=\[3, 3\] names a row twice"),
        (range(100), r"rows=\[0, 1, 2, ...\]: x has rows 0 to 29"),
        (slice(0, 100), r"rows=slice\(0, 100, None\): x has rows 0 to 29"),
        (slice(9, 9), "x has rows 0 to 29"),
        ([], "x has rows 0 to 29"),
        ([-1], "x has rows 0 to 29"),
        (3, "rows=3: write a slice"),
        ([0.5], r"rows=\[0.5\]: write a slice"),
        (slice(0, 9, 0), "write a slice"),
        ("0:9:0", "rows='0:9:0': write a slice"),
        ("1:2:3:4", "write a slice"),
        ("9" * 40, "x has rows 0 to 29"),
    ],
)
def test_invalid_rows_are_refused(rows, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        sim.compare({"x": X, "y": Y}, "cka", rows=rows)


def test_twins_in_a_list_are_matched_by_twin_of_or_name() -> None:
    twins = [
        Representation("y", Z),
        Representation("any", Y, baseline="b", twin_of="x"),
    ]
    found = sim.compare({"x": X, "y": X}, "cka", baselines={"b": twins}, permutations=0)
    mean = (sim.cka(X, Y) + sim.cka(X, Z)) / 2
    np.testing.assert_allclose(found.rows[0].baselines["b"], mean, rtol=1e-12)
