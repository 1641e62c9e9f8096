"""Two pretrained encoders of images, stitched on CIFAR-10."""

import itertools
import tempfile
from collections.abc import Mapping
from typing import Any

import numpy as np

import similitude as sim
from similitude.errors import require
from similitude.latent.stitching import StitchingData
from similitude.networks.extraction import ImagePreprocessing, OnnxModel

from ...study import Config, MeanInterval, mean_interval
from ._encoders import TRANSFORMS, stitched, transforms

ENCODERS = ("mobilenet_v2", "thin_resnet50")
DATA = "cifar10"
PREPROCESSING = {
    "mobilenet_v2": ImagePreprocessing(
        size=224, mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225)
    ),
    "thin_resnet50": ImagePreprocessing(
        size=224, scale=1.0, mean=(104.0, 117.0, 123.0), layout="nhwc", channels="bgr"
    ),
}


def check_present() -> None:
    """Raise the sentence that names the command, before anything is computed."""
    sim.networks.data.load_dataset(DATA, split="test")
    for name in ENCODERS:
        sim.networks.data.encoder_path(name)


def embedded(name: str, count: int) -> dict[str, np.ndarray]:
    """Rows of the first test images of CIFAR-10, by a pretrained encoder."""
    images = sim.networks.data.load_dataset(DATA, split="test").inputs[:count]
    path = sim.networks.data.encoder_path(name)
    if path.suffix == ".onnx":
        model: Any = OnnxModel(path)
        layer = "Reshape"
    else:
        torch = require("torch", feature="a pretrained encoder", extra="torch")
        model, layer = sim.networks.MobileNetV2(), ""
        model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    with tempfile.TemporaryDirectory() as folder:
        store = sim.extract(
            model,
            images,
            layers=layer,
            out=folder,
            batch_size=50,
            preprocessing=PREPROCESSING[name],
            progress=None,
        )
        (found,) = store.select()
        return {"rows": np.array(found.load())}


def pretrained(
    config: Config, sizes: tuple[int, int, int], seeds: int
) -> dict[str, np.ndarray]:
    """Correct answers for each transform, direction and test image, mean over seeds.

    `sizes` are anchors, training and test images; nothing is computed if they are 0. A
    seed draws half of the anchors.
    """
    if not sum(sizes):
        return {}
    rows = {
        name: config.parts.keep(f"pretrained-{name}", embedded, name, sum(sizes))
        for name in ENCODERS
    }
    labels = sim.networks.data.load_dataset(DATA, split="test").labels
    at = np.split(np.random.default_rng(0).permutation(sum(sizes)), np.cumsum(sizes))
    parts = dict(zip(("anchors", "train", "test"), at, strict=False))
    data = StitchingData(labels[parts["train"]], labels[parts["test"]])
    spaces = {
        name: {part: found["rows"][chosen] for part, chosen in parts.items()}
        for name, found in rows.items()
    }
    given = (spaces, data, sizes[0] // 2)
    found = [
        config.parts.keep(f"pretrained-stitching-{seed}", _correct, *given, seed)
        for seed in range(seeds)
    ]
    return {name: np.mean([one[name] for one in found], axis=0) for name in found[0]}


def _correct(
    spaces: Any, data: StitchingData, anchors: int, seed: int
) -> dict[str, np.ndarray]:
    """Transforms x test images, by direction ``encoder.decoder``; NaN is undefined."""
    shape = len(TRANSFORMS), len(data.test_labels)
    pairs = itertools.product(ENCODERS, repeat=2)
    found = {".".join(pair): np.full(shape, np.nan) for pair in pairs}
    named = transforms(shrinkage=0.1, rank=anchors // 2)
    for cell in stitched(spaces, data, named, seed, anchors=anchors).cells:
        if cell.status == "ok":
            rows = found[f"{cell.encoder}.{cell.decoder}"]
            right = np.array(cell.predictions) == data.test_labels
            rows[TRANSFORMS.index(cell.transform)] = 100.0 * right
    return found


def directions(correct: Mapping[str, Any], transform: str) -> MeanInterval:
    """Mean accuracy over both directions of stitching, with its interval."""
    return mean_interval(_both(correct)[TRANSFORMS.index(transform)])


def advantage(correct: Mapping[str, Any], first: str, second: str) -> MeanInterval:
    """Paired difference of two transforms over test images, both directions."""
    both = _both(correct)
    return mean_interval(both[TRANSFORMS.index(first)] - both[TRANSFORMS.index(second)])


def _both(correct: Mapping[str, Any]) -> np.ndarray:
    one, two = ENCODERS
    return (correct[f"{one}.{two}"] + correct[f"{two}.{one}"]) / 2
