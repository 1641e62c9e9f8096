"""Fine-tuning: layers that keep their anchors, steps that can be taken again."""

import copy
import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

from similitude import InvalidInput, MissingExtra, Undefined, align, nets
from similitude.align.relative import (
    Cosine,
    Euclidean,
    Product,
    Relative,
    Robust,
    WhitenedCosine,
    relative_transform,
)
from similitude.training.tuning import (
    Recipe,
    RelativeLayer,
    RelativeNetwork,
    Stage,
    encoder_layers,
    fine_tune,
    load_weights,
    parameter_groups,
    predict,
    save_weights,
    warmup_cosine,
)

D, K, CLASSES = 12, 9, 3
DRAW = np.random.default_rng(5)
LABELS = np.arange(150) % CLASSES
X = torch.tensor(
    DRAW.normal(size=(150, D)) + 2 * np.eye(D)[LABELS], dtype=torch.float32
)
ANCHORS, REFERENCE = X[:K], X[20:80]
ROBUST = Robust()

TRANSFORMS: list[Relative] = [
    Cosine(),
    Cosine(normalize="l2"),
    Robust(),
    Robust(stats="batch"),
    Robust(stats="train"),
    relative_transform("centred_cosine", stats="batch"),
    Robust(normalize="column"),
    WhitenedCosine(stats="train"),
    Product(parts=(Cosine(), Robust(stats="batch"), Euclidean())),
    Product(parts=(Cosine(), Robust()), aggregate="sum"),
]


def encoder(seed: int = 0, *, dropout: float = 0.2) -> nn.Sequential:
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Linear(D, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(dropout),
        nn.Linear(16, 8),
    )  # fmt: skip


def network(
    transform: Relative | None = ROBUST, seed: int = 0, **options: Any
) -> RelativeNetwork:
    body = encoder(seed, **options)
    reference = None
    if transform is not None and transform.takes_reference:
        reference = REFERENCE
    if transform is None:
        return RelativeNetwork(body, None, nn.Linear(8, CLASSES))
    parts = len(transform.parts) if isinstance(transform, Product) else 1
    if isinstance(transform, Product) and transform.aggregate == "sum":
        parts = 1
    head = nn.Linear(parts * K, CLASSES)
    return RelativeNetwork(body, transform, head, anchors=ANCHORS, reference=reference)


def state(module: nn.Module) -> dict[str, np.ndarray]:
    return {k: v.numpy().copy() for k, v in module.state_dict().items()}


def assert_same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> None:
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], name)


# The layer


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda t: t.label)
def test_layer_is_the_fitted_transform_and_keeps_it_in_its_state(
    transform: Relative,
) -> None:
    reference = REFERENCE if transform.takes_reference else None
    layer = RelativeLayer(transform, ANCHORS, reference)
    expected = transform.fit(ANCHORS, reference)(X)
    np.testing.assert_array_equal(layer(X), expected)
    assert expected.shape[1] == layer.width
    assert list(layer.parameters()) == []
    other = RelativeLayer(transform, 2 * ANCHORS + 1, reference)
    other.load_state_dict(layer.state_dict())
    np.testing.assert_array_equal(other(X), expected)
    layer.refit(2 * ANCHORS + 1, reference)
    np.testing.assert_array_equal(
        layer(X), transform.fit(2 * ANCHORS + 1, reference)(X)
    )


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda t: t.label)
def test_fact_16_one_row_does_not_depend_on_the_others_in_evaluation(
    transform: Relative,
) -> None:
    net = network(transform).eval()
    with torch.no_grad():
        together = net(X)
        alone = torch.cat([net(X[i : i + 1]) for i in range(10)])
        shifted = torch.cat([X[:10], 100 * X[10:]])
        np.testing.assert_allclose(alone, together[:10], atol=2e-6)
        np.testing.assert_allclose(net(shifted)[:10], together[:10], atol=2e-6)


