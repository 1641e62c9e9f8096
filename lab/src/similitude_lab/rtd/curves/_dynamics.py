"""Curves of training: the network after each epoch against the last epoch."""

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ...training.images import Images
from ._snapshots import CURVES, compare_snapshots, take_snapshot


def dynamics_curves(
    networks: Iterable[Any],
    images: Images,
    batches: np.ndarray,
    *,
    references: tuple[int, ...] = (-1,),
) -> dict[str, np.ndarray]:
    """Each network against the last one; the curves are references x epochs x batches.

    With one reference, they are epochs x batches. A reference is a point as well: its
    distances to itself are 0.
    """
    with tempfile.TemporaryDirectory() as folder:
        snapshots = [
            take_snapshot(network, images, name=f"epoch-{epoch}", out=Path(folder))
            for epoch, network in enumerate(networks)
        ]
        found = [
            compare_snapshots(snapshots[at], snapshots, batches) for at in references
        ]
    if len(references) == 1:
        return found[0]
    return {name: np.stack([curves[name] for curves in found]) for name in CURVES}
