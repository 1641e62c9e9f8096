"""The stitching table: planted symmetries, statistics, resuming, live modules."""

import copy
import dataclasses
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy
import torch
from sklearn.linear_model import LogisticRegression
from torch import nn

import similitude as sim
from similitude import InvalidInput, align, training
from similitude.align.relative import Cosine, Robust
from similitude.training import (
    Decoder,
    Embeddings,
    LogisticHead,
    PerSeed,
    StitchingData,
    TorchHead,
    embed,
    stitching_table,
)
from similitude.training.stitching._described import described
from similitude.training.stitching._results import interval

RNG = np.random.default_rng(17)
D, CLASSES, N = 16, 8, 900
LABELS = np.arange(N) % CLASSES
CENTRES = RNG.normal(size=(CLASSES, D))
# Coordinates of different sizes, as real ones are: standardising them does something.
X = (CENTRES[LABELS] + RNG.normal(size=(N, D))) * np.geomspace(0.2, 5, D)
TRAIN, TEST, ANCHORS = slice(0, 300), slice(300, 800), slice(800, 900)
DATA = StitchingData(LABELS[TRAIN], LABELS[TEST])


def rows(z: np.ndarray) -> Embeddings:
    return Embeddings(z[TRAIN], z[TEST], z[ANCHORS])


def planted(groups: tuple[str, ...]) -> dict[str, Embeddings]:
    g = align._groups.sample_element(groups, D, np.random.default_rng(0))
    return {"one": rows(X), "two": rows(g(X) + (3.0 if "translation" in groups else 0))}


def accuracy(table: Any, transform: str) -> dict[str, float]:
    """own: home to home; stitched: across. Of the decoder `one`."""
    (own,) = table.where(transform=transform, encoder="one", decoder="one")
    (across,) = table.where(transform=transform, encoder="two", decoder="one")
    return {"own": own.accuracy, "stitched": across.accuracy}


def test_fact_20_permutation_diagonal_shift() -> None:
    spaces = planted(("permutation", "diagonal", "translation"))
    table = stitching_table(spaces, None, DATA, [Cosine(), Robust()], [0])
    robust = accuracy(table, "robust")
    assert robust["own"] > 80
    assert abs(robust["stitched"] - robust["own"]) <= 0.5
    absolute, cosine = (accuracy(table, t)["stitched"] for t in ("absolute", "cosine"))
    assert absolute < 100 / CLASSES + 10
    assert absolute < cosine < robust["stitched"] - 5


def test_fact_20_rotation() -> None:
    table = stitching_table(
        planted(("orthogonal",)), None, DATA, [Cosine(), Robust()], [0]
    )
    for name in ("cosine", "procrustes"):
        exact = accuracy(table, name)
        assert exact["stitched"] == exact["own"] > 80
    robust = accuracy(table, "robust")
    assert robust["stitched"] < robust["own"] - 3
    assert accuracy(table, "absolute")["stitched"] < 100 / CLASSES + 25


def test_baselines_are_always_there_and_names_work() -> None:
    spaces = planted(("orthogonal",))
    table = stitching_table(
        spaces, None, DATA, ["robust", "affine", "procrustes", "absolute"], [3]
    )
    assert table.transforms == ["absolute", "procrustes", "robust", "affine"]
    named = stitching_table(
        spaces,
        None,
        DATA,
        {"mine": Robust(), "ridge": lambda x, y: align.fit_affine(x, y, ridge=1.0)},
        [3],
    )
    assert named.transforms == ["absolute", "procrustes", "mine", "ridge"]
    assert [c.accuracy for c in named.where(transform="mine")] == [
        c.accuracy for c in table.where(transform="robust")
    ]


def test_cells_by_hand() -> None:
    spaces = planted(("permutation", "diagonal"))
    table = stitching_table(spaces, None, DATA, [Robust(stats="train")], [0])
    one, two = (Robust(stats="train").fit(s.anchors, s.train) for s in spaces.values())
    head = LogisticHead().train(one(spaces["one"].train), DATA.train_labels, 0)
    guess = head(two(spaces["two"].test))
    (cell,) = table.where(
        encoder="two", decoder="one", transform="robust(stats='train')"
    )
    np.testing.assert_array_equal(cell.predictions, guess)
    assert cell.accuracy == 100 * np.mean(guess == DATA.test_labels)
    assert cell.stitched
    fit = align.fit_procrustes(
        spaces["two"].anchors, spaces["one"].anchors, translate=True, scale=True
    )
    head = LogisticHead().train(spaces["one"].train, DATA.train_labels, 0)
    (cell,) = table.where(encoder="two", decoder="one", transform="procrustes")
    np.testing.assert_array_equal(cell.predictions, head(fit.apply(spaces["two"].test)))


