"""`compare_models` equals `extract` and `compare`, without storing activations."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import similitude as sim
from networks.extraction.small_models import Conv, Tokens, inputs, token_batch
from similitude import InvalidInput

STREAMED = ["cka", "mean_cca", "procrustes", "linear_regression", "svcca", "pwcca",
            "cka(estimator=biased)"]  # fmt: skip


@pytest.fixture(autouse=True)
def quiet_and_seeded():
    torch.manual_seed(0)
    with sim.config(progress="off"):
        yield


def net(width: int = 12, *, dtype: torch.dtype = torch.float32) -> nn.Module:
    layers = [nn.Linear(6, width), nn.Tanh(), nn.Linear(width, 5), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(5, 3)).to(dtype)


def stored(models, data, measures, out, **options):
    """Extract every model into one store, and compare the store."""
    for name, model in models.items():
        store = sim.extract(model, data, out=out, name=name, **options)
    return sim.compare(store.select(), measures, permutations=0)


def scores(found, *, across: bool = True) -> dict:
    return {
        (row.a, row.b, row.label): row.score
        for row in found.rows
        if not across or row.a_model != row.b_model
    }


@pytest.mark.parametrize(
    ("dtype", "rows"),
    [(torch.float32, 600), (torch.float64, 600), (torch.float32, 150)],
)
def test_equals_extract_and_compare(tmp_path, dtype, rows) -> None:
    """With all rows in the sample, and with sums over 600 rows.

    Layer 0 has 12 units of rank 6. In single precision, `compare` rounds its products
    to about 1e-7, and the sums of `compare_models` do not.
    """
    models = {"a": net(dtype=dtype), "b": net(9, dtype=dtype)}
    data = 2 + inputs(rows, 6).to(dtype)
    expected = stored(models, data, STREAMED, tmp_path / "s", batch_size=70)
    found = sim.compare_models(
        models, data, measures=STREAMED, permutations=0, batch_size=70, sample=150
    )
    expected, found = scores(expected), scores(found, across=False)
    assert found.keys() == expected.keys()
    rounded = dtype == torch.float32 and rows > 150
    for key, score in found.items():
        atol = 3e-6 if rounded else 1e-9
        np.testing.assert_allclose(score, expected[key], rtol=0, atol=atol, err_msg=key)


def test_sums_of_single_precision_are_exact(tmp_path) -> None:
    """They equal the scores of the stored rows in double precision to 1e-9."""
    models, data = {"a": net(), "b": net(9)}, 2 + inputs(2000, 6)
    options = {"layers": ["1", "2", "3", "4"]}  # of full rank
    for name, model in models.items():
        store = sim.extract(model, data, out=tmp_path / "s", name=name, **options)
    reps = [replace(rep, values=rep.load().astype(float)) for rep in store.select()]
    expected = scores(sim.compare(reps, STREAMED, permutations=0))
    options |= {"sample": 200, "permutations": 0}
    found = scores(sim.compare_models(models, data, measures=STREAMED, **options))
    for key, score in expected.items():
        np.testing.assert_allclose(found[key], score, rtol=0, atol=1e-9, err_msg=key)


def test_wide_layers_need_no_sums_if_all_rows_are_in_the_sample() -> None:
    """Sums of 3,000 units take more than the budget; 40 rows of them do not."""
    models = {"a": nn.Linear(6, 3000), "b": nn.Linear(6, 3000)}
    with sim.config(memory_budget=2**26):
        found = sim.compare_models(models, inputs(40, 6), layers=[""], permutations=0)
        expected = sim.cka(
            *(model(inputs(40, 6)).detach() for model in models.values())
        )
        np.testing.assert_allclose(found.rows[0].score, expected, atol=1e-6)
        with pytest.raises(InvalidInput, match="Choose fewer layers, or a reducer"):
            sim.compare_models(models, inputs(40, 6), layers=[""], sample=20)


@pytest.mark.parametrize("batch_size", [1, 7, 64, 150])
def test_sums_have_all_rows_whatever_the_batches(batch_size) -> None:
    models, data = {"a": net(), "b": net(9)}, inputs(150, 6)
    options = {"layers": ["2"], "permutations": 0, "batch_size": batch_size}
    whole = sim.compare_models(models, data, **options)
    for sample in (30, 63, 64, 149, 150):
        found = sim.compare_models(models, data, sample=sample, **options)
        assert found.rows[0].n == 150
        np.testing.assert_allclose(found.rows[0].score, whole.rows[0].score, atol=2e-6)


def test_a_note_says_which_numbers_are_from_the_sample() -> None:
    models, data = {"a": net(), "b": net(9)}, inputs(900, 6)
    found = sim.compare_models(
        models, data, measures=["cka", "rsa"], layers=["2"], sample=300
    )
    (cka,) = [row for row in found.rows if row.measure == "cka"]
    (rsa,) = [row for row in found.rows if row.measure == "rsa"]
    assert (cka.n, rsa.n) == (900, 300)
    assert cka.details["sample_rows"] == 300
    assert cka.low < cka.score < cka.high
    assert cka.p < 0.05
    text = " ".join(str(found).split())
    assert "n = 900 rows" in text
    assert ("Scores of cka are over all 900 rows; rsa, intervals, nulls and p are from "
            "a random sample of 300 rows.") in text  # fmt: skip


def test_untrained_twins_are_a_baseline(tmp_path) -> None:
    double = torch.float64
    models, data = {"a": net(dtype=double), "b": net(9, dtype=double)}, inputs(3000, 6)
    found = sim.compare_models(models, data, layers=["2"], untrained=True, sample=99)
    (row,) = found.rows
    twins = {
        name: sim.networks.extraction.fresh_twin(model, 1000 + i)
        for i, (name, model) in enumerate(models.items())
    }
    (twin,) = stored(twins, data, "cka", tmp_path / "s", layers=["2"]).rows
    np.testing.assert_allclose(row.baselines["untrained"], twin.score, atol=1e-9)
    seeds = {"a": net(dtype=double), "b": net(9, dtype=double)}
    found = sim.compare_models(
        models, data, layers=["2"], baselines={"seed": seeds}, sample=100
    )
    own = [stored({"x": models[k], "y": seeds[k]}, data, "cka", tmp_path / k,
                  layers=["2"]).rows[0].score for k in models]  # fmt: skip
    (row,) = found.rows
    np.testing.assert_allclose(row.baselines["seed"], np.mean(own), atol=1e-9)


def test_every_batch_is_read_once_and_runs_once() -> None:
    reads, runs = [], []

    class Data(TensorDataset):
        def __getitem__(self, index):
            reads.append(index)
            return super().__getitem__(index)

    models = {"a": net(), "b": net(9)}
    for model in models.values():
        model.register_forward_hook(lambda m, x, y: runs.append(len(y)))
    loader = DataLoader(Data(inputs(1000, 6)), batch_size=100)
    found = sim.compare_models(models, loader, sample=50, layers=["0", "2"])
    assert sorted(reads) == list(range(1000))
    assert sum(runs) == 2 * (1000 + 2 + 3 + 4 + 4 + 2)  # and five small passes
    assert len(found.rows) == 4
    again = sim.compare_models(models, inputs(1000, 6), sample=50, layers=["0", "2"])
    for row, other in zip(found.rows, again.rows, strict=True):
        np.testing.assert_allclose(row.score, other.score, atol=1e-12)
        assert (row.low, row.high) == (other.low, other.high)


def test_memory_does_not_grow_with_the_rows() -> None:
    models = {"a": net(), "b": net(9)}

    def peak(batches: int) -> int:
        tracemalloc.start()
        loader = _Repeated(inputs(500, 6), batches)
        sim.compare_models(models, loader, sample=100, permutations=0)
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    small, large = peak(10), peak(100)
    assert large < 1.3 * small + 2**20


class _Repeated:
    def __init__(self, batch, count) -> None:
        self.batch, self.count = batch, count

    def __iter__(self):
        return (self.batch for _ in range(self.count))


def test_the_sample_is_uniform_over_the_stream() -> None:
    """Each third of the data has a third of the sample, for any batches."""
    seen = []
    for rng in range(20):
        found = []
        data = np.arange(900.0)[:, None].repeat(6, axis=1).astype(np.float32)
        rows = sim.networks.models._sample.RowSample(90, np.random.SeedSequence(rng))
        for start in range(0, 900, 37):
            part = data[start : start + 37]
            numbers = np.arange(start, start + len(part))
            rows.add(
                sim.networks.extraction.StreamedBatch(numbers, None, numbers, [part])
            )
        found = rows.finish()
        assert len(found.samples) == 90
        np.testing.assert_array_equal(found.rows[0][:, 0], found.samples)
        assert (np.diff(found.samples) > 0).all()
        seen.append(found.samples)
    counts = np.histogram(np.concatenate(seen), bins=3, range=(0, 900))[0]
    assert np.abs(counts - 600).max() < 5 * np.sqrt(600 * 2 / 3)


def test_rows_of_tokens_are_blocks_and_stay_together() -> None:
    models, data = {"a": Tokens().double(), "b": Tokens().double()}, token_batch(300)
    found = sim.compare_models(models, data, layers=["mix"], reducer="positions",
                               sample=200)  # fmt: skip
    (row,) = found.rows
    tokens = int(data["attention_mask"].sum())
    assert row.n == tokens
    assert 190 <= row.details["sample_rows"] <= 200
    whole = sim.compare_models(models, data, layers=["mix"], reducer="positions",
                               sample=10_000)  # fmt: skip
    np.testing.assert_allclose(row.score, whole.rows[0].score, atol=1e-9)


def test_layers_with_different_rows_are_refused() -> None:
    model, data = Conv(), inputs(20, 3, 4, 4)
    with pytest.raises(InvalidInput, match="do not have the same rows"):
        sim.compare_models({"a": model, "b": model}, data, layers=["conv", "head"],
                           reducer={"conv": "positions"})  # fmt: skip


def test_calls(tmp_path) -> None:
    a, b, data = net(), net(9), inputs(60, 6)
    assert sim.compare_models(a, b, data).names[0] == "Sequential-1/0"
    named = sim.compare_models({"x": a, "y": b}, data=data, layers=["0"])
    assert named.names == ("x/0", "y/0")
    three = sim.compare_models(a, b, net(7), data, layers=["0"])
    assert len(three.rows) == 3
    layers = {"x": ["0", "2"], "y": ["2", "4"]}
    found = sim.compare_models({"x": a, "y": b}, data, layers=layers,
                               keep=lambda p, q: p.layer == q.layer)  # fmt: skip
    assert [(row.a, row.b) for row in found.rows] == [("x/2", "y/2")]
    one = sim.compare_models({"x": a}, data, keep=lambda p, q: True)
    assert len(one.rows) == 10
    out = tmp_path / "out"
    saved = sim.compare_models(a, b, inputs(3000, 6), out=out, sample=100)
    assert saved == sim.Results.load(out)
    assert "random sample of 100 rows" in " ".join(str(saved).split())
    saved.report(tmp_path / "r.html")
    for call, words in (
        (lambda: sim.compare_models(a), "needs models and data"),
        (lambda: sim.compare_models({"x": a}, data), "no pair of representations"),
        (lambda: sim.compare_models(a, b, data, sample=0), "sample=0"),
        (lambda: sim.compare_models({"x": a, "y": b}, data, layers={"x": ["0"]}),
         "but not for the model 'y'"),
        (lambda: sim.compare_models({"x": a, "y": b}, data,
                                    baselines={"seed": {"z": a}}), "names 'z'"),
        (lambda: sim.compare_models(a, b, data, layers=["00"]), "matches no layer"),
        (lambda: sim.compare_models(a, b, []), "no batches"),
    ):  # fmt: skip
        with pytest.raises(InvalidInput, match=words):
            call()
    wide = {"x": net(600), "y": net(600)}
    budget = sim.config(memory_budget=2**20)
    with budget, pytest.raises(InvalidInput, match="the sums of 10 layers"):
        sim.compare_models(wide, inputs(3000, 6), sample=10)


def test_nonfinite_values_name_layer_and_sample() -> None:
    data = inputs(50, 6)
    data[33] = torch.nan
    with pytest.raises(sim.SimilitudeError, match="is NaN for sample 33"):
        sim.compare_models(net(), net(9), data)


def test_also_sees_every_row() -> None:
    total = {}

    def also(layers, batch):
        for layer, rows in zip(layers, batch.rows, strict=True):
            total[layer.name] = total.get(layer.name, 0) + len(rows)

    sim.compare_models({"a": net(), "b": net(9)}, inputs(700, 6), layers=["0"],
                       also=also, sample=10)  # fmt: skip
    assert total == {"a/0": 700, "b/0": 700}