def test_fact_16_statistics_of_anchors_are_the_same_in_training() -> None:
    for transform, same in ((Robust(), True), (Robust(stats="batch"), False)):
        layer = RelativeLayer(transform, ANCHORS)
        in_training, in_evaluation = layer.train()(X), layer.eval()(X)
        gap = float((in_training - in_evaluation).abs().max())
        assert gap == 0 if same else gap > 1e-2
    np.testing.assert_array_equal(in_evaluation, Robust().fit(ANCHORS)(X))


def test_gradients_flow_through_rows_and_not_through_anchors() -> None:
    z = X.clone().requires_grad_()
    a = ANCHORS.clone().requires_grad_()
    RelativeLayer(Robust(), a)(z).sum().backward()
    assert float(z.grad.abs().sum()) > 0
    assert a.grad is None


def test_layer_refuses_other_anchors() -> None:
    layer = RelativeLayer(Cosine(), ANCHORS)
    with pytest.raises(InvalidInput, match="make a new layer"):
        layer.refit(X[: K + 1])
    with pytest.raises(InvalidInput, match="rows 0 and 1"):
        RelativeLayer(Cosine(), X[[0, 0]])
    layer.refit(X[[0] * K])  # they have met on the way, which is no mistake


def test_transform_and_anchors_belong_together() -> None:
    for wrong in ({"anchors": ANCHORS}, {}):
        transform = None if wrong else Cosine()
        with pytest.raises(InvalidInput, match="belong together"):
            RelativeNetwork(None, transform, nn.Linear(K, 3), **wrong)
    with pytest.raises(InvalidInput, match="no relative layer"):
        network(None).refresh(ANCHORS)


def test_anchors_are_embedded_in_evaluation_mode() -> None:
    net = network(dropout=0.9).train()
    before = state(net)
    net.refresh(ANCHORS)
    assert_same(state(net), before)  # dropout is off, statistics of BatchNorm stay
    assert net.training
    assert net.encoder.training


# Weights on disk


@pytest.mark.parametrize("transform", [*TRANSFORMS, None], ids=str)
def test_fact_23_reloaded_networks_predict_bit_by_bit(
    transform: Relative | None, tmp_path: Path
) -> None:
    net, path = network(transform), tmp_path / "deep" / "net.safetensors"
    save_weights(net, path)
    other = network(transform, seed=1)
    assert float((predict(other, X) - predict(net, X)).abs().max()) > 1e-2
    load_weights(other, path)
    np.testing.assert_array_equal(predict(other, X), predict(net, X))
    assert [p.name for p in path.parent.iterdir()] == ["net.safetensors"]


def test_weights_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    save_weights(network(Robust()), path)
    with pytest.raises(InvalidInput, match="same transform"):
        load_weights(network(Robust(stats="train")), path)
    narrow = RelativeNetwork(encoder(), Robust(), nn.Linear(4, CLASSES), anchors=X[:4])
    with pytest.raises(InvalidInput, match=r"shape \(9, 8\) in the file and \(4, 8\)"):
        load_weights(narrow, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InvalidInput, match="no whole safetensors"):
        load_weights(network(), path)
    with pytest.raises(InvalidInput, match="does not exist"):
        load_weights(network(), tmp_path / "nothing")


def test_shared_weights_survive_the_disk(tmp_path: Path) -> None:
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    net[2].weight = net[0].weight
    save_weights(net, tmp_path / "tied")
    other = copy.deepcopy(net)
    nn.init.zeros_(other[0].weight)
    load_weights(other, tmp_path / "tied")
    assert_same(state(other), state(net))
    assert other[2].weight is other[0].weight


# The recipe


def test_schedule() -> None:
    rates = [warmup_cosine(t, 100, 10) for t in range(100)]
    np.testing.assert_allclose(rates[:10], np.arange(1, 11) / 10)
    expected = 0.5 * (1 + np.cos(np.pi * np.arange(90) / 90))
    np.testing.assert_allclose(rates[10:], expected)
    assert warmup_cosine(0, 1) == 1.0