def test_logistic_head_is_the_minimum() -> None:
    x, y = X[TRAIN], LABELS[TRAIN]
    ours = LogisticHead(ridge=1e-2).train(x, y + 3, 0)
    theirs = LogisticRegression(C=1 / (1e-2 * len(x)), tol=1e-10, max_iter=1000)
    theirs.fit(x, y)
    np.testing.assert_array_equal(ours(X[TEST]), theirs.predict(X[TEST]) + 3)


def test_torch_head_follows_its_seed_and_touches_no_global_state() -> None:
    state = torch.get_rng_state()
    head = TorchHead(hidden=(16,), epochs=30)
    a, b, c = (head.train(X[TRAIN], LABELS[TRAIN], s)(X[TEST]) for s in (0, 0, 1))
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()
    assert (a == LABELS[TEST]).mean() > 0.8
    np.testing.assert_array_equal(torch.get_rng_state(), state)


def test_seeds_draw_anchors_and_choose_members() -> None:
    spaces = planted(("orthogonal",))
    many = {"one": spaces["one"], "two": PerSeed({0: spaces["two"], 1: spaces["one"]})}
    table = stitching_table(many, None, DATA, [Cosine()], [0, 1], anchors=12)
    zero, one = (
        table.where(encoder="two", decoder="one", transform="absolute", seed=s)[0]
        for s in (0, 1)
    )
    assert zero.accuracy < 50 < one.accuracy
    own = table.where(encoder="one", decoder="one", transform="cosine")
    assert own[0].predictions != own[1].predictions
    with pytest.raises(InvalidInput, match="no member for seed 2"):
        stitching_table(many, None, DATA, [], [2])
    with pytest.raises(InvalidInput, match="k=101"):
        stitching_table(spaces, None, DATA, [], [0], anchors=101)


def test_unequal_widths_are_undefined_for_absolute_only() -> None:
    wide = np.pad(X, ((0, 0), (0, 4))) @ align._groups.random_orthogonal(D + 4, RNG)
    table = stitching_table(
        {"one": rows(X), "wide": rows(wide)}, None, DATA, [Cosine()], [0]
    )
    (cell,) = table.where(encoder="wide", decoder="one", transform="absolute")
    assert cell.status == "undefined"
    assert "20 columns and the decoder takes 16" in cell.reason
    for name in ("procrustes", "cosine"):
        (cell,) = table.where(encoder="wide", decoder="one", transform=name)
        assert cell.accuracy > 80
    assert "2 cells undefined" in str(table)


def test_domains_have_their_own_data() -> None:
    other = StitchingData(LABELS[TRAIN][::-1], LABELS[TEST][::-1], ordinal=True)
    spaces = {
        "one": rows(X),
        "two": Embeddings(X[TRAIN][::-1], X[TEST][::-1], X[ANCHORS]),
    }
    table = stitching_table(spaces, None, {"one": DATA, "two": other}, [Robust()], [0])
    assert all(c.accuracy > 80 for c in table.cells)
    assert {c.encoder for c in table.cells if c.mae is not None} == {"two"}
    with pytest.raises(InvalidInput, match="no entry for encoder 'two'"):
        stitching_table(spaces, None, {"one": DATA}, [], [0])


