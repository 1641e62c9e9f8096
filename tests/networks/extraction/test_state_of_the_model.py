"""The model runs without gradients in evaluation mode, and is left as it was."""

import weakref

import numpy as np
import pytest
import torch
from torch import nn

from networks.extraction.small_models import Conv, forward, inputs
from similitude import SimilitudeError


def state(model: nn.Module) -> tuple:
    """Modes, hooks and weights of a model."""
    hooks = [
        (len(m._forward_hooks), len(m._forward_pre_hooks), m.training)
        for m in model.modules()
    ]
    return hooks, {k: v.clone() for k, v in model.state_dict().items()}


def assert_unchanged(before: tuple, model: nn.Module) -> None:
    hooks, weights = state(model)
    assert hooks == before[0]
    for key, value in weights.items():
        np.testing.assert_array_equal(value.numpy(), before[1][key].numpy())


def test_in_place_operation_after_the_layer(extract) -> None:
    """The stored rows are those before the in-place ReLU."""
    model, x = Conv(), inputs(7, 3, 4, 4)
    rows = extract(model, x, layers=["norm", "act"], reducer="flatten")
    assert rows["norm"].min() < 0
    np.testing.assert_array_equal(rows["act"], np.maximum(rows["norm"], 0))


def test_a_model_that_changes_its_input_does_not_change_the_data(extract) -> None:
    data = np.full((5, 4), -1.0, dtype=np.float32)
    extract(nn.Sequential(nn.ReLU(inplace=True), nn.Linear(4, 2)), data, layers=["1"])
    np.testing.assert_array_equal(data, -1)


def test_slice_does_not_keep_the_whole_tensor(extract) -> None:
    """Only the reduced copy survives the hook."""
    alive: list[weakref.ref] = []

    class Watch(nn.Module):
        def forward(self, x):
            assert not any(ref() is not None for ref in alive)
            y = x.repeat(1, 50, 1)
            alive.append(weakref.ref(y))
            return y

    model = nn.Sequential(Watch(), nn.Flatten(), nn.Linear(400, 1))
    rows = extract(model, inputs(9, 2, 4), layers=["0"], reducer="cls", batch_size=3)
    assert rows["0"].shape == (9, 4)
    assert len(alive) == 9  # five small passes, three batches, the order


def test_no_graph_is_kept(extract) -> None:
    seen = []

    class Watch(nn.Linear):
        def forward(self, x):
            y = super().forward(x)
            seen.append((torch.is_inference_mode_enabled(), y.requires_grad))
            return y

    extract(nn.Sequential(Watch(4, 4)), inputs(), layers=["0"])
    assert set(seen) == {(True, False)}
    assert not torch.is_inference_mode_enabled()


def test_training_mode_dropout_and_batch_norm(extract) -> None:
    """Modes are restored module by module; running statistics do not change."""
    model, x = Conv().train(), inputs(7, 3, 4, 4)
    model.drop.eval()
    before = state(model)
    rows = extract(model, x, layers=["drop"], reducer="mean", batch_size=2)
    assert_unchanged(before, model)
    assert model.training
    assert not model.drop.training
    reference = nn.Sequential(model.conv, model.norm, nn.ReLU())
    expected = forward(reference, x).mean((2, 3))
    np.testing.assert_allclose(rows["drop"], expected, atol=1e-6)


def test_hooks_are_removed_after_success_and_failure(extract) -> None:
    class Fails(nn.Module):
        def forward(self, x):
            if len(x) == 5:
                raise RuntimeError("no")
            return x

    model = nn.Sequential(nn.Linear(4, 4), Fails()).train()
    model[0].register_forward_hook(lambda *_: None)
    before = state(model)
    extract(model, inputs(6), layers=["0"])
    assert_unchanged(before, model)
    with pytest.raises(SimilitudeError, match="model raised RuntimeError in batch 0"):
        extract(model, inputs(5), layers=["0"], name="b")
    assert_unchanged(before, model)
    assert not torch.is_inference_mode_enabled()


def test_final_norm_is_chosen_by_the_module_path(extract) -> None:
    body = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    model = nn.Sequential(body, nn.LayerNorm(4))
    rows = extract(model, inputs(), layers=["0.1", "1"])
    np.testing.assert_allclose(
        rows["1"], forward(model[1], torch.tensor(rows["0.1"])), atol=1e-6
    )
    assert np.abs(rows["1"].mean(1)).max() < 1e-6 < np.abs(rows["0.1"].mean(1)).max()


def test_random_models_repeat_their_draws(extract, tmp_path) -> None:
    """The random state of the caller is not changed, and equal runs are equal."""

    class Noise(nn.Module):
        def forward(self, x):
            return x + torch.randn_like(x)

    model = nn.Sequential(nn.Identity(), Noise())
    before = torch.get_rng_state()
    first = extract(model, inputs(), layers=["1"], out=tmp_path / "a")
    assert (torch.get_rng_state() == before).all()
    torch.randn(3)
    second = extract(model, inputs(), layers=["1"], out=tmp_path / "b")
    np.testing.assert_array_equal(first["1"], second["1"])
