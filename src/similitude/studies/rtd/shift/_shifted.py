"""Curves of networks on images that are shifted further and further."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from similitude.training.images import Images, normalize_images

from ..curves._snapshots import CURVES, compare_snapshots, take_snapshot
from ._image_transformations import Shift


def shift_curves(
    shift: Shift,
    networks: Sequence[Any],
    images: Images,
    *,
    dataset: str,
    levels: int | None,
    batch: int,
    rng: np.random.Generator,
) -> dict[str, np.ndarray]:
    """Clean against shifted images: each curve is networks x levels x batches.

    `images` have pixels in [0, 1]; they are shifted first and normalized then. Each
    batch is `batch` images in sequence. Noise is drawn anew for each image and level.
    """
    rows = np.arange(len(images)).reshape(-1, batch)
    chosen = shift.levels(levels)
    with tempfile.TemporaryDirectory() as folder:

        def snapshots(name: str, pixels: np.ndarray) -> list[Any]:
            inputs = normalize_images(pixels, dataset)
            return [
                take_snapshot(
                    network,
                    replace(images, inputs=inputs),
                    name=name,
                    out=Path(folder, str(k)),
                )
                for k, network in enumerate(networks)
            ]

        clean = snapshots("clean", images.inputs)
        shifted = [
            snapshots(f"level-{at}", shift.apply(images.inputs, level, rng))
            for at, level in enumerate(chosen)
        ]
        found = [
            compare_snapshots(reference, [level[k] for level in shifted], rows)
            for k, reference in enumerate(clean)
        ]
    return {"level": chosen} | {
        name: np.stack([curves[name] for curves in found]) for name in CURVES
    }


def curve_table(parts: Mapping[str, Mapping[str, np.ndarray]]) -> dict[str, list[Any]]:
    """One row per shift, seed and level: mean and deviation over batches."""
    columns: dict[str, list[Any]] = {}
    for name, part in parts.items():
        for seed in range(len(part["rtd"])):
            for at, level in enumerate(part["level"]):
                row: dict[str, Any] = {"shift": name, "seed": seed, "level": level}
                for curve in CURVES:
                    scores = part[curve][seed, at]
                    row |= {curve: scores.mean(), f"{curve}_sd": scores.std(ddof=1)}
                for column, value in row.items():
                    columns.setdefault(column, []).append(
                        value if isinstance(value, str | int) else float(value)
                    )
    return columns
