"""Representations of trained networks: extracted into a store, compared in batches."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import similitude as sim

from ...study import Config
from ...training.images import Images, ImageTraining, TrainedImages, load_images

ENCODER = "encoder"  # the output of the convolutional part
UNPOOLED = "encoder.3"  # of ResNet-20: the last stage, before the pooling
LOGITS = ""  # the output of the network
CKA = sim.measures.CKA(estimator="biased")  # as in the paper
DISAGREEMENT = sim.measures.Disagreement(form="normalized")

#: Dissimilarities of the paper, in the order of its tables.
TITLES = {"rtd": "RTD", "cka": "1 - CKA", "disagreement": "disagreement"}


def extract_networks(
    networks: Mapping[str, tuple[TrainedImages, int]],
    images: Images,
    folder: Path,
    layers: Sequence[str] = (ENCODER, LOGITS),
) -> None:
    """Extract layers of networks, each given by its training and an epoch."""
    for name, (trained, epoch) in networks.items():
        sim.extract(
            trained.network(epoch),
            images.inputs,
            layers=list(layers),
            reducer="flatten",
            ids=images.ids,
            name=name,
            step=epoch,
            out=folder,
            batch_size=128,
            progress=None,
        )


def representations(folder: Path, layer: str = ENCODER) -> dict[str, Any]:
    """One layer of all networks in a store, by the name of the network."""
    found = sim.store.open_store(folder).select(layer=layer)
    return {str(rep.model): rep for rep in found}


def predictions(folder: Path, images: Images) -> dict[str, Any]:
    """Predicted and true classes of all networks in a store."""
    return {
        name: sim.inputs.Outputs(
            log_probs=_log_softmax(np.asarray(logits.load())), targets=images.labels
        )
        for name, logits in representations(folder, LOGITS).items()
    }


def _log_softmax(logits: np.ndarray) -> np.ndarray:
    from scipy.special import log_softmax

    return log_softmax(logits.astype(np.float64), axis=1)


def dissimilarities(
    reps: Mapping[str, Any],
    outputs: Mapping[str, Any],
    rows: np.ndarray,
    reference: str | None = None,
) -> dict[str, dict[tuple[str, str], float]]:
    """RTD, 1 - CKA and disagreement of all pairs, or of all with the reference."""
    options: dict[str, Any] = {"rows": rows, "permutations": 0, "progress": None}
    layer = None if reference is None else reps[reference].name
    rtd = sim.measures.RTD(batch=max(len(rows), 2))  # exact
    found: dict[str, dict[tuple[str, str], float]] = {name: {} for name in TITLES}
    scored = [sim.compare(reps, [rtd, CKA], reference=layer, **options)]
    if outputs:
        scored.append(
            sim.compare(outputs, [DISAGREEMENT], reference=reference, **options)
        )
    for row in (row for results in scored for row in results.rows):
        score = float("nan") if row.score is None else row.score
        found[row.measure][_name(row.a), _name(row.b)] = (
            1.0 - score if row.measure == "cka" else score
        )
    return found


def _name(label: str) -> str:
    """The name of the network, without its layer."""
    return label.partition("/")[0]


@dataclass(frozen=True, kw_only=True)
class OnTestImages:
    """The setting of a study on batches of test images."""

    batches: int = 5
    batch: int = 500

    def images(
        self, training: ImageTraining, rng: np.random.Generator, **options: Any
    ) -> tuple[Images, np.ndarray]:
        """Test images in a random order, and the rows of each batch."""
        images = load_images(training.dataset, classes=training.classes, **options)
        count = self.batches * self.batch
        rows = np.arange(count).reshape(self.batches, self.batch)
        return images.take(rng.permutation(len(images))[:count]), rows


@dataclass(frozen=True, kw_only=True)
class OfTrainings(OnTestImages):
    """The setting of a study of several training runs on the same images."""

    trainings: tuple[ImageTraining, ...]


def of_each_training(
    config: Config, rng: np.random.Generator, compute: Callable[..., Any]
) -> Iterator[tuple[TrainedImages, dict[str, np.ndarray]]]:
    """Each training run with its part: ``compute(trained, images, batches, folder)``.

    `config.setting` is an `OfTrainings`.
    """
    trainings = config.setting.trainings
    config.parts.expect(len(trainings))
    given = config.setting.images(trainings[0], rng)
    for request in trainings:
        trained = config.trained(request)
        name = f"{request.network}-{request.seed}"
        folder = config.parts.path(f"representations-{name}")
        yield trained, config.parts.keep(name, compute, trained, *given, folder)
