"""Snapshots: representation and predictions of a network, compared batch by batch."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import similitude as sim

from ...training.images import Images, TrainedImages
from ..convnets._representations import dissimilarities

#: The four curves of a comparison with a reference.
CURVES = ("rtd", "cka", "disagreement", "error")


@dataclass(frozen=True)
class Snapshot:
    """What a network computes for some images.

    `points` are the outputs of the encoder, and `outputs` the predictions with the true
    classes.
    """

    name: str
    points: sim.Representation
    outputs: sim.Outputs

    @property
    def wrong(self) -> np.ndarray:
        """Whether the prediction of each image is wrong."""
        return self.outputs.labels != self.outputs.targets


def take_snapshot(
    network: Any, images: Images, *, name: str, out: Path, batch_size: int = 500
) -> Snapshot:
    """Extract `encoder` and `head` of a network into the store `out/name`.

    Each snapshot has its own store: to find an element, a store reads all its
    manifests.
    """
    store = sim.extract(
        network,
        images.inputs,
        layers=("encoder", "head"),
        ids=images.ids,
        out=out / name,
        name=name,
        batch_size=batch_size,
        progress=None,
    )
    points, logits = (store.select(layer=layer)[0] for layer in ("encoder", "head"))
    predicted = np.asarray(logits.load()).argmax(axis=1)
    outputs = sim.Outputs(labels=predicted, targets=images.labels)
    return Snapshot(name, points, outputs)


def compare_snapshots(
    reference: Snapshot, others: Sequence[Snapshot], batches: np.ndarray
) -> dict[str, np.ndarray]:
    """The curves of `others` against the reference, snapshots x batches.

    `cka` is 1 - CKA with the estimator of the paper (biased). `disagreement` is the
    share of different predictions, divided by the mean error rate of both. `error` is
    the error rate of each snapshot. A score that does not exist is NaN, as CKA of a
    constant representation. If the reference is one of `others`, its distances are 0.
    """
    every = {one.name: one for one in (reference, *others)}
    points = {name: one.points for name, one in every.items()}
    outputs = {name: one.outputs for name, one in every.items()}
    found: dict[str, list[Any]] = {name: [] for name in CURVES}
    for rows in batches:
        scores = dissimilarities(points, outputs, rows, reference=reference.name)
        for curve, pairs in scores.items():
            by_name = {name: score for ends, score in pairs.items() for name in ends}
            by_name[reference.name] = 0.0
            found[curve].append([by_name[one.name] for one in others])
        found["error"].append([one.wrong[rows].mean() for one in others])
    return {name: np.array(values).T for name, values in found.items()}


def networks_with(trained: TrainedImages, head: Any | None = None) -> Iterator[Any]:
    """The network after each epoch; with `head`, this classifier replaces its own."""
    for epoch in trained.epochs:
        network = trained.network(epoch)
        if head is not None:
            network.head = head
        yield network


def dynamics_curves(
    networks: Iterable[Any],
    images: Images,
    batches: np.ndarray,
    *,
    references: tuple[int, ...] = (-1,),
    **options: int,
) -> dict[str, np.ndarray]:
    """Each network against the last one; the curves are references x epochs x batches.

    With one reference, they are epochs x batches. A reference is a point as well: its
    distances to itself are 0. `options` are those of `take_snapshot`.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        snapshots = [
            take_snapshot(network, images, name=f"epoch-{epoch}", out=out, **options)
            for epoch, network in enumerate(networks)
        ]
        found = [
            compare_snapshots(snapshots[at], snapshots, batches) for at in references
        ]
    if len(references) == 1:
        return found[0]
    return {name: np.stack([curves[name] for curves in found]) for name in CURVES}