def test_summary_and_paired_differences() -> None:
    spaces = planted(("permutation", "diagonal"))
    table = stitching_table(
        spaces, None, DATA, [Cosine(), Robust()], [0, 1, 2], anchors=20
    )
    place = {"encoder": "two", "decoder": "one"}
    scores = {
        t: np.array([c.accuracy for c in table.where(**place, transform=t)])
        for t in ("cosine", "robust")
    }
    (s,) = (
        s
        for s in table.summary()
        if (s.encoder, s.decoder, s.transform) == ("two", "one", "robust")
    )
    np.testing.assert_allclose(
        [s.mean, s.sd], [scores["robust"].mean(), scores["robust"].std(ddof=1)]
    )
    (d,) = (
        d
        for d in table.differences("cosine")
        if (d.encoder, d.decoder, d.transform) == ("two", "one", "robust")
    )
    gaps = scores["robust"] - scores["cosine"]
    expected = scipy.stats.t.interval(
        0.95, 2, loc=gaps.mean(), scale=scipy.stats.sem(gaps)
    )
    np.testing.assert_allclose([d.mean, d.low, d.high], [gaps.mean(), *expected])
    (d,) = (
        d
        for d in table.differences("cosine", over="samples")
        if (d.encoder, d.decoder, d.transform) == ("two", "one", "robust")
    )
    assert d.pairs == 500
    np.testing.assert_allclose(d.mean, gaps.mean())
    assert d.low < d.mean < d.high
    assert "robust" in str(table)
    json.dumps(table.to_dict())
    for wrong in ({"against": "nothing"}, {"metric": "mae"}, {"confidence": 2.0}):
        with pytest.raises(InvalidInput):
            table.differences(**wrong)
    with pytest.raises(InvalidInput, match="samples"):
        table.differences(metric="f1", over="samples")


def test_intervals_cover() -> None:
    """95 % of them hold the true mean; of 2000, within three standard errors."""
    draws = np.random.default_rng(0).normal(1.0, 2.0, size=(2000, 5))
    found = [interval(row, 0.95) for row in draws]
    share = np.mean([low <= 1.0 <= high for _, low, high in found])
    assert abs(share - 0.95) < 3 * np.sqrt(0.95 * 0.05 / 2000)
    assert interval(np.array([3.0]), 0.95) == (3.0, None, None)


@dataclasses.dataclass(frozen=True)
class Counting:
    """A head that remembers how often it was trained, outside of its options."""

    def train(self, x: np.ndarray, labels: np.ndarray, seed: int) -> Any:
        TRAINED.append(seed)
        return LogisticHead().train(x, labels, seed)


TRAINED: list[int] = []


def test_a_run_is_resumed(tmp_path: Path) -> None:
    TRAINED.clear()
    spaces, path = planted(("orthogonal",)), tmp_path / "runs" / "table.jsonl"
    decoders = {"head": Decoder("one", Counting())}
    first = stitching_table(spaces, decoders, DATA, [Robust()], [0, 1], path=path)
    assert TRAINED == [0, 0, 1, 1]  # absolute and robust; maps share the absolute one
    lines = path.read_text().splitlines()
    assert len(lines) == len(first.cells) == 12
    path.write_text("\n".join(lines[:7]) + "\n" + lines[7][:20])  # torn by a crash
    TRAINED.clear()
    again = stitching_table(spaces, decoders, DATA, [Robust()], [0, 1], path=path)
    assert again.cells == first.cells
    assert TRAINED == [1, 1]
    TRAINED.clear()
    third = stitching_table(spaces, decoders, DATA, [Robust()], [0, 1], path=path)
    assert (third.cells, TRAINED) == (first.cells, [])
    changed = spaces | {"two": rows(X * 2)}  # other rows are other results
    stitching_table(changed, decoders, DATA, [Robust()], [0], path=path)
    assert TRAINED == [0, 0]


class Constant:
    """A head whose repr does not tell what it does."""

    def __init__(self, answer: int) -> None:
        self.answer = answer

    def __repr__(self) -> str:
        return "Constant()"

    def train(self, x: np.ndarray, labels: np.ndarray, seed: int) -> Any:
        return lambda z: np.full(len(z), self.answer)


