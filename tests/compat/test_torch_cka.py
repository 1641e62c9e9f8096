"""`compat.torch_cka.CKA`: the class of the package torch_cka."""

import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from torch import nn

import similitude as sim
from compat import old_formulas
from compat.networks import images, loader, perceptron, with_weights
from similitude._base import _progress
from similitude.compat import ChangedNumber
from similitude.compat.torch_cka import CKA

ALL = ["", "0", "1", "2"]


def compared(cka: CKA, *loaders) -> np.ndarray:
    with pytest.warns(ChangedNumber, match="label") as found:
        cka.compare(*loaders)
    assert len(found) == 1
    assert found[0].filename == __file__
    return cka.export()["CKA"].numpy()


def outputs(model: nn.Module, x: torch.Tensor) -> dict[str, np.ndarray]:
    """The outputs of a sequence of layers, computed without hooks."""
    found = {}
    with torch.no_grad():
        for name, layer in model.named_children():
            x = layer(x)
            found[name] = x.flatten(1).numpy().copy()
    return {"": found["2"], **found}


def expected(models, n: int, size: int, layers=(ALL, ALL)) -> np.ndarray:
    rows = [outputs(model, images(n)) for model in models]
    return np.array(
        [
            [sim.minibatch_cka(rows[0][a], rows[1][b], batch=size) for b in layers[1]]
            for a in layers[0]
        ],
        dtype=float,
    )


def test_scores_are_minibatch_cka_of_the_labeled_layers() -> None:
    models = perceptron(1), perceptron(2)
    cka = CKA(*models, model1_name="one", model2_name="two", device="cpu")
    found = compared(cka, loader(40, 16))
    np.testing.assert_allclose(found, expected(models, 40, 16), rtol=1e-6)
    exported = cka.export()
    assert exported["model1_layers"] == exported["model2_layers"] == ALL
    assert (exported["model1_name"], exported["model2_name"]) == ("one", "two")
    assert "TensorDataset" in exported["dataset1_name"]
    assert exported["dataset1_name"] == exported["dataset2_name"]
    assert exported["CKA"] is cka.hsic_matrix


def test_old_numbers_were_right_for_simple_runs_but_had_other_labels() -> None:
    """Layers ran in the order 0, 1, 2 and the whole model; labels began with it."""
    models = perceptron(1), perceptron(2)
    batches = [(x, x) for x, _ in loader(32, 16)]
    old = old_formulas.torch_cka(models, batches)
    found = compared(CKA(*models), loader(32, 16))
    order = [ALL.index(name) for name in ("0", "1", "2", "")]
    np.testing.assert_allclose(found[np.ix_(order, order)], old, rtol=1e-4)
    assert np.max(np.abs(found - old)) > 0.1


def test_layers_are_in_the_given_order() -> None:
    models = perceptron(1), perceptron(2)
    layers = ["2", "0"], ["1"]
    cka = CKA(*models, model1_layers=layers[0], model2_layers=layers[1])
    found = compared(cka, loader(40, 40))
    np.testing.assert_allclose(found, expected(models, 40, 40, layers), rtol=1e-6)
    assert cka.export()["model1_layers"] == ["2", "0"]
    assert cka.export()["model2_name"] == "Sequential"


def test_both_models_see_the_same_samples_of_a_loader_that_shuffles() -> None:
    found = compared(CKA(perceptron(1), perceptron(1)), loader(40, 20, shuffle=True))
    np.testing.assert_allclose(np.diag(found), 1, rtol=1e-9)


def test_layers_in_place_do_not_change_earlier_layers() -> None:
    model = perceptron(1, inplace=True)
    found = compared(CKA(model, model), loader(40, 40))
    plain = perceptron(1), perceptron(1)
    np.testing.assert_allclose(found, expected(plain, 40, 40), rtol=1e-6)
    assert found[1, 2] < 0.95


@pytest.mark.parametrize("n", [33, 34, 35])
def test_a_last_batch_of_few_rows_joins_the_batch_before(n: int) -> None:
    models = perceptron(1), perceptron(2)
    found = compared(CKA(*models), loader(n, 16))
    np.testing.assert_allclose(found, expected(models, n, 16), rtol=1e-6)


def test_batches_without_a_known_number_are_accepted() -> None:
    models = perceptron(1), perceptron(2)
    found = compared(CKA(*models), (batch for batch in loader(32, 16)))
    np.testing.assert_allclose(found, expected(models, 32, 16), rtol=1e-6)


