"""Curves of networks on images that are shifted further and further."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...training.images import Images, normalize_images
from ..curves._snapshots import Snapshot, compare_snapshots, take_snapshot
from ._image_transformations import Shift


def shift_curves(
    shift: Shift,
    network: Any,
    images: Images,
    *,
    dataset: str,
    levels: int | None,
    batch: int,
    seed: int,
) -> dict[str, np.ndarray]:
    """Clean against shifted images in one network: each curve is levels x batches.

    `images` have pixels in [0, 1]; they are shifted first and normalized then. Each
    batch is `batch` images in sequence. Noise is drawn anew for each image and level;
    networks with the same `seed` see the same noise.
    """
    rng = np.random.default_rng(seed)
    chosen = shift.levels(levels)
    with tempfile.TemporaryDirectory() as folder:

        def snapshot(name: str, pixels: np.ndarray) -> Snapshot:
            inputs = normalize_images(pixels, dataset)
            shifted = replace(images, inputs=inputs)
            return take_snapshot(network, shifted, name=name, out=Path(folder))

        clean = snapshot("clean", images.inputs)
        levels_of = [
            snapshot(f"level-{at}", shift.apply(images.inputs, level, rng))
            for at, level in enumerate(chosen)
        ]
        rows = np.arange(len(images)).reshape(-1, batch)
        return {"level": chosen, **compare_snapshots(clean, levels_of, rows)}
