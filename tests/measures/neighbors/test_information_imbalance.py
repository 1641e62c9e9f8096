"""The information imbalance against its formula and against numbers of dadapy."""

import json
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude import _linalg

CASES = json.loads((Path(__file__).parent / "dadapy_0_3_4.json").read_text())["cases"]


def imbalance(x, y, k: int) -> float:
    measure = sim.measures.InformationImbalance(k=k)
    p, q = measure.prepare_both(np.array(x), np.array(y))
    return measure.details(p, q)["imbalance"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"k {case['k']}")
def test_details_equal_the_imbalance_of_dadapy(case) -> None:
    x, y, k = case["x"], case["y"], case["k"]
    np.testing.assert_allclose(imbalance(x, y, k), case["x_to_y"], rtol=1e-12)
    np.testing.assert_allclose(imbalance(y, x, k), case["y_to_x"], rtol=1e-12)


def naive(x: np.ndarray, y: np.ndarray, k: int) -> float:
    n, total = len(x), 0.0
    for i in range(n):
        others = [j for j in range(n) if j != i]
        near, places = (
            sorted(others, key=lambda j: (np.linalg.norm(side[i] - side[j]), j))
            for side in (x, y)
        )
        total += sum(places.index(j) + 1 for j in near[:k])
    return float((2 * total / (n * k) - k - 1) / (n - k - 1))


@pytest.mark.parametrize(("n", "k"), [(4, 1), (4, 2), (30, 1), (30, 7), (300, 2)])
@pytest.mark.parametrize("kind", ["normal", "duplicates", "far"])
def test_score_equals_its_formula(n, k, kind) -> None:
    rng = np.random.default_rng(n + k)
    x = rng.normal(size=(n, 3))
    y = x[:, :2] + 0.5 * rng.normal(size=(n, 2))
    if kind == "duplicates":
        x[::3], y[::2] = x[0], y[1]
    x = x + 1000.0 if kind == "far" else x
    found = float(sim.information_imbalance(x, y, k=k))
    np.testing.assert_allclose(found, naive(x, y, k), rtol=1e-9, atol=1e-12)


def test_equal_spaces_score_zero_and_unrelated_ones_one() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 2000, 3))
    assert float(sim.information_imbalance(x, 3 * x + 1)) == 0
    assert abs(float(sim.information_imbalance(x, y)) - 1) < 0.05
    assert float(sim.information_imbalance(x[:5], y[:5], k=4)) == 0  # all are near


def test_a_coordinate_tells_less_than_both() -> None:
    x = np.random.default_rng(0).normal(size=(300, 2))
    one = x[:, :1]
    assert float(sim.information_imbalance(x, one)) < 0.15
    assert float(sim.information_imbalance(one, x)) > 0.2


def test_places_count_ties_by_index() -> None:
    rows = np.array([[0.0], [1.0], [-1.0], [1.0]])
    lists = np.array([[1, 2, 3]] * 4)[:1].repeat(4, axis=0)
    found = _linalg.places(rows, lists, "euclidean")
    np.testing.assert_array_equal(found[0], [1, 2, 3])
