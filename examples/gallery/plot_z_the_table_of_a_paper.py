"""
The table of a paper
====================

You read a table in a paper, and want to know whether its numbers come out. Table 1 of
Nielsen et al. (2025) says that two models can predict the same, while their embeddings
stay unrelated. This script computes it again, and asks for numbers that the table does
not have. :doc:`Papers </papers>` has many more published results, next to ours.
"""

import textwrap

import matplotlib.pyplot as plt
import numpy as np

import similitude as sim
from similitude.identifiability import kl

# KL divergences of both models, for unembeddings of length 1, 2, ..., 10.
published = [0.7876, 1.0569, 0.8867, 0.6140, 0.3819]
published += [0.2228, 0.1252, 0.0686, 0.0370, 0.0197]

# %%
# The models of the paper. Seven labels lie on a circle, and the embeddings of 500
# inputs per label lie near their label. The second model has another order of labels.

rng = np.random.default_rng(0)
order = np.array([5, 0, 2, 4, 6, 1, 3])
angles = 2 * np.pi / 7 * np.arange(7)
offsets = rng.uniform(-np.pi / 64, np.pi / 64, (7, 500))
lengths = 2 + 0.01 * np.abs(rng.normal(size=(7, 500)))


def polar(angle: np.ndarray, length: np.ndarray | float) -> np.ndarray:
    return np.stack([length * np.cos(angle), length * np.sin(angle)], -1).reshape(-1, 2)


def model(turn: np.ndarray, length: float) -> sim.SoftmaxModel:
    f = polar(angles[turn][:, None] + offsets[turn], lengths)
    return sim.SoftmaxModel(f, polar(angles[turn], length))


# %%
# The divergences come out, up to the random offsets.

pairs = [(model(np.arange(7), length), model(order, length)) for length in range(1, 11)]
divergences = [kl(p, q) for p, q in pairs]
print("length  published    ours")
for length, (theirs, ours) in enumerate(zip(published, divergences, strict=True), 1):
    print(f"{length:>6}{theirs:>11.4f}{ours:>8.4f}")

# %%
# The embeddings do not depend on the length, so one comparison is enough. The paper
# reports the mean canonical correlation. Its table does not have neighbors: inputs of
# one label are still near each other.

p, q = pairs[-1]
found = sim.compare({"first": p.f, "second": q.f}, ["mean_cca", "mutual_knn"], rng=0)
print(found)
print(textwrap.fill(found.sentence(), 80))

# %%
# The table as a picture.

plt.semilogy(range(1, 11), published, "o", label="KL divergence, published")
plt.semilogy(range(1, 11), divergences, label="KL divergence, ours")
mean_cca = found.rows[0].score
plt.axhline(mean_cca, color="gray", ls="--", label="mean CCA of embeddings, ours")
plt.xlabel("length of the unembeddings")
plt.legend()
