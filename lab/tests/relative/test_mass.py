"""Mass attracts mass: the rule for connected samples, and the bound that follows."""

import numpy as np
import pytest

from similitude_lab.relative._mass import Setting, largest_outside, measured, two_parts


@pytest.mark.parametrize("ring", [1, 2, 3])
def test_the_bound_is_the_law_of_three_regions(ring: int) -> None:
    """At the largest mass, the drawn share of separated samples is 1 - connected."""
    core, size, connected = 0.5, 8, 0.6
    outside = largest_outside(connected, core, size, ring)
    counts = np.random.default_rng(0).multinomial(
        size, [core, 1 - core - outside, outside], size=40_000
    )
    apart = (counts[:, 0] > 0) & (counts[:, 2] > 0) & (counts[:, 1] < ring)
    assert apart.mean() == pytest.approx(1 - connected, abs=0.02)
    more = largest_outside(0.9, core, size, ring)
    assert more < outside  # a higher probability of connection allows less mass outside


def test_a_chain_of_points_is_connected_and_two_parts_are_not() -> None:
    setting = Setting(points=40, share=0.75, sample=30, steps=0, seeds=1)
    apart = two_parts(setting, np.random.default_rng(0))
    heavy = np.arange(40) < 30
    found = measured(apart, heavy, 30, seed=0)
    assert found["connected"] < 0.01
    assert found["outside_1"] == found["outside_3"] == 0.25
    chain = np.stack([np.linspace(0, 5, 40), np.zeros(40)], axis=1)
    close = measured(chain, heavy, 30, seed=0)
    assert close["connected"] > 0.9
    assert found["violations"] == close["violations"] == 0
