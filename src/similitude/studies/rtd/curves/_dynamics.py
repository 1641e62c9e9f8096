"""Curves of training: the network after each epoch against the last epoch."""

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from similitude.training.images import Images

from ._snapshots import compare_snapshots, take_snapshot


def dynamics_curves(
    networks: Iterable[Any], images: Images, batches: np.ndarray
) -> dict[str, np.ndarray]:
    """Each network against the last one; the curves are epochs x batches.

    The last network is a point as well: its distances to itself are 0.
    """
    with tempfile.TemporaryDirectory() as folder:
        snapshots = [
            take_snapshot(network, images, name=f"epoch-{epoch}", out=Path(folder))
            for epoch, network in enumerate(networks)
        ]
        return compare_snapshots(snapshots[-1], snapshots, batches)
