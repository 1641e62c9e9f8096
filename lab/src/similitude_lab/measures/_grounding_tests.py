"""Six grounding tests: does a dissimilarity follow known differences of networks?"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import similitude as sim

from ..study import correlation
from ..training._digits_networks import layers_of

Networks = Sequence[Mapping[str, np.ndarray]]
Compare = Callable[[np.ndarray, np.ndarray], float]

TESTS = (
    "accuracy_difference",
    "output_difference",
    "label_randomization",
    "shortcut_affinity",
    "augmentation",
    "layer_monotonicity",
)


def six_tests(
    compare: Compare,
    standard: Networks,
    groups: Mapping[str, Sequence[Networks]],
    labels: np.ndarray,
) -> dict[str, float]:
    """The result of each test; larger is better. NaN if the measure is undefined.

    Correlations for the first two tests, average precision for the groups, and the
    share of correct orders for layers.
    """
    pairs = list(itertools.combinations(standard, 2))
    scores = np.array([compare(_last(a), _last(b)) for a, b in pairs])
    accuracy = np.array([abs(float(a["accuracy"] - b["accuracy"])) for a, b in pairs])
    outputs = np.array([_output_difference(a, b, labels) for a, b in pairs])
    return {
        "accuracy_difference": correlation("spearman", scores, accuracy),
        "output_difference": correlation("spearman", scores, outputs),
        **{name: group_precision(compare, groups[name]) for name in groups},
        "layer_monotonicity": monotonicity(compare, standard),
    }


def _last(network: Mapping[str, np.ndarray]) -> np.ndarray:
    return layers_of(network)[-1]


def _output_difference(a: Any, b: Any, labels: np.ndarray) -> float:
    """Mean Jensen-Shannon divergence of the predicted probabilities."""
    sides = [sim.Outputs(log_probs=o["log_probs"], targets=labels) for o in (a, b)]
    return float(sim.jensen_shannon(*sides))


def group_precision(compare: Compare, groups: Sequence[Networks]) -> float:
    """Average precision of the pairs within a group among all pairs.

    If the scores are sorted from most similar to least similar, it is 1 if all pairs
    within a group come first. The chance level is the share of these pairs.
    """
    members = [(g, network) for g, group in enumerate(groups) for network in group]
    within, scores = [], []
    for (g, a), (h, b) in itertools.combinations(members, 2):
        within.append(g == h)
        scores.append(compare(_last(a), _last(b)))
    if not np.isfinite(scores).all():
        return float("nan")
    return average_precision(np.array(within), np.array(scores))


def average_precision(positive: np.ndarray, distances: np.ndarray) -> float:
    """Mean precision at the positives, nearest first; ties count as one step."""
    found = 0.0
    for threshold in np.unique(distances):
        chosen = distances <= threshold
        gained = (positive & (distances == threshold)).sum()
        found += gained * positive[chosen].mean()
    return float(found / positive.sum())


def chance_precision(sizes: Sequence[int]) -> float:
    """Share of the pairs that are within a group."""
    total = sum(sizes)
    return sum(n * (n - 1) for n in sizes) / (total * (total - 1))


def monotonicity(compare: Compare, networks: Networks) -> float:
    """Share of nested pairs of layers in which the inner pair is not less similar."""
    right = []
    for network in networks:
        layers = layers_of(network)
        table = {
            (i, j): compare(layers[i], layers[j])
            for i, j in itertools.combinations(range(len(layers)), 2)
        }
        for (i, j), (k, m) in itertools.permutations(table, 2):
            if i <= k and m <= j:  # k to m is inside of i to j
                right.append(table[k, m] <= table[i, j])
        if not np.isfinite(list(table.values())).all():
            return float("nan")
    return float(np.mean(right))
