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
    """Each network except the last one against the last one; epochs x batches."""
    with tempfile.TemporaryDirectory() as folder:
        *before, last = (
            take_snapshot(network, images, name=f"epoch-{epoch}", out=Path(folder))
            for epoch, network in enumerate(networks)
        )
        return compare_snapshots(last, before, batches)
