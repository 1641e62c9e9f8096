"""Groups of stimuli: planted ones are found as one group, and seeds have none."""

import numpy as np
import pytest

from shared.seeds_of_one_population import seeds
from similitude.engine.stimuli import groups_of

NAMES = ("a", "b")


@pytest.mark.parametrize("seed", range(4))
def test_a_group_that_moves_together_is_one_group(seed: int) -> None:
    rng = np.random.default_rng(seed)
    (x, y), _ = seeds(rng, 2)
    rows = rng.choice(len(x), 20, replace=False)
    place = rng.normal(size=y.shape[1])
    y[rows] = 24 * place / np.linalg.norm(place) + 0.5 * rng.normal(
        size=(20, len(place))
    )
    scores = rng.normal(size=len(x))
    (group,) = [g for g in groups_of(x, y, NAMES, scores) if g.near == "b"]
    assert set(group.members) == set(rows.tolist())
    assert (group.near, group.far, group.size) == ("b", "a", 20)
    np.testing.assert_allclose(group.score, scores[rows].mean())


@pytest.mark.parametrize("seed", range(4))
def test_a_class_that_is_scattered_is_one_group(seed: int) -> None:
    rng = np.random.default_rng(seed)
    (x, y), labels = seeds(rng, 2)
    rows = np.flatnonzero(labels == 3)[:20]
    others = rng.permutation(np.flatnonzero(labels != 3))[: len(rows)]
    y[rows] = y[others] + 0.1 * rng.normal(size=(len(rows), y.shape[1]))
    (group,) = [g for g in groups_of(x, y, NAMES, np.zeros(len(x))) if g.near == "a"]
    assert set(rows.tolist()) <= set(group.members)
    assert (labels[list(group.members)] == 3).all()


@pytest.mark.parametrize("seed", range(4))
def test_two_planted_groups_are_two_groups(seed: int) -> None:
    rng = np.random.default_rng([seed, 7])
    (x, y), _ = seeds(rng, 2, n=400)
    drawn = rng.choice(len(x), 40, replace=False).reshape(2, 20)
    for rows, side in zip(drawn, (1.0, -1.0), strict=True):
        y[rows] = 20 * side * np.eye(1, y.shape[1]) + rng.normal(size=(20, y.shape[1]))
    found = [g for g in groups_of(x, y, NAMES, np.zeros(len(x))) if g.near == "b"]
    assert {frozenset(g.members) for g in found} == {
        frozenset(r.tolist()) for r in drawn
    }


@pytest.mark.parametrize("seed", range(4))
def test_two_seeds_have_no_groups(seed: int) -> None:
    (x, y), _ = seeds(np.random.default_rng(seed), 2)
    assert groups_of(x, y, NAMES, np.zeros(len(x))) == ()