class Transformer(nn.Module):
    """The tree of RoBERTa: embeddings, then a list of blocks inside of a module."""

    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Parameter(torch.zeros(1, 4))
        self.embeddings = nn.Module()
        self.embeddings.word = nn.Embedding(7, 4)
        self.embeddings.norm = nn.LayerNorm(4)
        self.encoder = nn.Module()
        blocks = []
        for _ in range(3):
            block = nn.Module()
            block.attention, block.norm = nn.Linear(4, 4), nn.LayerNorm(4)
            blocks.append(block)
        self.encoder.layer = nn.ModuleList(blocks)


def test_layer_wise_decay() -> None:
    body, head = Transformer(), nn.Linear(4, 2)
    layers = encoder_layers(body)
    assert layers == [body.embeddings, *body.encoder.layer]
    recipe = Recipe(encoder_rate=1.0, layer_decay=0.5, head_rate=7.0, weight_decay=0.3)
    groups = parameter_groups(body, head, recipe)
    weights = [id(w) for g in groups for w in g["params"]]
    both = [*body.parameters(), *head.parameters()]
    assert sorted(weights) == sorted(map(id, both))  # each of them once
    found = {id(w): (g["lr"], g["weight_decay"]) for g in groups for w in g["params"]}
    assert found[id(body.token)] == (0.125, 0.3)  # in no layer: the lowest
    assert found[id(body.embeddings.word.weight)] == (0.125, 0.3)
    assert found[id(body.embeddings.norm.weight)] == (0.125, 0.0)
    for i, rate in enumerate((0.25, 0.5, 1.0)):
        block = body.encoder.layer[i]
        assert found[id(block.attention.weight)] == (rate, 0.3)
        assert found[id(block.attention.bias)] == (rate, 0.0)
        assert found[id(block.norm.weight)] == (rate, 0.0)
    assert found[id(head.weight)] == (7.0, 0.3)
    body.embeddings.requires_grad_(requires_grad=False)
    groups = parameter_groups(body, head, recipe)
    assert len([w for g in groups for w in g["params"]]) == len(both) - 3
    whole = parameter_groups(body, head, recipe, layers=[body])
    assert {g["lr"] for g in whole} == {1.0, 7.0}
    with pytest.raises(InvalidInput, match="number 0 has weights"):
        parameter_groups(body, head, recipe, layers=[nn.Linear(2, 2)])


@pytest.mark.parametrize(
    "wrong",
    [
        {"epochs": 0},
        {"batch": 0},
        {"accumulate": 0},
        {"refresh": 0},
        {"head_rate": 0.0},
        {"encoder_rate": -1.0},
        {"layer_decay": 0.0},
        {"weight_decay": -0.1},
        {"warmup": -1.0},
        {"clip": 0.0},
    ],
)
def test_recipes_that_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        Recipe(**wrong)


# The loop

QUICK = Recipe(epochs=2, batch=32, head_rate=1e-2, encoder_rate=1e-2, refresh=3)


def rates_of(net: RelativeNetwork, recipe: Recipe, **options: Any) -> list[list[float]]:
    """The learning rates of every step that the optimiser takes."""
    found: list[list[float]] = []
    handle = register_optimizer_step_pre_hook(
        lambda optimiser, *_: found.append([g["lr"] for g in optimiser.param_groups])
    )
    try:
        fine_tune(net, X, LABELS, recipe, rng=0, anchors=ANCHORS, **options)
    finally:
        handle.remove()
    return found


def test_the_schedule_counts_steps_of_the_optimiser() -> None:
    recipe = Recipe(epochs=3, batch=10, accumulate=6, warmup=1.0, head_rate=1.0)
    rates = rates_of(network(), recipe)
    assert len(rates) == 9  # 15 forward passes an epoch are 3 steps: 6, 6 and 3
    heads = [max(r) for r in rates]
    np.testing.assert_allclose(heads, [warmup_cosine(t, 9, 3) for t in range(9)])
    assert heads[-1] < 0.1


