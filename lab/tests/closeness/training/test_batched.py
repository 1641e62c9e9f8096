"""Batched training equals single training in float64; the data order is PyTorch's."""

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from similitude_lab.closeness import TrainConfig, load_config
from similitude_lab.closeness.data import radial_classification
from similitude_lab.closeness.networks import SoftmaxNetworks
from similitude_lab.closeness.training._ensemble import EnsembleTrainer
from similitude_lab.closeness.training._order import TEST_EVERY, DataOrder
from similitude_lab.closeness.training._single import SingleTrainer

CONFIG = load_config("radial_classification_0_128_ADAM_0_0001.json", TrainConfig)
SEEDS = (0, 3)


def train(classes: int, width: int, steps: int, config=CONFIG, **options):
    """Train seeds batched and alone on the same float64 batches; return weights."""
    data = radial_classification(classes=classes)
    x, y = torch.tensor(data.points).double(), torch.tensor(data.labels)
    order = DataOrder(0, len(y), config.batch_size, steps)
    networks = [
        SoftmaxNetworks(classes, width, seed=s, **options).double() for s in SEEDS
    ]
    together = EnsembleTrainer(
        networks, config, options.get("nonlinearity", "leaky_relu")
    )
    alone = [SingleTrainer(model, config) for model in networks]
    largest_loss = 0.0
    for step in range(steps):
        rows = order.rows(step)
        losses = together.step(x[rows], y[rows])
        for i, trainer in enumerate(alone):
            gap = abs(losses[i] - trainer.step(x[rows], y[rows])[0])
            largest_loss = max(largest_loss, float(gap))
    gap = max(
        float((together.weights(i)[k] - trainer.weights(0)[k]).abs().max())
        for i, trainer in enumerate(alone)
        for k in trainer.weights(0)
    )
    moments = max(
        float((together.moments(i)[k] - trainer.moments(0)[k]).abs().max())
        for i, trainer in enumerate(alone)
        for k in trainer.moments(0)
    )
    return gap, moments, largest_loss


# The kill tests and `benchmarks/training.py --equal` train for 2,000 steps.
@pytest.mark.parametrize(("classes", "width"), [(4, 16), (18, 16), (4, 64)])
def test_batched_equals_single_in_float64(classes: int, width: int) -> None:
    for gap in train(classes, width, 160):
        assert gap < 1e-11


@pytest.mark.parametrize(
    "options",
    [
        {"fix_length_f": 20},
        {"fix_length_g": 20, "fix_length_f": 20, "dim": 3},
        {"nonlinearity": "relu"},
    ],
)
def test_batched_equals_single_with_every_option(options: dict) -> None:
    for gap in train(4, 8, 100, **options):
        assert gap < 1e-10


@pytest.mark.parametrize(
    "changes",
    [
        {"optimizer_type": "SGD", "learning_rate": 0.01},
        {"weight_decay": 0.1},
        {"reduction": "sum", "learning_rate": 1e-5},
    ],
)
def test_batched_equals_single_for_every_training(changes: dict) -> None:
    for gap in train(4, 8, 60, CONFIG.model_copy(update=changes)):
        assert gap < 1e-10


def test_the_order_is_that_of_a_data_loader() -> None:
    """The authors' loop also iterates over the test set every 2,000 steps."""
    n, size, steps = 10, 4, 2 * TEST_EVERY + 10
    train_set = TensorDataset(torch.arange(n))
    loader = DataLoader(train_set, batch_size=size, shuffle=True)
    test_loader = DataLoader(TensorDataset(torch.arange(3)), batch_size=2)
    expected: list[list[int]] = []
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        while len(expected) < steps:
            for (rows,) in loader:
                if len(expected) % TEST_EVERY == 0:
                    list(test_loader)
                expected.append(rows.tolist())
    order = DataOrder(7, n, size, steps)
    assert [order.rows(step).tolist() for step in range(steps)] == expected[:steps]
    position = order.position(5)
    assert (position.epoch, position.batch) == (1, 2)
    assert order.position(6).shuffle_seed != position.shuffle_seed


def test_a_step_evaluates_f_once(monkeypatch) -> None:
    networks = SoftmaxNetworks(6, 8)
    calls = {"f": [], "g": []}
    networks.f_net.register_forward_hook(lambda *a: calls["f"].append(len(a[2])))
    networks.g_net.register_forward_hook(lambda *a: calls["g"].append(len(a[2])))
    SingleTrainer(networks, CONFIG).step(torch.zeros(5, 2), torch.zeros(5).long())
    assert calls == {"f": [5], "g": [6]}


def test_loading_moments_restores_both_trainers() -> None:
    x = torch.tensor(np.random.default_rng(0).normal(size=(8, 2))).float()
    y = torch.arange(8) % 4

    def new(kind):
        models = [SoftmaxNetworks(4, 8, seed=s) for s in SEEDS]
        if kind == "single":
            return SingleTrainer(models[0], CONFIG)
        return EnsembleTrainer(models, CONFIG, "leaky_relu")

    for kind, count in (("single", 1), ("batched", 2)):
        first, second = new(kind), new(kind)
        for _ in range(3):
            first.step(x, y)
        for i in range(count):
            second.load(i, first.weights(i), first.moments(i), 3)
        for _ in range(3):
            first.step(x, y)
            second.step(x, y)
        for i in range(count):
            for values in ("weights", "moments"):
                a, b = (getattr(t, values)(i) for t in (first, second))
                for key in a:
                    np.testing.assert_array_equal(a[key], b[key], key)
