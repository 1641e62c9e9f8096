"""Curves of networks on images that are shifted further and further, as figures."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...study import Figure, Frame
from ...study.panels import subplots
from ...training.images import Images, normalize_images
from ..curves._curve_figures import draw_panels
from ..curves._snapshots import Snapshot, compare_snapshots, take_snapshot
from ._image_transformations import SHIFTS, Shift


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


def draw_curves(table: Frame) -> Figure:
    """One panel per shift, from the original images to the strongest shift."""
    figure, panels = subplots(2, 4, figsize=(11.5, 5.6), sharey=True)
    titles = {name: name for name in SHIFTS}
    draw_panels(figure, panels.ravel(), table, ("shift", "level"), titles)
    for panel, shift in zip(panels.ravel(), SHIFTS.values(), strict=True):
        panel.set_xlabel(shift.label, fontsize=9)
    for panel in panels[:, 0]:
        panel.set_ylabel("share of the maximum")
    return figure