def test_accumulated_gradients_are_those_of_all_samples_at_once() -> None:
    body = nn.Sequential(nn.Linear(D, 8), nn.Tanh()).double()
    head = nn.Linear(K, CLASSES).double()
    ends = []
    for batch, accumulate in ((32, 1), (8, 4), (16, 2)):
        net = RelativeNetwork(
            copy.deepcopy(body),
            Robust(),
            copy.deepcopy(head),
            anchors=ANCHORS.double(),
        )
        recipe = Recipe(epochs=2, batch=batch, accumulate=accumulate, clip=0.1)
        tuned = fine_tune(
            net, X.double(), LABELS, recipe, rng=0, anchors=ANCHORS.double()
        )
        ends.append((state(net), tuned.losses))
    for name, value in ends[0][0].items():
        for other, _ in ends[1:]:
            np.testing.assert_allclose(other[name], value, atol=1e-9)
    np.testing.assert_allclose(ends[0][1], ends[1][1])
    assert len(ends[0][1]) == 10


def test_a_run_that_was_stopped_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    recipe, path = Recipe(epochs=3, batch=32, encoder_rate=1e-2, refresh=4), tmp_path

    def run(stop: int | None, checkpoint: Path | None) -> tuple[Any, RelativeNetwork]:
        net = network(dropout=0.5)

        def penalty(stage: Stage) -> torch.Tensor:
            if stage.step == stop:
                raise KeyboardInterrupt
            return 0.01 * stage.post.square().mean()

        options = {"anchors": ANCHORS, "validation": (X, LABELS), "penalty": penalty}
        tuned = fine_tune(
            net, X, LABELS, recipe, rng=3, checkpoint=checkpoint, every=2, **options
        )
        return tuned, net

    whole, net = run(None, None)
    file = path / "runs" / "run.pt"
    for stop in (7, 12):  # in the middle of an epoch, and of what is kept
        with pytest.raises(KeyboardInterrupt):
            run(stop, file)
    again, resumed = run(None, file)
    assert again == whole
    assert_same(state(resumed), state(net))
    finished, last = run(0, file)  # nothing is left to do, so nobody stops it
    assert finished == whole
    assert_same(state(last), state(net))
    assert [p.name for p in file.parent.iterdir()] == ["run.pt"]


def test_generators_are_left_alone_and_seeds_matter() -> None:
    ends = []
    for seed in (0, 0, 1):
        net = network()
        torch.manual_seed(11)
        before = torch.get_rng_state()
        fine_tune(net, X, LABELS, QUICK, rng=seed, anchors=ANCHORS)
        np.testing.assert_array_equal(torch.get_rng_state(), before)
        ends.append(state(net))
    assert_same(ends[0], ends[1])
    assert (ends[0]["head.weight"] != ends[2]["head.weight"]).any()


def test_checkpoints_of_other_runs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    fine_tune(network(), X, LABELS, QUICK, rng=0, anchors=ANCHORS, checkpoint=path)
    for change in (
        {"rng": 1},
        {"recipe": Recipe(epochs=3)},
        {"labels": LABELS[::-1].copy()},
    ):
        options = {"rng": 0, "recipe": QUICK, "labels": LABELS} | change
        with pytest.raises(InvalidInput, match="another run"):
            fine_tune(network(), X, anchors=ANCHORS, checkpoint=path, **options)
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(InvalidInput, match="no whole checkpoint"):
        fine_tune(network(), X, LABELS, QUICK, rng=0, anchors=ANCHORS, checkpoint=path)
    torch.save({"schema": 99}, path)
    with pytest.raises(InvalidInput, match="schema 99"):
        fine_tune(network(), X, LABELS, QUICK, rng=0, anchors=ANCHORS, checkpoint=path)