def test_a_bar_counts_batches(monkeypatch) -> None:
    states: list[tuple[str, int, int]] = []

    class Bar(_progress.Reporter):
        def __call__(self, stage: str, done: int, total: int) -> None:
            states.append((f"{stage}, {self.unit}", done, total))

    monkeypatch.setattr(_progress, "TerminalBar", Bar)
    cka = CKA(perceptron(1), perceptron(2))
    with sim.config(progress="on"):
        compared(cka, loader(32, 16))
    assert states == [("comparing layers, batches", done, 2) for done in (1, 2)]


def test_half_precision_models_are_compared() -> None:
    models = perceptron(1).bfloat16(), perceptron(1)
    found = compared(CKA(*models), loader(32, 16))
    assert np.all(np.diag(found) > 0.999)


def test_models_are_unchanged_afterwards() -> None:
    model = with_weights(nn.Sequential(nn.Linear(10, 4), nn.Dropout(0.5)), 0)
    model.train()
    compared(CKA(model, model), loader(20, 10))
    assert all(module.training for module in model.modules())
    assert not any(module._forward_hooks for module in model.modules())


def test_two_loaders_give_the_inputs_of_two_models() -> None:
    model = perceptron(1)
    doubled = [(2 * x,) for x, _ in loader(40, 20)]
    plain = list(loader(40, 20))
    cka = CKA(model, model, model1_layers=["0"], model2_layers=["0"])
    found = compared(cka, plain, doubled)
    np.testing.assert_allclose(found, 1, rtol=1e-6)  # the first layer is affine
    assert cka.export()["dataset2_name"] == "list"


@pytest.mark.parametrize(
    ("loaders", "message"),
    [
        ((loader(40, 20), loader(20, 20)), "batch 1 has 20 samples .* and 0 in"),
        ((loader(40, 20), loader(40, 40)), "batch 0 has 20 samples .* and 40 in"),
        ((loader(40, 20), loader(40, 20, shuffle=True)), "shuffle=False"),
        ((loader(8, 2),), "batch_size of 4 or more"),
    ],
)
def test_loaders_that_do_not_pair_samples_are_errors(loaders, message) -> None:
    cka = CKA(perceptron(1), perceptron(2))
    with pytest.warns(ChangedNumber), pytest.raises(sim.InvalidInput, match=message):
        cka.compare(*loaders)
    with pytest.raises(sim.InvalidInput, match="call compare"):
        cka.export()


def test_unknown_and_silent_layers_are_errors() -> None:
    with pytest.raises(sim.InvalidInput, match="has no layer 'fc'; its layers are"):
        CKA(perceptron(1), perceptron(2), model2_layers=["fc"])

    class Unused(nn.Sequential):
        def forward(self, x):
            return self[0](x)

    model = with_weights(Unused(nn.Linear(10, 3), nn.Linear(3, 3)), 0)
    cka = CKA(model, model, model1_layers=["1"])
    with (
        pytest.warns(ChangedNumber),
        pytest.raises(sim.InvalidInput, match="no output"),
    ):
        cka.compare(loader(8, 8))
    cka = CKA(model, model)
    compared(cka, loader(8, 8))
    assert cka.export()["model1_layers"] == ["", "0"]  # "1" never runs


def test_dead_layers_and_few_rows_are_undefined() -> None:
    dead = perceptron(1)
    with torch.no_grad():
        dead[0].weight.zero_()
    with pytest.warns(ChangedNumber), pytest.raises(sim.Undefined, match="layer ''"):
        CKA(perceptron(1), dead).compare(loader(8, 8))
    with pytest.warns(ChangedNumber), pytest.raises(sim.Undefined, match="got 3"):
        CKA(perceptron(1), dead).compare(loader(3, 8))


def test_layers_with_several_tensors_are_errors() -> None:
    model = with_weights(nn.GRU(10, 4, batch_first=True), 0)
    batches = [torch.zeros(8, 5, 10)]
    with pytest.warns(ChangedNumber), pytest.raises(sim.InvalidInput, match="one tens"):
        CKA(model, model).compare(batches)


def test_results_are_plotted_and_saved(tmp_path: Path) -> None:
    cka = CKA(perceptron(1), perceptron(2), "one", "two")
    compared(cka, loader(20, 20))
    try:
        ax = cka.plot_results(save_path=tmp_path / "cka.png")
        assert ax.get_title() == "one vs two"
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("Layers two", "Layers one")
        assert (tmp_path / "cka.png").stat().st_size > 1000
        assert cka.plot_results(title="mine").get_title() == "mine"
    finally:
        plt.close("all")


def test_importing_the_module_does_not_load_torch_or_matplotlib() -> None:
    code = (
        "import sys, similitude.compat.torch_cka\n"
        "print(*{'torch', 'matplotlib'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("\n", "")
