"""The authors' checkpoints, from ../shared/data or SIMILITUDE_SHARED_DATA."""

import functools
import json
import os
from pathlib import Path

import pytest

from similitude import SoftmaxModel
from similitude_lab.closeness.data import (
    CloseDistCheckpoint,
    find_close_dist_checkpoints,
    radial_classification,
    read_close_dist_checkpoint,
)

_DEFAULT_FOLDER = Path(__file__).parents[4] / "shared" / "data"
FOLDER = (
    Path(os.environ.get("SIMILITUDE_SHARED_DATA", _DEFAULT_FOLDER))
    / "close-dist-checkpoints"
)

needs_checkpoints = pytest.mark.skipif(
    not FOLDER.is_dir(),
    reason="close-dist-checkpoints not found (../shared/data, SIMILITUDE_SHARED_DATA)",
)


@functools.cache
def checkpoints() -> dict[tuple[str, int, int], CloseDistCheckpoint]:
    """All checkpoints by (stage, width, seed)."""
    return {
        (name.stage, name.width, name.seed): read_close_dist_checkpoint(path)
        for name, path in find_close_dist_checkpoints(FOLDER).items()
    }


@functools.cache
def softmax_model(width: int, seed: int) -> SoftmaxModel:
    """A trained model at the 2,000 test points."""
    from similitude_lab.closeness.networks import SoftmaxNetworks

    checkpoint = checkpoints()["trained", width, seed]
    networks = SoftmaxNetworks(**checkpoint.name.architecture).load(checkpoint.state)
    return networks.softmax_model(unseen_points().points)


@functools.cache
def unseen_points():
    return radial_classification(classes=4, split="test")


@functools.cache
def reference() -> dict[str, dict]:
    """Values of the authors' code for each pair, by keys such as "4/64/0vs1"."""
    return json.loads((FOLDER / "distances_k4.json").read_text())