def test_what_is_resumed_is_what_was_asked_for(tmp_path: Path) -> None:
    """The same names with other options, closures, heads or code are other cells."""
    spaces, path = planted(("linear",)), tmp_path / "table.jsonl"

    def ridged(ridge: float) -> Any:
        return lambda x, y: align.fit_affine(x, y, ridge=ridge)

    def readout(weights: np.ndarray) -> Decoder:
        return Decoder("one", live=lambda z: z @ weights)

    weights = RNG.normal(size=(2, D, CLASSES))
    plain = {"head": Decoder("one", Constant(0))}
    cases: list[tuple[Any, Any]] = [
        (plain, partial(align.fit_affine, ridge=1e7)),
        (plain, partial(align.fit_affine, ridge=1.0)),
        (plain, align.fit_affine),
        (plain, align.fit_procrustes),
        (plain, ridged(1e7)),
        (plain, ridged(1.0)),
        (plain, lambda x, y: align.fit_affine(x, y, ridge=2.0)),
        (plain, lambda x, y: align.fit_affine(x, y, ridge=3.0)),
        ({"head": Decoder("one", Constant(1))}, align.fit_affine),
        ({"head": readout(weights[0])}, align.fit_affine),
        ({"head": readout(weights[1])}, align.fit_affine),
    ]
    keys = []
    for decoders, fit in cases:
        table = stitching_table(spaces, decoders, DATA, {"m": fit}, [0], path=path)
        (cell,) = table.where(encoder="two", transform="m")
        keys.append(cell.key)
        size = path.stat().st_size
        again = stitching_table(spaces, decoders, DATA, {"m": fit}, [0], path=path)
        assert again.cells == table.cells
        assert path.stat().st_size == size  # and the same is not computed again
    assert len(set(keys)) == len(cases)


def test_what_cannot_be_looked_into_is_never_the_same() -> None:
    holder: list[Any] = []
    holder.append(holder)
    for strange in (partial(align.fit_affine, ridge=holder), iter([1])):
        assert described(strange) != described(strange)
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    assert described(first) == described(copy.deepcopy(first)) != described(second)
    assert described({"a": {"x", "y"}}) == described({"a": {"y", "x"}})


def test_modules_take_what_they_can_compute_with() -> None:
    data = StitchingData(LABELS[TRAIN], LABELS[TEST], X[TRAIN], X[TEST], X[ANCHORS])
    front = nn.Linear(D, 5)  # in float32, and the data are in float64
    (cell,) = stitching_table(
        {"net": front}, None, data, [], [0]
    ).where(transform="absolute")  # fmt: skip
    assert cell.status == "ok"
    found = embed(front.to(torch.bfloat16), data).train
    expected = X[TRAIN] @ front.weight.detach().double().numpy().T
    np.testing.assert_allclose(
        found, expected + front.bias.detach().double().numpy(), atol=0.2
    )


def halves(seed: int) -> tuple[nn.Sequential, nn.Sequential]:
    """A small network on X, trained."""
    torch.manual_seed(seed)
    front = nn.Sequential(nn.Linear(D, 24), nn.BatchNorm1d(24), nn.ReLU())
    back = nn.Linear(24, CLASSES)
    network = nn.Sequential(front, back)
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-2)
    x, y = torch.tensor(X[TRAIN], dtype=torch.float32), torch.tensor(LABELS[TRAIN])
    for _ in range(60):
        optimiser.zero_grad()
        nn.functional.cross_entropy(network(x), y).backward()
        optimiser.step()
    return front, back


def test_live_modules() -> None:
    nets = {f"net {s}": halves(s) for s in (0, 1)}
    x = torch.tensor(X, dtype=torch.float32)
    data = StitchingData(LABELS[TRAIN], LABELS[TEST], x[TRAIN], x[TEST], x[ANCHORS])
    encoders = {name: front for name, (front, _) in nets.items()}
    decoders = {name: Decoder(name, live=back) for name, (_, back) in nets.items()}
    encoders["net 0"].train()
    with sim.config(progress="on"):
        table = stitching_table(encoders, decoders, data, ["affine", "robust"], [0])
    assert encoders["net 0"].training  # left as it was found
    front, back = nets["net 0"]
    own = back(front.eval()(x[TEST])).argmax(dim=1)
    (cell,) = table.where(encoder="net 0", decoder="net 0", transform="absolute")
    np.testing.assert_array_equal(cell.predictions, own)
    means = table.overall()
    assert means["absolute"]["own"] > 80
    assert means["affine"]["stitched"] > means["absolute"]["stitched"] + 20


