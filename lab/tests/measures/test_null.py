"""The bias map covers every measure, and its noise is independent."""

import math

import numpy as np
import pytest

import similitude as sim
from similitude_lab.measures._null_scores import (
    every_measure,
    independent,
    scores_of_noise,
)


def test_every_measure_of_the_library_is_in_the_map() -> None:
    assert set(sim.MEASURES) < set(every_measure())


@pytest.mark.parametrize("domain", ["points", "outputs", "softmax"])
def test_the_inputs_are_independent_and_have_the_requested_size(domain: str) -> None:
    x, y = independent(domain, 500, 6, np.random.default_rng(0))
    parts = {
        "points": lambda z: z,
        "outputs": lambda z: z.log_probs - z.log_probs.mean(axis=1, keepdims=True),
        "softmax": lambda z: z.embeddings,
    }[domain]
    a, b = parts(x), parts(y)  # type: ignore[no-untyped-call]
    assert a.shape == b.shape == (500, 6)
    correlations = np.corrcoef(a, b, rowvar=False)[:6, 6:]
    assert 0 < np.abs(correlations).max() < 5 / math.sqrt(500)


def test_an_unknown_kind_of_input_is_an_error() -> None:
    with pytest.raises(sim.InvalidInput, match="'images'"):
        independent("images", 10, 2, np.random.default_rng(0))


def test_scores_of_a_cell_are_means_over_pairs_and_undefined_ones_are_counted() -> None:
    n, d, pairs = 12, 20, 2  # more columns than rows: CCA is undefined
    found = scores_of_noise(n, d, pairs, np.random.default_rng(3))
    names = list(every_measure())
    at = names.index("mean_cca")
    assert math.isnan(found["mean"][at])
    assert found["count"][at] == 0
    at = names.index("cka, biased")
    children = np.random.default_rng(3).spawn(pairs)
    scores = [
        sim.cka(*independent("points", n, d, child), estimator="biased")
        for child in children
    ]
    assert found["mean"][at] == pytest.approx(np.mean(scores), rel=1e-12)
    assert found["sd"][at] == pytest.approx(np.std(scores, ddof=1), rel=1e-12)
    assert found["count"][at] == pairs
