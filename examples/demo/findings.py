"""What the numbers say, in words that change with them."""

from collections.abc import Sequence

import numpy as np
from networks import ANCHORS, ARCHITECTURES, LAYERS, Network
from questions import (
    Row,
    before_training,
    first_and_last,
    of_layer,
    of_mlps,
    other_architecture,
    other_seed,
    values,
)

import similitude as sim
from similitude.align.relative import Cosine, Robust
from similitude.training import StitchingData, stitching_table


def what_training_does(rows: Sequence[Row]) -> str:
    seed, twin = (
        values(rows, "cka", other_seed),
        before_training(rows, "cka", other_seed),
    )
    across = values(rows, "cka", other_architecture)
    cause = "training" if seed.mean() - twin.mean() > 0.1 else "the input"
    one = next(row for row in rows if row.measure == "cka" and of_layer("three")(row))
    return (
        f"Same layer, other seed: CKA {seed.mean():.2f} (from {seed.min():.2f} to "
        f"{seed.max():.2f}); before training {twin.mean():.2f}; mlp against cnn "
        f"{across.mean():.2f}. It is {cause} that makes them alike; and 0 is not the "
        f"floor, since untrained networks have seen the same images. One pair is known "
        f"to what 300 images allow: {one.a} and {one.b}, {one.score:.2f} "
        f"[{one.low:.2f}, {one.high:.2f}]."
    )


def which_layer_varies(rows: Sequence[Row]) -> str:
    means = {layer: values(rows, "cka", of_layer(layer)).mean() for layer in LAYERS}
    ranked = sorted(means, key=means.get)
    listed = ", ".join(f"{layer} {means[layer]:.2f}" for layer in ranked)
    return f"From the layer that depends most on the seed to the least (CKA): {listed}."


def where_measures_disagree(found: sim.Results) -> str:
    """Which measures find two ends of an MLP nearer than one layer of two seeds.

    Only MLPs, for which every measure is defined on every layer.
    """
    turned, others = [], []
    for measure in found.measures:
        seeds = values(found.rows, measure, of_mlps(other_seed)).mean()
        ends = values(found.rows, measure, of_mlps(first_and_last)).mean()
        kind = sim.MEASURES[measure].claims().kind
        nearer = (ends > seeds) == (kind == "similarity")
        text = f"{measure} {ends:.2f} against {seeds:.2f}"
        (turned if nearer else others).append(text)
    if not turned:
        return "All measures put two seeds of a layer nearer than two ends of an MLP."
    reason = ""
    if [text.split()[0] for text in turned] == ["mean_cca"]:
        reason = (
            " It asks whether the ten logits are linear in the first layer, which they "
            "are, and not how much of that layer they are."
        )
    return (
        f"First and last layer of MLPs are nearer than one layer of two seeds by "
        f"{'; '.join(turned)}; but not by {'; '.join(others)}.{reason}"
    )


def what_topology_sees(rtd: Sequence[Row]) -> str:
    """The layer whose topology depends most on the seed, against CKA's order."""
    means = {layer: values(rtd, "rtd", of_layer(layer)).mean() for layer in LAYERS}
    across = values(rtd, "rtd", other_architecture).mean()
    ranked = sorted(means, key=means.get, reverse=True)
    listed = ", ".join(f"{layer} {means[layer]:.1f}" for layer in ranked)
    loops = np.mean([row.details["loop_part"] / row.score for row in rtd])
    return (
        f"By topology (RTD at {rtd[0].details['batch']} points, 0 is the same), from "
        f"the layer that depends most on the seed: {listed}; mlp against cnn "
        f"{across:.1f}. Loops make up {loops:.0%} of it, clusters the rest."
    )


def what_is_undefined(found: sim.Results) -> str:
    missing = found.errors()
    if not missing:
        return "Every score is defined."
    one = missing[0]
    return (
        f"{len(missing)} scores do not exist, and none was made up: {one.measure} of "
        f"{one.a} and {one.b}, for instance. {one.reason}"
    )


def what_they_do(networks: Sequence[Network]) -> str:
    """The same verb on what they answer instead of what they are inside."""
    outputs = {network.name: network.outputs for network in networks}
    measures = [sim.Disagreement(), sim.Disagreement(form="normalized")]
    found = sim.compare(outputs, measures, permutations=0)
    plain, normalized = (
        np.mean([row.score for row in found.rows if row.label == measure.label])
        for measure in measures
    )
    accuracy = np.mean([network.accuracy for network in networks])
    return (
        f"They are right on {accuracy:.1%} of the images and disagree on {plain:.1%}, "
        f"{normalized:.2f} of their error rate: 0 would be the same errors, 2 errors "
        f"that never coincide."
    )


def whether_they_can_be_stitched(
    networks: Sequence[Network], labels: np.ndarray
) -> str:
    """The head of one network on layer three of another of its architecture."""
    results: dict[str, list[float]] = {}
    data = StitchingData(labels[ANCHORS:], networks[0].outputs.targets)
    for architecture in ARCHITECTURES:
        spaces = {n.name: n.space for n in networks if n.architecture == architecture}
        table = stitching_table(spaces, None, data, [Cosine(), Robust()], [0])
        for transform, means in table.overall().items():
            results.setdefault(transform, []).append(means["stitched"])
            if transform == "absolute":
                results.setdefault("home", []).append(means["own"])
    mean = {transform: np.mean(found) for transform, found in results.items()}
    return (
        f"Zero-shot stitching, the head of one seed on layer three of another: as it "
        f"is {mean['absolute']:.0f} %, relative {mean['cosine']:.0f} %, robust "
        f"{mean['robust']:.0f} %, Procrustes {mean['procrustes']:.0f} %; each on its "
        f"own {mean['home']:.0f} %."
    )
