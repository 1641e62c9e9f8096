"""Findings of the demo as sentences, computed from the scores."""

from collections.abc import Sequence

import numpy as np
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
from networks import ANCHORS, LAYERS, Network
from similitude.latent.align.relative import Cosine, Robust
from similitude.latent.stitching import StitchingData, StitchingTable, stitching_table


def what_training_does(rows: Sequence[Row]) -> str:
    seed, twin = (
        values(rows, "cka", other_seed),
        before_training(rows, "cka", other_seed),
    )
    across = values(rows, "cka", other_architecture)
    cause = "training" if seed.mean() - twin.mean() > 0.1 else "the input"
    one = next(row for row in rows if row.measure == "cka" and of_layer("layer3")(row))
    return (
        f"Same layer, other seed: CKA {seed.mean():.2f} (from {seed.min():.2f} to "
        f"{seed.max():.2f}); before training {twin.mean():.2f}; mlp and cnn "
        f"{across.mean():.2f}. They are similar because of {cause}. The baseline "
        f"is not 0, since untrained networks process the same images. With 300 images, "
        f"the 95 % interval of one pair, {one.a} and {one.b}, is {one.score:.2f} "
        f"[{one.low:.2f}, {one.high:.2f}]."
    )


def which_layer_varies(rows: Sequence[Row]) -> str:
    means = {layer: values(rows, "cka", of_layer(layer)).mean() for layer in LAYERS}
    ranked = sorted(means, key=means.get)
    listed = ", ".join(f"{layer} {means[layer]:.2f}" for layer in ranked)
    return (
        f"Layers from the most to the least dependent on the seed (by CKA): {listed}."
    )


def where_measures_disagree(found: sim.Results) -> str:
    """Measures by which two ends of an MLP are closer than one layer of two seeds.

    Only MLPs are used, since every measure is defined on all of their layers.
    """
    ends_closer, others = [], []
    for measure in found.measures:
        seeds = values(found.rows, measure, of_mlps(other_seed)).mean()
        ends = values(found.rows, measure, of_mlps(first_and_last)).mean()
        kind = sim.MEASURES[measure].claims().kind
        closer = (ends > seeds) == (kind == "similarity")
        text = f"{measure} {ends:.2f} and {seeds:.2f}"
        (ends_closer if closer else others).append(text)
    if not ends_closer:
        return (
            "By all measures, one layer of two seeds is closer than the first and last "
            "layer of MLPs."
        )
    reason = ""
    if [text.split()[0] for text in ends_closer] == ["mean_cca"]:
        reason = (
            " mean_cca tests whether the ten logits are linear in the first layer, "
            "which they are. It does not test how much of that layer they are."
        )
    return (
        f"The first and last layer of MLPs are closer than one layer of two seeds by "
        f"{'; '.join(ends_closer)}; but not by {'; '.join(others)}.{reason}"
    )


def what_topology_sees(rows: Sequence[Row]) -> str:
    """Layers ordered by how much their topology depends on the seed."""
    rtd = [row for row in rows if row.measure == "rtd" and row.a_layer == row.b_layer]
    means = {layer: values(rtd, "rtd", of_layer(layer)).mean() for layer in LAYERS}
    across = values(rtd, "rtd", other_architecture).mean()
    ranked = sorted(means, key=means.get, reverse=True)
    listed = ", ".join(f"{layer} {means[layer]:.1f}" for layer in ranked)
    loops = np.mean([row.details["loop_part"] / row.score for row in rtd])
    return (
        f"By topology (RTD at {rtd[0].details['batch']} points, 0 is the same), layers "
        f"from the most to the least dependent on the seed: {listed}; mlp and cnn "
        f"{across:.1f}. Loops contribute {loops:.0%} of RTD, clusters the rest."
    )


def what_is_undefined(found: sim.Results) -> str:
    missing = found.errors()
    if not missing:
        return "Every score is defined."
    one = missing[0]
    return (
        f"{len(missing)} scores are undefined, for instance {one.measure} of {one.a} "
        f"and {one.b}. {one.reason}"
    )


def what_they_do(networks: Sequence[Network]) -> str:
    """The same function, `compare`, on predictions instead of layers."""
    outputs = {network.name: network.outputs for network in networks}
    measures = [
        sim.measures.Disagreement(),
        sim.measures.Disagreement(form="normalized"),
    ]
    found = sim.compare(outputs, measures, permutations=0)
    plain, normalized = (
        np.mean([row.score for row in found.rows if row.label == measure.label])
        for measure in measures
    )
    accuracy = np.mean([network.accuracy for network in networks])
    return (
        f"The networks have a mean accuracy of {accuracy:.1%} and disagree on "
        f"{plain:.1%} of the images. This is {normalized:.2f} of their error rate: 0 "
        f"means the same errors, 2 means errors that never coincide."
    )


def stitch(networks: Sequence[Network], labels: np.ndarray) -> StitchingTable:
    """Use the head of each network on layer 3 of every network."""
    data = StitchingData(labels[ANCHORS:], networks[0].outputs.targets)
    spaces = {network.name: network.space for network in networks}
    transforms = [Cosine(), Robust()]
    return stitching_table(spaces, None, data, transforms, [0], progress=None)


def whether_they_can_be_stitched(table: StitchingTable) -> str:
    mean = table.overall()
    stitched = {name: means["stitched"] for name, means in mean.items()}
    return (
        f"Accuracy of zero-shot stitching, the head of one network on layer 3 of "
        f"another: direct {stitched['absolute']:.0f} %, relative "
        f"{stitched['cosine']:.0f} %, robust {stitched['robust']:.0f} %, Procrustes "
        f"{stitched['procrustes']:.0f} %; own head {mean['absolute']['own']:.0f} %."
    )
