"""Snapshots: representation and predictions of a network, compared batch by batch."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import similitude as sim
from similitude.training.images import Images

#: The four curves of a comparison with a reference.
CURVES = ("rtd", "cka", "disagreement", "error")


@dataclass(frozen=True)
class Snapshot:
    """What a network computes for some images.

    `points` are the outputs of the encoder, and `outputs` the predictions with the true
    classes.
    """

    points: sim.Representation
    outputs: sim.Representation


def take_snapshot(network: Any, images: Images, *, name: str, out: Path) -> Snapshot:
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
        batch_size=500,
        progress=None,
    )
    points, logits = (store.select(layer=layer)[0] for layer in ("encoder", "head"))
    predicted = np.asarray(logits.load()).argmax(axis=1)
    outputs = sim.Outputs(labels=predicted, targets=images.labels)
    named = sim.Representation(f"{name}/outputs", outputs, ids=images.ids)
    return Snapshot(points, named)


def draw_batches(
    images: int, *, batches: int, size: int, rng: np.random.Generator
) -> np.ndarray:
    """Row numbers of random batches without common rows, batches x size, sorted."""
    if batches * size > images:
        raise sim.InvalidInput(
            f"{batches} batches of {size} images need {batches * size} images, but "
            f"there are {images}; use smaller batches."
        )
    drawn = rng.permutation(images)[: batches * size].reshape(batches, size)
    return np.sort(drawn, axis=1)


def compare_snapshots(
    reference: Snapshot, others: Sequence[Snapshot], batches: np.ndarray
) -> dict[str, np.ndarray]:
    """The curves of `others` against the reference, snapshots x batches.

    `cka` is 1 - CKA with the estimator of the paper (biased). `disagreement` is the
    share of different predictions, divided by the mean error rate of both. `error` is
    the error rate of each snapshot. A score that does not exist is NaN, as CKA of a
    constant representation. If the reference is one of `others`, its distances are 0.
    """
    measures = {
        "rtd": sim.measures.RTD(batch=batches.shape[1], draws=1),
        "cka": sim.measures.CKA(estimator="biased"),
    }
    normalized = {"disagreement": sim.measures.Disagreement(form="normalized")}
    found: dict[str, list[Any]] = {name: [] for name in CURVES}
    for rows in batches:
        points = _scores([s.points for s in others], reference.points, measures, rows)
        outputs = _scores(
            [s.outputs for s in others], reference.outputs, normalized, rows
        )
        found["rtd"].append(points["rtd"])
        found["cka"].append(1 - points["cka"])
        found["disagreement"].append(outputs["disagreement"])
        found["error"].append([_error(s.outputs, rows) for s in others])
    return {name: np.array(values).T for name, values in found.items()}


def _scores(
    reps: Sequence[sim.Representation],
    reference: sim.Representation,
    measures: dict[str, Any],
    rows: np.ndarray,
) -> dict[str, np.ndarray]:
    results = sim.compare(
        [rep for rep in reps if rep is not reference],
        measures,
        reference=reference,
        rows=rows,
        permutations=0,
        progress=None,
    )
    found: dict[str, np.ndarray] = {}
    for label in measures:
        matrix = results.matrix(label)  # NaN if the score does not exist
        zero = 1.0 if measures[label].claims().kind == "similarity" else 0.0
        found[label] = np.array(
            [
                zero if rep is reference else matrix[rep.name, reference.name]
                for rep in reps
            ]
        )
    return found


def _error(outputs: sim.Representation, rows: np.ndarray) -> float:
    values = outputs.values
    return float((values.labels != values.targets)[rows].mean())
