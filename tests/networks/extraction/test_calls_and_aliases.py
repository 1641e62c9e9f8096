"""Modules that are called several times, and modules with several names."""

import numpy as np
import pytest
import torch
from torch import nn

import similitude as sim
from networks.extraction.small_models import Reused, inputs
from similitude import InvalidInput


def test_reused_module(extract, tmp_path) -> None:
    """Every call is an element, and the manifest has the number of calls."""
    model, x = Reused(3), inputs()
    rows = extract(model, x, layers=["layer"])
    assert sorted(rows) == ["layer:1", "layer:2", "layer:3"]
    with torch.inference_mode():
        y = x
        for call in (1, 2, 3):
            y = model.layer(y)
            np.testing.assert_array_equal(rows[f"layer:{call}"], y.numpy())
            y = torch.tanh(y)
    store = sim.store.open_store(tmp_path / "store")
    for element in store.ids():
        manifest = store.manifest(element)
        assert manifest["meta"]["calls"] == 3
        assert manifest["extraction"]["layer"]["path"] == "layer"
        assert manifest["layer"] == f"layer:{manifest['extraction']['layer']['call']}"


def test_one_call_of_a_reused_module(extract) -> None:
    rows = extract(Reused(3), inputs(), layers=["layer:2"])
    assert list(rows) == ["layer:2"]
    with pytest.raises(InvalidInput, match="'layer' is called 3 times"):
        extract(Reused(3), inputs(), layers=["layer:4"])


def test_shared_module_under_two_names(extract, tmp_path) -> None:
    """One module has two names: it is hooked once, and both names find it."""

    class Shared(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(4, 4)
            self.second = self.first

        def forward(self, x):
            return self.second(torch.relu(self.first(x)))

    model, x = Shared(), inputs()
    rows = extract(model, x, layers=["*"])
    assert sorted(rows) == ["", "first:1", "first:2"]
    store = sim.store.open_store(tmp_path / "store")
    (manifest,) = (
        m for m in map(store.manifest, store.ids()) if m["layer"] == "first:2"
    )
    assert manifest["meta"]["aliases"] == ["second"]
    before = store.ids()
    assert sorted(extract(model, x, layers=["second"])) == sorted(rows)
    assert store.ids() == before


def test_generation_runs_many_passes(extract) -> None:
    """A pass with another number of calls in a later batch is refused."""

    class Generator(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x):
            for _ in range(int(x[0, 0])):
                x = x + 0 * self.layer(x)
            return x

    x = torch.ones(6, 4)
    assert sorted(extract(Generator(), x, layers=["layer"])) == ["layer"]
    x[:, 0] = torch.tensor([2.0, 2.0, 2.0, 3.0, 3.0, 3.0])
    with pytest.raises(InvalidInput, match="called 2 times in the first batch and 3"):
        extract(Generator(), x, layers=["layer"], batch_size=3, name="b")
