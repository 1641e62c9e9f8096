"""What the numbers say, in words that change with them."""

import itertools
from collections.abc import Callable

import numpy as np
from networks import ANCHORS, ARCHITECTURES, LAYERS, Network
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
from similitude.align.relative import Cosine, Robust
from similitude.training import StitchingData, stitching_table


def findings(
    scores: list[Score], rtd: list[Score], trained: list[Network], labels: np.ndarray
) -> list[str]:
    return [
        what_training_does(scores),
        which_layer_varies(scores),
        what_topology_sees(rtd),
        where_measures_disagree(scores),
        what_is_undefined(scores),
        what_they_do(trained),
        whether_they_can_be_stitched(trained, labels),
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


def what_topology_sees(rtd: list[Score]) -> str:
    """The layer whose topology depends most on the seed, against CKA's order."""
    means = {
        layer: values(
            rtd, "rtd", lambda a, b, layer=layer: other_seed(a, b) and a.layer == layer
        ).mean()
        for layer in LAYERS
    }
    across = values(rtd, "rtd", other_architecture).mean()
    ranked = sorted(means, key=means.get, reverse=True)
    listed = ", ".join(f"{layer} {means[layer]:.1f}" for layer in ranked)
    loops = np.mean([s.details["loop_part"] / s.value for s in rtd])
    return (
        f"By topology (RTD at {rtd[0].details['batch']} points, 0 is the same), from "
        f"the layer that depends most on the seed: {listed}; mlp against cnn "
        f"{across:.1f}. Loops make up {loops:.0%} of it, clusters the rest."
    )


def whether_they_can_be_stitched(trained: list[Network], labels: np.ndarray) -> str:
    """The head of one network on layer three of another of its architecture."""
    results: dict[str, list[float]] = {}
    test = trained[0].outputs.targets
    data = StitchingData(labels[ANCHORS:], test)
    for architecture in ARCHITECTURES:
        spaces = {n.name: n.space for n in trained if n.architecture == architecture}
        table = stitching_table(spaces, None, data, [Cosine(), Robust()], [0])
        for way, means in table.overall().items():
            results.setdefault(way, []).append(means["stitched"])
            if way == "absolute":
                results.setdefault("home", []).append(means["own"])
    mean = {way: np.mean(found) for way, found in results.items()}
    return (
        f"Zero-shot stitching, the head of one seed on layer three of another: as it "
        f"is {mean['absolute']:.0f} %, relative {mean['cosine']:.0f} %, robust "
        f"{mean['robust']:.0f} %, Procrustes {mean['procrustes']:.0f} %; each on its "
        f"own {mean['home']:.0f} %."
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
