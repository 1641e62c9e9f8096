"""A function that extracts into a temporary store, without lines on stderr."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import similitude as sim

Extract = Callable[..., dict[str, np.ndarray]]


@pytest.fixture(autouse=True)
def quiet_and_seeded():
    torch.manual_seed(0)
    with sim.config(progress="off"):
        yield


@pytest.fixture
def extract(tmp_path: Path) -> Extract:
    """Extract into one store, and return the rows of all its elements by layer."""

    def run(model: Any, data: Any, **options: Any) -> dict[str, np.ndarray]:
        out = options.pop("out", tmp_path / "store")
        store = sim.extract(model, data, out=out, **options)
        assert store.verify() == []
        assert store.leftovers() == []
        return {rep.layer: rep.load() for rep in store.select()}

    return run