def test_checkpoints_run_no_code(tmp_path: Path) -> None:
    class Bad:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "ran",))

    torch.save({"schema": 1, "run": Bad()}, tmp_path / "run.pt")
    with pytest.raises(InvalidInput, match="no whole checkpoint"):
        fine_tune(
            network(), X, LABELS, QUICK, rng=0, anchors=ANCHORS,
            checkpoint=tmp_path / "run.pt",
        )  # fmt: skip
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("transform", [Robust(), Robust(stats="train")], ids=str)
def test_anchors_follow_the_encoder(transform: Relative) -> None:
    net = network(transform)
    before = state(net)
    reference = REFERENCE if transform.takes_reference else None
    fine_tune(net, X, LABELS, QUICK, rng=0, anchors=ANCHORS, reference=reference)
    assert not net.training
    with torch.no_grad():
        rows = [None if r is None else net.encoder(r) for r in (ANCHORS, reference)]
        expected = transform.fit(*rows)(net.encoder(X))
        np.testing.assert_allclose(net.relative(net.encoder(X)), expected, atol=1e-6)
    assert np.abs(before["relative.anchors"] - state(net)["relative.anchors"]).max() > 0


def test_a_frozen_encoder_stays_as_it_is_and_needs_no_anchors() -> None:
    net = network()
    net.encoder.requires_grad_(requires_grad=False)
    before = state(net)
    tuned = fine_tune(net, X, LABELS, QUICK, rng=0)
    after = state(net)
    for name in before:
        if not name.startswith("head"):
            np.testing.assert_array_equal(after[name], before[name], name)
    assert tuned.losses[-1] < tuned.losses[0]
    assert not any(w.requires_grad for w in net.encoder.parameters())


def test_cached_features_of_numpy_and_mappings() -> None:
    torch.manual_seed(0)
    start = nn.Linear(K, CLASSES)
    ends = []
    for x in (X, X.numpy(), {"rows": X.numpy()}):

        class First(nn.Module):
            def forward(self, x: Any) -> torch.Tensor:
                return x["rows"]

        body = First() if isinstance(x, dict) else None
        anchors = {"rows": ANCHORS} if body else ANCHORS
        net = RelativeNetwork(body, Robust(), copy.deepcopy(start), anchors=anchors)
        recipe = Recipe(epochs=3, head_rate=0.1)
        tuned = fine_tune(net, x, LABELS, recipe, rng=0, validation=(x, LABELS))
        ends.append(state(net))
        np.testing.assert_array_equal(predict(net, x, batch=7).shape, (150, CLASSES))
    assert_same(ends[0], ends[1])
    assert_same(ends[0], ends[2])
    assert len(tuned.scores) == 3
    assert tuned.scores[-1].accuracy > 60


def test_penalties_are_added_and_see_both_sides() -> None:
    stages: list[Stage] = []

    def penalty(stage: Stage) -> torch.Tensor:
        stages.append(stage)
        return 50.0 * stage.pre.square().mean()

    plain, small = network(dropout=0.0), network(dropout=0.0)
    fine_tune(plain, X, LABELS, QUICK, rng=0, anchors=ANCHORS)
    tuned = fine_tune(small, X, LABELS, QUICK, rng=0, anchors=ANCHORS, penalty=penalty)
    assert [s.step for s in stages] == list(range(10))
    assert {s.total for s in stages} == {10}
    assert (stages[0].pre.shape, stages[0].post.shape) == ((32, 8), (32, K))
    first = float(50 * stages[0].pre.detach().square().mean())
    np.testing.assert_allclose(tuned.penalties[0], first, rtol=1e-6)
    sizes = [float(net.encoder(X).detach().square().mean()) for net in (plain, small)]
    assert sizes[1] < sizes[0]


