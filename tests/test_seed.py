"""Seeds can be reused, and other values are rejected."""

import numpy as np
import pytest

import similitude as sim
from similitude._base._seed import as_seed


def test_a_seed_gives_the_same_draw_each_time() -> None:
    def draw(seed: np.random.SeedSequence) -> float:
        return np.random.default_rng(seed).random()

    assert draw(as_seed(3)) == draw(as_seed(np.int64(3))) != draw(as_seed(4))
    sequence = np.random.SeedSequence(3)
    assert as_seed(sequence) is sequence
    generator = np.random.default_rng(3)
    first, second = as_seed(generator), as_seed(generator)
    assert draw(first) == draw(first) != draw(second)


@pytest.mark.parametrize("rng", [None, -1, 1.5, True, "0"])
def test_invalid_seeds_are_rejected(rng: object) -> None:
    with pytest.raises(sim.InvalidInput, match="rng must be"):
        as_seed(rng)
