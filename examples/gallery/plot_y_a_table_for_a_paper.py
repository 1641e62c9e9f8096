"""
A table for a paper
===================

A number in a paper needs its interval, its baseline and a sentence that says how it was
computed. All three come from one comparison.
"""

import textwrap

import numpy as np

import similitude as sim

# %%
# Three "networks" that see the same 300 stimuli: two seeds and an unrelated one. The
# baseline are networks with random weights.

rng = np.random.default_rng(0)
stimuli = rng.normal(size=(300, 20))


def network(signal: float) -> np.ndarray:
    weights = rng.normal(size=(20, 32))
    return np.maximum(signal * stimuli @ weights + 4 * rng.normal(size=(300, 32)), 0)


reps = {"seed 0": network(1.0), "seed 1": network(1.0), "other": network(0.2)}
untrained = {name: network(0.1) for name in reps}
found = sim.compare(reps, ["cka", "procrustes"], baselines={"untrained": untrained})
print(found)

# %%
# The table in LaTeX (packages booktabs and graphicx are enough), and the sentence for
# the section on methods.

print(found.to_latex())
print(textwrap.fill(found.sentence(), 80))

# %%
# The papers to cite:

print(sim.cite("cka"))

# %%
# The figure. ``save`` of matplotlib writes it as PDF.

sim.plots.plot_matrix(found, "cka")