def test_samplers_decide_what_meets() -> None:
    met: list[np.ndarray] = []

    def by_class(labels: np.ndarray, recipe: Recipe, rng: Any) -> list[np.ndarray]:
        return [
            rng.permutation(np.flatnonzero(labels == c))[: recipe.batch]
            for c in range(CLASSES)
        ]

    def penalty(stage: Stage) -> torch.Tensor:
        met.append(stage.labels.numpy())
        return stage.pre.sum() * 0

    recipe = Recipe(epochs=2, batch=5, accumulate=CLASSES)
    options = {"rng": 0, "anchors": ANCHORS, "penalty": penalty}
    tuned = fine_tune(network(), X, LABELS, recipe, sampler=by_class, **options)
    assert len(tuned.losses) == 2
    assert [set(m.tolist()) for m in met] == [{0}, {1}, {2}] * 2
    uneven = iter(([np.arange(5)], [np.arange(5)] * 9))
    with pytest.raises(InvalidInput, match="as many in all"):
        fine_tune(
            network(), X, LABELS, recipe, sampler=lambda *_: next(uneven), **options
        )
    with pytest.raises(InvalidInput, match="some without samples"):
        fine_tune(
            network(), X, LABELS, recipe, sampler=lambda *_: [np.arange(0)], **options
        )


@pytest.mark.parametrize("dtype", ["int32", "uint8"])
def test_labels_of_any_whole_type(dtype: str) -> None:
    recipe = Recipe(epochs=1)
    runs = [
        fine_tune(network(), X, labels, recipe, rng=0, anchors=ANCHORS).losses
        for labels in (LABELS, np.asarray(LABELS).astype(dtype), list(LABELS))
    ]
    assert runs[0] == runs[1] == runs[2]


def test_what_cannot_be_trained() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"anchors": None}, "anchors are needed"),
        ({"labels": LABELS[:9]}, "150 samples and there are 9 labels"),
        ({"labels": LABELS / 2}, "classes from 0 on"),
        ({"labels": LABELS - 1}, "the least -1"),
        ({"labels": LABELS + 9}, "number them from 0 on"),
        ({"x": X.tolist()}, "first axis the samples"),
        ({"x": {"a": X, "b": X[:3]}}, "as many"),
        ({"every": 0}, "every"),
    ]
    for change, message in cases:
        options = {"x": X, "labels": LABELS, "rng": 0, "anchors": ANCHORS} | change
        with pytest.raises(InvalidInput, match=message):
            fine_tune(network(), **options)
    with pytest.raises(Undefined, match="at step 0; lower the learning rates"):
        fine_tune(
            network(), X, LABELS, rng=0, anchors=ANCHORS,
            penalty=lambda stage: stage.pre.sum() * torch.inf,
        )  # fmt: skip


# Digits


def test_digits_and_the_symmetries_of_relu() -> None:
    """A relative network and its symmetric twin can exchange their heads."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(images))[:900]
    x = torch.tensor(images[order] / 16, dtype=torch.float32)
    y = labels[order]
    body = nets.SmallMLP(64, (32, 24), seed=0).encoder
    head = nn.Linear(40, 10)
    net = RelativeNetwork(body, Robust(), head, anchors=x[:40])
    recipe = Recipe(epochs=4, batch=32, head_rate=1e-2, encoder_rate=5e-3)
    tuned = fine_tune(
        net, x[:600], y[:600], recipe, rng=0, anchors=x[:40],
        validation=(x[600:], y[600:]),
    )  # fmt: skip
    assert tuned.scores[-1].accuracy > 80
    whole = nn.Sequential(body, nn.Linear(24, 1))  # what reads the last layer
    moved = align.symmetry.sample_elements(whole, rng=1)
    twin = align.symmetry.act_on_weights(whole, moved)[0]
    other = RelativeNetwork(twin, Robust(), head, anchors=x[:40])
    with torch.no_grad():
        own = predict(net, x[600:])
        stitched = align.stitch(twin, other.eval().relative, net.head)(x[600:])
        absolute = twin(x[600:]) - body(x[600:])
    np.testing.assert_allclose(stitched, own, atol=2e-4)
    assert float(absolute.abs().max()) > 0.1


def test_without_torch_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [m for m in sys.modules if m.startswith("similitude.training.tuning")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match="similitude\\[torch\\]"):
        importlib.import_module("similitude.training.tuning")
