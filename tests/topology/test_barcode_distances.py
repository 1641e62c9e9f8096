"""Bottleneck and Wasserstein distances, compared with all matchings and with persim."""

import itertools
import math

import numpy as np
import persim
import pytest

from similitude import InvalidInput
from similitude.topology import (
    Barcode,
    bottleneck_distance,
    rips_barcode,
    wasserstein_distance,
)


def barcode(bars: list, degree: int = 1) -> Barcode:
    births, deaths = np.reshape(bars, (-1, 2)).astype(float).T
    no_edges = np.full((len(births), 2), -1)
    names = np.full(len(births), "none")
    return Barcode(degree, births, deaths, no_edges, no_edges, names, names, 9)


def costs_of_all_matchings(a: list, b: list, norm: float) -> list[list[float]]:
    """Costs of all pairs, for every partial matching of a with b."""
    matchings = []
    for k in range(min(len(a), len(b)) + 1):
        for from_a in itertools.combinations(range(len(a)), k):
            for from_b in itertools.permutations(range(len(b)), k):
                costs = [
                    np.linalg.norm(np.subtract(a[i], b[j]), norm)
                    for i, j in zip(from_a, from_b, strict=True)
                ]
                unmatched = [a[i] for i in range(len(a)) if i not in from_a]
                unmatched += [b[j] for j in range(len(b)) if j not in from_b]
                diagonal = [np.full(2, (p[0] + p[1]) / 2) for p in unmatched]
                costs += [
                    np.linalg.norm(p - m, norm)
                    for p, m in zip(unmatched, diagonal, strict=True)
                ]
                matchings.append(costs)
    return matchings


def random_bars(rng: np.random.Generator, ties: bool) -> list:  # noqa: FBT001
    count = int(rng.integers(5))
    births = rng.integers(4, size=count) if ties else rng.random(count)
    lengths = rng.integers(1, 4, size=count) if ties else rng.random(count)
    return np.column_stack([births, births + lengths]).astype(float).tolist()


@pytest.mark.parametrize("ties", [False, True])
def test_distances_are_minima_over_all_matchings(ties: bool) -> None:  # noqa: FBT001
    rng = np.random.default_rng(0)
    for _ in range(25):
        a, b = random_bars(rng, ties), random_bars(rng, ties)
        one, two = barcode(a), barcode(b)
        largest = [max(m, default=0.0) for m in costs_of_all_matchings(a, b, np.inf)]
        np.testing.assert_allclose(bottleneck_distance(one, two), min(largest))
        for order, norm in ((1, np.inf), (1, 1), (2, 2), (3, 1.5), (2, np.inf)):
            costs = costs_of_all_matchings(a, b, norm)
            expected = min(sum(c**order for c in m) for m in costs) ** (1 / order)
            got = wasserstein_distance(one, two, order=order, internal=norm)
            np.testing.assert_allclose(got, expected, atol=1e-12)
            back = wasserstein_distance(two, one, order=order, internal=norm)
            np.testing.assert_allclose(back, got, atol=1e-12)


def test_distances_of_random_clouds_agree_with_persim() -> None:
    rng = np.random.default_rng(1)
    for degree in (0, 1):
        bars = [rips_barcode(rng.normal(size=(50, 2)))[degree] for _ in range(2)]
        dgms = [np.column_stack([b.finite().births, b.finite().deaths]) for b in bars]
        np.testing.assert_allclose(
            wasserstein_distance(*bars, internal=2), persim.wasserstein(*dgms)
        )
        np.testing.assert_allclose(bottleneck_distance(*bars), persim.bottleneck(*dgms))


def test_infinite_bars_are_matched_in_order_of_birth() -> None:
    never = np.inf
    a = barcode([[0, never], [5, never], [1, 2]])
    b = barcode([[6, never], [1, never], [1, 2]])
    assert bottleneck_distance(a, b) == 1.0
    assert wasserstein_distance(a, b) == 2.0
    assert wasserstein_distance(a, b, order=2) == pytest.approx(2**0.5)
    c = barcode([[0, never], [1, 2]])
    assert bottleneck_distance(a, c) == math.inf
    assert wasserstein_distance(a, c) == math.inf


def test_distances_of_empty_and_equal_barcodes() -> None:
    empty, two_bars = barcode([]), barcode([[0, 4], [1, 2]])
    for distance in (bottleneck_distance, wasserstein_distance):
        assert distance(empty, empty) == 0.0
        assert distance(two_bars, two_bars) == 0.0
    assert bottleneck_distance(empty, two_bars) == 2.0
    assert wasserstein_distance(two_bars, empty) == 2.5


def test_wasserstein_distance_of_huge_values_does_not_overflow() -> None:
    a, b = barcode([[0, 3e200]]), barcode([[0, 1e200]])
    np.testing.assert_allclose(wasserstein_distance(a, b, order=2), 1.5811388e200)


def test_distances_of_many_slightly_moved_bars() -> None:
    """Bars that move by less than half of their distances keep their partners."""
    rng = np.random.default_rng(2)
    births = np.arange(300.0)
    bars = np.column_stack([births, births + 50])
    moved = bars + rng.uniform(-0.2, 0.2, size=bars.shape)
    a, b = barcode(bars), barcode(moved)
    step = np.abs(bars - moved)
    np.testing.assert_allclose(bottleneck_distance(a, b), step.max())
    np.testing.assert_allclose(wasserstein_distance(a, b), step.max(axis=1).sum())


@pytest.mark.parametrize(
    ("options", "clue"),
    [
        ({"order": 0.5}, "order"),
        ({"order": np.inf}, "bottleneck"),
        ({"internal": 0}, "internal"),
        ({"order": np.nan}, "order"),
    ],
)
def test_invalid_options_are_rejected(options: dict, clue: str) -> None:
    with pytest.raises(InvalidInput, match=clue):
        wasserstein_distance(barcode([]), barcode([]), **options)


def test_degrees_must_be_equal() -> None:
    with pytest.raises(InvalidInput, match="degree 0 and b has degree 1"):
        bottleneck_distance(barcode([], 0), barcode([], 1))