def test_trained_stitch_of_units() -> None:
    (front, _), (own_front, back) = halves(0), halves(1)
    x = torch.tensor(X, dtype=torch.float32)
    y = torch.tensor(LABELS)
    before = [p.clone() for m in (front, own_front, back) for p in m.parameters()]
    state = torch.get_rng_state()
    found = training.train_stitch(
        front,
        own_front,
        back,
        (x[TRAIN], y[TRAIN]),
        (x[TEST], y[TEST]),
        rng=0,
        epochs=5,
    )
    np.testing.assert_array_equal(torch.get_rng_state(), state)
    after = [p for m in (front, own_front, back) for p in m.parameters()]
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a.detach(), b.detach())
        assert b.requires_grad
    assert front.training
    assert isinstance(found.layer, nn.Linear)
    assert found.losses[-1] < found.losses[0]
    assert abs(found.drop) < 6
    np.testing.assert_allclose(found.drop, found.own_accuracy - found.accuracy)
    front.eval()
    with torch.no_grad():
        stitched = align.stitch(front, found.layer, back)(x[TEST])
    share = (stitched.argmax(dim=1) == y[TEST]).double().mean()
    np.testing.assert_allclose(100 * share, found.accuracy)


def test_trained_stitch_of_channels() -> None:
    torch.manual_seed(0)
    fronts = [nn.Sequential(nn.Conv2d(1, c, 3), nn.ReLU()) for c in (3, 5)]
    back = nn.Sequential(nn.Flatten(), nn.Linear(20, CLASSES))
    x, y = (
        torch.tensor(X, dtype=torch.float32).reshape(-1, 1, 4, 4),
        torch.tensor(LABELS),
    )
    parts = (x[TRAIN], y[TRAIN]), (x[TEST], y[TEST])
    found = training.train_stitch(*fronts, back, *parts, rng=0, epochs=2)
    assert tuple(found.layer.weight.shape) == (5, 3, 1, 1)
    random = training.train_stitch(
        *fronts, back, *parts, rng=0, epochs=2, start="random"
    )
    again = training.train_stitch(
        *fronts, back, *parts, rng=0, epochs=2, start="random"
    )
    assert random.losses == again.losses != found.losses
    pooled = nn.Sequential(*fronts[0], nn.AvgPool2d(2))
    with pytest.raises(InvalidInput, match="Pool one of them first"):
        training.train_stitch(pooled, fronts[1], back, *parts, rng=0)
    with pytest.raises(InvalidInput, match="start="):
        training.train_stitch(*fronts, back, *parts, rng=0, start="identity")


def test_what_cannot_be_stitched() -> None:
    spaces = planted(("orthogonal",))
    cases: list[tuple[tuple[Any, ...], str]] = [
        (({}, None, DATA, [], [0]), "encoders is empty"),
        ((spaces, None, DATA, [], []), "seeds"),
        ((spaces, None, DATA, [], [1, 1]), "seeds"),
        ((spaces, {"h": Decoder("three")}, DATA, [], [0]), "which is no encoder"),
        ((spaces, {"h": LogisticHead()}, DATA, [], [0]), "Decoder"),
        ((spaces, None, DATA, ["robusst"], [0]), "no 'robusst'"),
        ((spaces, None, DATA, ["robust", "robust"], [0]), "twice"),
        ((spaces, None, DATA, {"absolute": Robust()}, [0]), "baseline"),
        ((spaces, None, DATA, {"mine": 3}, [0]), "fits a map"),
        (({"f": lambda x: x}, None, DATA, [], [0]), r"data\.train is None"),
    ]
    for arguments, message in cases:
        with pytest.raises(InvalidInput, match=message):
            stitching_table(*arguments)
    short = Embeddings(X[TRAIN], X[TEST], X[850:])
    with pytest.raises(InvalidInput, match="equally many"):
        stitching_table(spaces | {"three": short}, None, DATA, [], [0])
    with pytest.raises(InvalidInput, match="500 test rows and there are 300"):
        stitching_table(
            spaces, None, StitchingData(LABELS[:300], LABELS[:300]), [], [0]
        )
    with pytest.raises(InvalidInput, match="columns"):
        Embeddings(X[TRAIN], X[TEST][:, :3], X[ANCHORS])
    with pytest.raises(InvalidInput, match="integers"):
        StitchingData(X[:, 0], LABELS)
    with pytest.raises(InvalidInput, match="method train"):
        Decoder("one", head=3)
