"""Failures in the middle of a run: one sentence, and nothing is lost."""

import copy
import re
import resource
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import similitude as sim
from networks.extraction.small_models import inputs
from similitude import InvalidInput, SimilitudeError
from similitude.store import open_store

PROBES = 2 + 3  # the axis; another seed, and a smaller batch


class Fragile(nn.Module):
    """Fails, or gives NaN, for chosen samples; counts its passes."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 3)
        self.fails_at: float | None = None
        self.nan_at: float | None = None
        self.passes = 0

    def forward(self, x):
        self.passes += 1
        y = self.layer(x)
        if self.fails_at is not None and (x[:, 0] == self.fails_at).any():
            raise ValueError("no luck\nwith this batch")
        if self.nan_at is not None:
            y[x[:, 0] == self.nan_at, 1] = torch.nan
        return torch.relu(y)


def numbered(n: int = 20) -> torch.Tensor:
    x = inputs(n)
    x[:, 0] = torch.arange(n)
    return x


def files(out: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file()
    }


def test_a_model_that_raises_in_the_middle_is_resumed(extract, tmp_path) -> None:
    model, x = Fragile(), numbered()
    expected = extract(model, x, layers=["layer"], batch_size=4, out=tmp_path / "whole")
    model.fails_at, model.passes = 13.0, 0
    with pytest.raises(SimilitudeError) as error:
        extract(model, x, layers=["layer"], batch_size=4)
    assert str(error.value) == (
        "the model raised ValueError in batch 3 (samples 12 to 15): no luck. 3 "
        "complete batches are kept. Run the same again to resume."
    )
    assert open_store(tmp_path / "store").ids() == []
    model.fails_at, model.passes = None, 0
    rows = extract(model, x, layers=["layer"], batch_size=4)
    assert model.passes == PROBES + 2 + 1  # two batches, and the running order
    np.testing.assert_array_equal(rows["layer"], expected["layer"])
    assert files(tmp_path / "store") == files(tmp_path / "whole")


def test_nan_activations_name_the_layer_and_the_sample(extract, tmp_path) -> None:
    model, x = Fragile(), numbered()
    model.nan_at = 13.0
    ids = [f"image{i:02d}" for i in range(20)]
    with pytest.raises(SimilitudeError) as error:
        extract(model, x, layers=["", "layer"], batch_size=4, ids=ids)
    assert "layer '' is NaN for sample image13 (unit 1; 1 of 12 values" in str(
        error.value
    )
    assert open_store(tmp_path / "store").ids() == []


def test_large_finite_values_are_not_called_infinite(extract) -> None:
    rows = extract(nn.Sequential(nn.Identity()), torch.full((4, 4), 3e38), layers=["0"])
    assert (rows["0"] == np.float32(3e38)).all()


@contextmanager
def largest_file(size: int):
    """A limit on the size of files acts as a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("room", [10, 100, 700, 1200, 1600])
def test_a_full_disk_keeps_the_complete_batches(extract, tmp_path, room) -> None:
    """The disk is full at the journal, the header, the rows, or the manifest."""
    model, x = Fragile(), numbered(80)
    options = {"layers": ["layer"], "batch_size": 4}
    extract(model, x, **options, out=tmp_path / "whole")
    open_store(tmp_path / "store", create=True)
    with largest_file(room), pytest.raises(OSError, match="File too large") as error:
        extract(model, x, **options)
    assert re.search(
        r"File too large\. \d+ complete batch(es)? (are|is) kept\. Free some space, "
        r"and run the same command again to resume\.",
        str(error.value),
    )
    assert open_store(tmp_path / "store").ids() == []
    extract(model, x, **options)
    assert files(tmp_path / "store") == files(tmp_path / "whole")


def test_damaged_rows_of_an_interrupted_run_are_not_used(extract, tmp_path) -> None:
    model, x = Fragile(), numbered()
    options = {"layers": ["layer"], "batch_size": 4}
    extract(model, x, **options, out=tmp_path / "whole")
    model.fails_at = 13.0
    with pytest.raises(SimilitudeError, match="3 complete batches are kept"):
        extract(model, x, **options)
    (shard,) = (tmp_path / "store").rglob("rows-00000.npy")
    damaged = bytearray(shard.read_bytes())
    damaged[-1] ^= 1
    shard.write_bytes(damaged)
    model.fails_at, model.passes = None, 0
    extract(model, x, **options)
    assert model.passes == PROBES + 5 + 1  # all batches again
    assert files(tmp_path / "store") == files(tmp_path / "whole")


def test_two_runs_of_the_same_request_do_not_mix(extract, tmp_path) -> None:
    class Nested(Fragile):
        twin: Any = None

        def forward(self, x):
            if self.twin is not None and len(x) == 20:  # the batch of the data
                with pytest.raises(
                    InvalidInput, match="another process writes the same"
                ):
                    sim.extract(
                        self.twin, numbered(), layers=["layer"], out=tmp_path / "store"
                    )
                refused.append(1)
            return super().forward(x)

    refused: list[int] = []
    model = Nested()
    twin = copy.deepcopy(model)
    model.__dict__["twin"] = twin  # not a submodule: the networks are equal
    assert extract(model, numbered(), layers=["layer"])["layer"].shape == (20, 3)
    assert refused == [1]


def test_ctrl_c_keeps_the_complete_batches(extract) -> None:
    class Stopped(Fragile):
        stop = True

        def forward(self, x):
            if self.stop and (x[:, 0] == 13).any():
                raise KeyboardInterrupt
            return super().forward(x)

    model = Stopped()
    with pytest.raises(KeyboardInterrupt):
        extract(model, numbered(), layers=["layer"], batch_size=4)
    model.stop, model.passes = False, 0
    extract(model, numbered(), layers=["layer"], batch_size=4)
    assert model.passes == PROBES + 2 + 1
