"""Minibatch CKA: sums of HSIC_1, then the ratio."""

import numpy as np
import pytest

import similitude as sim
from measures.kernel_alignment.naive_hsic import naive_hsic_1
from similitude.measures.kernel_alignment._minibatch_cka import batches

RNG = np.random.default_rng(4)
X = RNG.normal(size=(45, 5)) + 2
Y = X[:, :3] @ RNG.normal(size=(3, 40)) + RNG.normal(size=(45, 40))


@pytest.mark.parametrize("batch", [4, 7, 11, 44, 45, 256])
def test_minibatch_cka_equals_its_definition(batch: int) -> None:
    sums = np.zeros(3)
    for start, stop in batches(45, batch):
        k, l = (v[start:stop] @ v[start:stop].T for v in (X, Y))  # noqa: E741
        sums += [naive_hsic_1(k, l), naive_hsic_1(k, k), naive_hsic_1(l, l)]
    expected = sums[0] / np.sqrt(sums[1] * sums[2])
    got = sim.minibatch_cka(X, Y, batch=batch)
    np.testing.assert_allclose(got, expected, rtol=1e-9)


@pytest.mark.parametrize("n", range(4, 40))
def test_batches_have_every_row_once_and_at_least_four_rows(n: int) -> None:
    for size in (4, 5, 16):
        parts = batches(n, size)
        rows = [i for start, stop in parts for i in range(start, stop)]
        assert rows == list(range(n))
        sizes = [stop - start for start, stop in parts]
        assert min(sizes) >= 4
        assert set(sizes[:-1]) <= {size}
        assert sizes[-1] <= size + 3


def test_one_batch_equals_cka() -> None:
    np.testing.assert_allclose(sim.minibatch_cka(X, Y), sim.cka(X, Y), rtol=1e-10)


def test_averages_of_biased_batches_overestimate_cka() -> None:
    """y = (x + noise) / sqrt 2 has CKA 1/2; batches of 16, 32, 64 rows, d = 50."""
    rng = np.random.default_rng(0)
    found: dict[int, list] = {16: [], 32: [], 64: []}
    averages: dict[int, list] = {16: [], 32: [], 64: []}
    for _ in range(20):
        x = rng.normal(size=(512, 50))
        y = (x + rng.normal(size=(512, 50))) / np.sqrt(2)
        for size in found:
            found[size].append(float(sim.minibatch_cka(x, y, batch=size)))
            parts = [(x[a:b], y[a:b]) for a, b in batches(512, size)]
            biased = [float(sim.cka(a, b, estimator="biased")) for a, b in parts]
            averages[size].append(np.mean(biased))
    for size, scores in found.items():
        error = np.std(scores, ddof=1) / np.sqrt(len(scores))
        assert abs(np.mean(scores) - 0.5) < 4 * error, (size, np.mean(scores))
    means = [np.mean(averages[size]) for size in (16, 32, 64)]
    assert means[0] > means[1] > means[2] > 0.6
    # For linear kernels, streaming sums over all batches give the exact CKA.
    moments = sim.streaming.Moments()
    for start, stop in batches(512, 16):
        moments.update(x[start:stop], y[start:stop])
    np.testing.assert_allclose(moments.cka(), sim.cka(x, y), rtol=1e-10)


def test_one_constant_batch_does_not_make_the_score_undefined() -> None:
    x = X.copy()
    x[:11] = 0.1
    assert np.isfinite(sim.minibatch_cka(x, Y, batch=11))
    with pytest.raises(sim.Undefined):
        sim.minibatch_cka(np.repeat([[1.0], [2.0]], 8, axis=0), Y[:16], batch=8)


def test_small_batches_are_refused_and_details_count_batches() -> None:
    with pytest.raises(sim.InvalidInput, match="batch=3"):
        sim.minibatch_cka(X, Y, batch=3)
    with pytest.raises(sim.Undefined, match="4 rows"):
        sim.minibatch_cka(X[:3], Y[:3])
    measure = sim.measures.MinibatchCKA(batch=8)
    details = measure.details(measure.prepare(X), measure.prepare(Y))
    assert details == {"batches": 6, "last_batch": 5}
