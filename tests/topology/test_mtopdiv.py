"""MTop-Div: the published example, and random batches."""

import numpy as np
import pytest

from similitude import InvalidInput, config, topology


def test_mtopdiv_reproduces_the_published_example() -> None:
    """The authors' README has 0.035247244, from float32 bars and numpy's RandomState.

    It is the mean over twenty pairs of batches, 100 rows of P and all of Q. The line
    before in the README draws one more pair, which is skipped here.
    """
    old = np.random.RandomState(7)
    p, q = old.rand(1000, 2), old.rand(1000, 2)
    values = []
    for _ in range(21):
        old.choice(1000, 1000, replace=False)  # the order of q does not matter
        rows = old.choice(1000, 100, replace=False)
        values.append(topology.mtopdiv(p[rows], q))
    np.testing.assert_allclose(np.mean(values[1:]), 0.035247244, rtol=2e-6)


def test_mtopdiv_is_the_total_persistence_of_the_cross_barcode() -> None:
    rng = np.random.default_rng(0)
    p, q = rng.normal(size=(20, 3)), rng.normal(size=(30, 3))
    bars = topology.cross_barcode(p, q)[1]
    assert len(bars) > 3
    np.testing.assert_allclose(topology.mtopdiv(p, q), bars.total_persistence)
    assert topology.mtopdiv(p, np.concatenate([q, p])) == 0


def test_mtopdiv_averages_over_random_batches() -> None:
    rng = np.random.default_rng(1)
    p, q = rng.normal(size=(30, 2)), rng.normal(size=(40, 2))
    options = {"batch_p": 12, "batch_q": 100, "draws": 3}
    with pytest.raises(InvalidInput, match="rng=0"):
        topology.mtopdiv(p, q, **options)
    got = topology.mtopdiv(p, q, **options, rng=5)
    draw = np.random.default_rng(np.random.SeedSequence(5))
    values = []
    for _ in range(3):
        rows = np.sort(draw.permutation(30)[:12])
        draw.permutation(40)
        values.append(topology.mtopdiv(p[rows], q))
    np.testing.assert_allclose(got, np.mean(values))
    with config(workers=2):
        assert topology.mtopdiv(p, q, **options, rng=5) == got


def test_different_columns_and_empty_batches_are_rejected() -> None:
    with pytest.raises(InvalidInput, match="columns"):
        topology.mtopdiv(np.zeros((3, 2)), np.zeros((3, 3)))
    with pytest.raises(InvalidInput, match="batch_q"):
        topology.mtopdiv(np.zeros((3, 2)), np.zeros((3, 2)), batch_q=0)
