"""The plot of neighbor agreement matches the details of the results."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import similitude as sim
from similitude import plots


def test_plot_agreement_draws_one_line_per_pair_and_chance() -> None:
    x = np.random.default_rng(0).normal(size=(40, 4))
    reps = {"a": x, "b": x + 0.3, "c": np.tanh(x)}
    found = sim.compare(reps, ["cka", "neighbor_agreement"], permutations=0)
    given = plt.figure().subplots()
    assert plots.plot_agreement(found, ax=given) is given
    chance, *lines = given.lines
    assert chance.get_label() == "chance"
    drawn = {line.get_label(): line.get_xydata() for line in lines}
    rows = [row for row in found.rows if row.measure == "neighbor_agreement"]
    assert list(drawn) == [f"{row.a} / {row.b}" for row in rows]
    for row in rows:
        curve = np.transpose([row.details["k"], row.details["agreement"]])
        np.testing.assert_array_equal(drawn[f"{row.a} / {row.b}"], curve)
    with pytest.raises(sim.InvalidInput, match="no agreement of neighborhoods"):
        plots.plot_agreement(sim.compare(reps, "cka", permutations=0))
