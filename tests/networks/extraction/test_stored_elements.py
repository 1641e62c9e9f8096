"""The key of an element: equal requests read it, any change makes a new one."""

import functools
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import similitude as sim
from networks.extraction.small_models import Conv, Reused, Tokens, inputs, token_batch
from similitude import InvalidInput
from similitude.store import Extraction, open_store


class Counting(nn.Module):
    """A linear layer that counts its forward passes."""

    passes = 0

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 3)
        self.slope = nn.LeakyReLU(0.1)

    def forward(self, x):
        Counting.passes += 1
        return self.slope(self.layer(x))


def scaled(x, factor: float = 2.0):
    return x * factor


def same_name(factor: float):
    """Functions with equal names and options, but another effect."""

    def prepare(x):
        return x * factor

    return prepare


def test_stale_cache(tmp_path) -> None:
    """Every change makes a new element, and old elements stay as they were."""
    torch.manual_seed(0)
    model, x = Counting(), inputs(20)
    base = {"layers": ["slope"], "batch_size": 8}
    store = open_store(tmp_path / "store", create=True)

    def elements(changed_model=model, data=x, **changes) -> dict[str, bytes]:
        sim.extract(changed_model, data, out=store.path, **(base | changes))
        return {
            str(path.relative_to(store.path)): path.read_bytes()
            for path in sorted(store.elements.rglob("*.*"))
        }

    other_weights = Counting()
    other_slope = Counting()
    other_slope.load_state_dict(model.state_dict())
    other_slope.slope = nn.LeakyReLU(0.2)
    changed = x.clone()
    changed[3, 2] += 1e-6
    before = elements()
    for change in (
        {"changed_model": other_weights},
        {"changed_model": other_slope},
        {"changed_model": Counting().double()},
        {"data": changed},
        {"data": x[:19]},
        {"ids": np.arange(1, 21)},
        {"preprocessing": scaled},
        {"preprocessing": functools.partial(scaled, factor=3.0)},
        {"preprocessing": same_name(2.0)},
        {"preprocessing": same_name(3.0)},
        {"batch_size": 9},
        {"layers": ["layer"]},
        {"reducer": "random_projection:size=2"},
        {"reducer": "random_projection:size=2,seed=1"},
        {"name": "other"},
        {"baseline": "untrained"},
    ):
        after = elements(**change)
        assert before.items() < after.items(), change
        before, passes = after, Counting.passes
        assert elements(**change) == after, change
        assert Counting.passes <= passes + 7, change  # it ran on a few samples
    assert elements() == before
    assert store.verify() == []


def test_equal_requests_of_every_reducer_are_found(extract, tmp_path) -> None:
    """Also for reused modules, parts, positions and 2-d outputs with a reducer."""
    requests = [
        (Reused(3), inputs(), {"layers": ["layer"]}),
        (Reused(3), inputs(), {"layers": ["layer:2"]}),
        (Tokens(), token_batch(), {"layers": ["mix"], "reducer": "positions"}),
        (Conv(), inputs(7, 3, 4, 4), {"layers": ["conv"], "reducer": "positions"}),
        (Conv(), inputs(7, 3, 4, 4), {"layers": ["conv", "head"], "reducer": "mean"}),
        (nn.Sequential(nn.LSTM(4, 3, batch_first=True)), inputs(5, 2, 4),
         {"layers": ["0[0]"], "reducer": "flatten"}),
    ]  # fmt: skip
    for number, (model, x, options) in enumerate(requests):
        options |= {"name": str(number), "batch_size": 4}
        passes = []
        model.register_forward_pre_hook(lambda *_, p=passes: p.append(1))
        extract(model, x, **options)
        before, stored = len(passes), open_store(tmp_path / "store").ids()
        assert before > 0
        extract(model, x, **options)
        assert len(passes) <= before + 7, options
        assert open_store(tmp_path / "store").ids() == stored


def test_more_layers_run_only_the_missing_ones(extract, tmp_path) -> None:
    model, x = nn.Sequential(*(nn.Linear(4, 4) for _ in range(3))), inputs()
    extract(model, x, layers=["0"])
    first = open_store(tmp_path / "store").ids()
    rows = extract(model, x, layers=["*"])
    assert sorted(rows) == ["", "0", "1", "2"]
    assert set(first) < set(open_store(tmp_path / "store").ids())


def test_manifest_has_all_fields(extract, tmp_path) -> None:
    model, x = nn.Sequential(nn.Linear(4, 3), nn.ReLU()), inputs(10)
    extract(model, x, layers=["1"], batch_size=4, name="net")
    store = open_store(tmp_path / "store")
    (element,) = store.ids()
    manifest = store.manifest(element)
    fields = manifest["extraction"]
    assert (manifest["name"], manifest["model"], manifest["layer"]) == (
        "net/1",
        "net",
        "1",
    )
    assert fields["model_class"] == "torch.nn.modules.container.Sequential"
    assert fields["layer"] == {"path": "1", "call": 1}
    assert fields["batches"] == {"size": 4, "boundaries": [0, 4, 8, 10]}
    assert fields["preprocessing"]["name"] == "none"
    assert fields["versions"]["torch"] == torch.__version__
    assert fields["versions"]["similitude"] == sim.__version__
    assert manifest["data"] == fields["data_fingerprint"]
    assert store.find(Extraction(**fields)) == [element]
    assert store.find({"model_class": "other"}) == []


def test_the_data_fingerprint_does_not_depend_on_batches(extract, tmp_path) -> None:
    model, x = nn.Sequential(nn.Linear(4, 3)), inputs(10)
    for number, data in enumerate((x, x.numpy(), list(x.split(3)), [x[:2], x[2:]])):
        extract(model, data, layers=["0"], batch_size=5 + number)
    store = open_store(tmp_path / "store")
    fields = [store.manifest(element)["extraction"] for element in store.ids()]
    assert len({f["data_fingerprint"] for f in fields}) == 1
    assert len({tuple(f["batches"]["boundaries"]) for f in fields}) == len(fields) == 4


def test_random_preprocessing_is_refused(extract) -> None:
    with pytest.raises(InvalidInput, match="gives other values for the same input"):
        extract(nn.Sequential(nn.Linear(4, 3)), inputs(), layers=["0"],
                preprocessing=lambda x: x + torch.randn_like(x))  # fmt: skip


def test_preprocessing_is_applied(extract) -> None:
    rows = extract(
        nn.Sequential(nn.Identity()), inputs(), layers=["0"], preprocessing=scaled
    )
    np.testing.assert_array_equal(rows["0"], 2 * inputs().numpy())


def test_uninitialized_weights_are_refused(extract) -> None:
    with pytest.raises(InvalidInput, match=r"'0\.weight' of the model is not init"):
        extract(nn.Sequential(nn.LazyLinear(3)), inputs(), layers=["0"])


def test_model_of_another_kind_is_refused(extract, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="must be a PyTorch module or an OnnxModel"):
        extract(lambda x: x, inputs())
    assert not (tmp_path / "store").exists()
