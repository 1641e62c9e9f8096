"""Batches, loaders, the order of samples and their ids."""

import itertools

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

import similitude as sim
from networks.extraction.small_models import forward, inputs
from similitude import InvalidInput


def net() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 3))


class Named(Dataset):
    """Samples with ids, as data sets of images have."""

    def __init__(self) -> None:
        self.x = inputs(10)
        self.ids = [f"image{i}" for i in range(10)]

    def __len__(self) -> int:
        return 10

    def __getitem__(self, index: int):
        return self.x[index], index % 3


def test_batch_boundaries_are_in_the_manifest(extract, tmp_path) -> None:
    """Values can depend on the batch, so batches are part of the element."""

    class Shape(nn.Module):  # as a kernel that is chosen by the shape of its input
        def forward(self, x):
            return x + len(x)

    model, x = nn.Sequential(Shape()), inputs(10)
    rows = extract(model, x, layers=["0"], batch_size=4)
    np.testing.assert_array_equal(rows["0"][:8], x[:8].numpy() + 4)
    np.testing.assert_array_equal(rows["0"][8:], x[8:].numpy() + 2)
    extract(model, x, layers=["0"], batch_size=5)
    store = sim.store.open_store(tmp_path / "store")
    sizes = {store.manifest(e)["extraction"]["batches"]["size"] for e in store.ids()}
    assert sizes == {4, 5}


@pytest.mark.parametrize(
    "options",
    [{"shuffle": True}, {"sampler": torch.utils.data.SubsetRandomSampler(range(10))}],
)
def test_shuffled_loader(extract, options) -> None:
    """Ids and order: a loader that shuffles is refused."""
    with pytest.raises(InvalidInput, match=r"shuffles its samples .*shuffle=False"):
        extract(net(), DataLoader(Named(), batch_size=4, **options), layers=["0"])


def test_ids_come_from_the_data(extract, tmp_path) -> None:
    model, data = net(), Named()
    expected = forward(model, data.x)
    batches = [{"input": data.x[:6], "ids": data.ids[:6]},
               {"input": data.x[6:], "ids": data.ids[6:]}]  # fmt: skip
    for number, source in enumerate((DataLoader(data, batch_size=4), data, batches)):
        out = tmp_path / str(number)
        rows = extract(model[0], source, layers=[""], out=out)
        np.testing.assert_array_equal(rows[""], expected)
        (rep,) = sim.store.open_store(out).select()
        assert rep.ids.tolist() == data.ids


def test_a_loader_with_other_values_in_its_second_reading(extract) -> None:
    """Augmentation and own samplers that shuffle are noticed."""

    class Augmented(Named):
        def __getitem__(self, index: int):
            return self.x[index] + torch.randn(4), 0

    message = "batch 0 of the loader has other values than in its first reading"
    with pytest.raises(InvalidInput, match=message):
        extract(net(), DataLoader(Augmented(), batch_size=4), layers=["0"])


def test_a_loader_that_drops_samples_is_refused(extract) -> None:
    loader = DataLoader(Named(), batch_size=4, drop_last=True)
    with pytest.raises(InvalidInput, match="drops the last 2 of 10 samples"):
        extract(net(), loader, layers=["0"])


def test_iterators_are_refused(extract) -> None:
    with pytest.raises(InvalidInput, match="can be read only once"):
        extract(net(), iter([inputs()]), layers=["0"])


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([1] * 10, "the sample id 1 occurs 10 times"),
        ([1, 2], r"ids must be one whole number or text per sample; got shape \(2,\)"),
        ([0.5] * 10, "dtype float64"),
    ],
)
def test_wrong_ids_are_refused(extract, ids, message) -> None:
    with pytest.raises(InvalidInput, match=message):
        extract(net(), inputs(10), ids=ids, layers=["0"])


def test_tuples_give_as_many_inputs_as_the_model_takes(extract, tmp_path) -> None:
    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.join = nn.Bilinear(4, 4, 2)

        def forward(self, a, b):
            return self.join(a, b)

    a, b, labels = inputs(6), inputs(6, seed=1), torch.arange(6)
    loader = DataLoader(TensorDataset(a, b, labels), batch_size=4)
    rows = extract(Two(), loader, layers=["join"])
    assert rows["join"].shape == (6, 2)
    rows = extract(net(), loader, layers=["0"], out=tmp_path / "one")
    np.testing.assert_array_equal(rows["0"], forward(net(), a))


def test_keys_that_the_model_does_not_take_are_left_out(extract) -> None:
    batches = {"input": inputs(), "labels": np.arange(7)}
    assert extract(net()[0], batches, layers=[""])[""].shape == (7, 3)
    with pytest.raises(InvalidInput, match="has the keys x, but the model takes input"):
        extract(net()[0], {"x": inputs()}, layers=[""])


def test_memory_is_bounded_by_one_batch(extract) -> None:
    """All layers in one pass over data that never exist as a whole."""

    class Stream:
        """Batches that are made when they are read, and counted while alive."""

        alive = made = 0

        def __iter__(self):
            for number in range(40):
                Stream.made += 1
                yield torch.full((8, 4), float(number))

    model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(5)))
    rows = extract(model, Stream(), layers=["*"])
    assert {v.shape for v in rows.values()} == {(320, 4)}
    assert Stream.made == 80  # two readings


def test_estimate_and_progress_are_reported(extract) -> None:
    lines, calls = [], []

    class Progress:
        unit = ""

        def __call__(self, stage, done, total):
            calls.append((done, total))

        def say(self, text):
            lines.append(text)

    extract(net(), inputs(10), layers=["0"], batch_size=4, progress=Progress())
    assert lines == [
        "1 layer, 10 samples: 120 bytes on disk, 48 bytes of memory per batch\n"
    ]
    assert calls == [(0, 10), (4, 10), (8, 10), (10, 10)]
    assert list(itertools.pairwise(calls)) == sorted(itertools.pairwise(calls))


def test_a_disk_that_is_too_small_is_refused_before_the_run(
    extract, monkeypatch
) -> None:
    import shutil
    from collections import namedtuple

    usage = namedtuple("usage", "free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(100))
    with pytest.raises(
        InvalidInput, match="the rows need 120 bytes, but 100 bytes are"
    ):
        extract(net(), inputs(10), layers=["0"])
