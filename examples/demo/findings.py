"""What the numbers say, in words that change with them."""

import itertools
from collections.abc import Callable

import numpy as np
from networks import LAYERS, Network
from scores import (
    MEASURES,
    Place,
    Score,
    first_and_last,
    other_architecture,
    other_seed,
    untrained,
    values,
)

import similitude as sim


def findings(scores: list[Score], trained: list[Network]) -> list[str]:
    return [
        what_training_does(scores),
        which_layer_varies(scores),
        where_measures_disagree(scores),
        what_is_undefined(scores),
        what_they_do(trained),
    ]


def what_training_does(scores: list[Score]) -> str:
    seed, twin = (values(scores, "cka", q) for q in (other_seed, untrained))
    across = values(scores, "cka", other_architecture)
    cause = "training" if seed.mean() - twin.mean() > 0.1 else "the input"
    return (
        f"Same layer, other seed: CKA {seed.mean():.2f} (from {seed.min():.2f} to "
        f"{seed.max():.2f}); untrained {twin.mean():.2f}; mlp against cnn "
        f"{across.mean():.2f}. It is {cause} that makes them alike; and 0 is not the "
        f"floor, since untrained networks have seen the same images."
    )


def which_layer_varies(scores: list[Score]) -> str:
    means = {
        layer: values(
            scores,
            "cka",
            lambda a, b, layer=layer: other_seed(a, b) and a.layer == layer,
        ).mean()
        for layer in LAYERS
    }
    ranked = sorted(means, key=means.get)
    listed = ", ".join(f"{layer} {means[layer]:.2f}" for layer in ranked)
    return f"From the layer that depends most on the seed to the least (CKA): {listed}."


def where_measures_disagree(scores: list[Score]) -> str:
    """Which measures find two ends of an MLP nearer than one layer of two seeds.

    Only MLPs, for which every measure is defined on every layer.
    """

    def of_mlps(question: Callable[[Place, Place], bool]) -> Callable:
        return lambda a, b: question(a, b) and a.network.architecture == "mlp"

    turned, others = [], []
    for measure in MEASURES:
        seeds = values(scores, measure.name, of_mlps(other_seed)).mean()
        ends = values(scores, measure.name, of_mlps(first_and_last)).mean()
        nearer = (ends > seeds) == (measure.claims().kind == "similarity")
        text = f"{measure.name} {ends:.2f} against {seeds:.2f}"
        (turned if nearer else others).append(text)
    if not turned:
        return "All measures put two seeds of a layer nearer than two ends of an MLP."
    reason = ""
    if [t.split()[0] for t in turned] == ["mean_cca"]:
        reason = (
            " It asks whether the ten logits are linear in the first layer, which they "
            "are, and not how much of that layer they are."
        )
    return (
        f"First and last layer of MLPs are nearer than one layer of two seeds by "
        f"{'; '.join(turned)}; but not by {'; '.join(others)}.{reason}"
    )


def what_is_undefined(scores: list[Score]) -> str:
    missing = [s for s in scores if s.value is None]
    if not missing:
        return "Every score is defined."
    one = missing[0]
    return (
        f"{len(missing)} scores do not exist, and none was made up: {one.measure.name} "
        f"of {one.a.label} and {one.b.label}, for instance. {one.reason}"
    )


def what_they_do(trained: list[Network]) -> str:
    outputs = [n.outputs for n in trained]
    pairs = list(itertools.combinations(outputs, 2))
    raw = np.mean([float(sim.disagreement(a, b)) for a, b in pairs])
    normalized = [float(sim.disagreement(a, b, normalized=True)) for a, b in pairs]
    accuracy = np.mean([n.accuracy for n in trained])
    return (
        f"They are right on {accuracy:.1%} of the images and disagree on {raw:.1%}, "
        f"{np.mean(normalized):.2f} of their error rate: 0 would be the same errors, 2 "
        f"errors that never coincide."
    )
