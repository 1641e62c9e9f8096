"""Layers that give no output, compiled and parallel models, and patterns."""

import numpy as np
import pytest
import torch
from torch import nn

from networks.extraction.small_models import forward, inputs
from similitude import InvalidInput


def encoder() -> nn.Module:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=True)


def test_fused_attention_skips_children(extract) -> None:
    """The fused path is switched off for the run, and on again afterwards."""
    model, x = encoder().eval(), inputs(4, 3, 8)
    names = ["layers.0.linear1", "layers.1.norm2", "layers.1.self_attn[0]"]
    assert torch.backends.mha.get_fastpath_enabled()
    rows = extract(model, x, layers=names, reducer="flatten")
    assert torch.backends.mha.get_fastpath_enabled()
    assert sorted(rows) == names
    np.testing.assert_allclose(
        rows["layers.1.norm2"].reshape(4, 3, 8), forward(model, x), atol=1e-6
    )


def test_fast_path_setting_is_restored_after_an_error(extract) -> None:
    with pytest.raises(InvalidInput, match="choose a reducer"):
        extract(encoder(), inputs(4, 3, 8), layers=["layers.0"])
    assert torch.backends.mha.get_fastpath_enabled()


class Direct(nn.Module):
    """Calls one child through .forward, and never calls another."""

    def __init__(self) -> None:
        super().__init__()
        self.called, self.direct, self.unused = (nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        return nn.functional.relu(self.direct.forward(self.called(x)))


def test_forward_called_directly(extract) -> None:
    """No hook fires: the error names all layers without output, and stores nothing."""
    with pytest.raises(InvalidInput, match=r"from layer 'direct', 'unused': .*forward"):
        extract(Direct(), inputs(), layers=["called", "direct", "unused"])
    assert extract(Direct(), inputs(), layers=["called"]).keys() == {"called"}


def test_functional_operation_has_no_module(extract) -> None:
    with pytest.raises(InvalidInput, match="matches no layer of the model") as error:
        extract(Direct(), inputs(), layers=["relu"])
    assert "Nearest names: " in str(error.value)
    with pytest.raises(InvalidInput, match="into a module of its own"):
        extract(Direct(), inputs(), layers=["unused"])


def test_compiled_model_runs_eagerly(extract) -> None:
    """Names have no `_orig_mod`, and hooks fire in compiled models and children."""
    x = inputs()
    plain = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    compiled = torch.compile(plain, backend="eager")
    rows = extract(compiled, x, layers=["0", "2"])
    np.testing.assert_array_equal(rows["2"], forward(plain, x))
    inner = nn.Sequential(torch.compile(plain[0], backend="eager"), *plain[1:])
    forward_before = inner[0].forward
    rows = extract(inner, x, layers=["0", "2"], name="inner")
    np.testing.assert_array_equal(rows["2"], forward(plain, x))
    assert inner[0].forward == forward_before
    plain.compile(backend="eager")
    call = plain._compiled_call_impl
    rows = extract(plain, x, layers=["1"], name="in place")
    assert rows["1"].shape == (7, 4)
    assert plain._compiled_call_impl is call


def test_compiled_and_plain_models_are_the_same_element(extract, tmp_path) -> None:
    plain = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    for model in (plain, torch.compile(plain, backend="eager"), nn.DataParallel(plain)):
        assert len(extract(model, inputs(), layers=["0"])) == 1


def test_data_parallel_model_is_unwrapped(extract) -> None:
    plain, x = nn.Sequential(nn.Linear(4, 4), nn.ReLU()), inputs()
    rows = extract(nn.DataParallel(plain), x, layers=["0"])
    np.testing.assert_array_equal(rows["0"], forward(plain[0], x))


def test_layers_on_several_devices(extract) -> None:
    """Each output goes to the host at once; device= is refused for such models."""

    class Split(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(4, 4)
            self.second = nn.Linear(4, 4, device="meta")

        def forward(self, x):
            return self.first(x)

    model = Split()
    model.state_dict = model.first.state_dict  # type: ignore[method-assign]
    assert extract(model, inputs(), layers=["first"])["first"].shape == (7, 4)
    with pytest.raises(InvalidInput, match="is on several devices; omit device="):
        extract(model, inputs(), layers=["first"], device="cpu", name="b")


class Deep(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer1 = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.layer11 = nn.Linear(4, 4)
        self.xlayer1 = nn.Identity()

    def forward(self, x):
        return self.xlayer1(self.layer11(self.layer1(x)))


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["layer1"], ["layer1"]),
        (["layer1.*"], ["layer1.0", "layer1.1"]),
        (["layer?"], ["layer1"]),
        (["layer*"], ["layer1", "layer1.0", "layer1.1", "layer11"]),
        (["re:layer1.0"], ["layer1.0"]),
        (["re:layer1+"], ["layer1", "layer11"]),
        (["layer11", "layer1.0"], ["layer1.0", "layer11"]),
        ("layer1.1", ["layer1.1"]),
    ],
)
def test_patterns_of_layers(extract, patterns, expected) -> None:
    """Globs match whole names: the dot is a dot, and no substring matches."""
    assert sorted(extract(Deep(), inputs(), layers=patterns)) == expected


def test_pattern_that_matches_nothing(extract) -> None:
    with pytest.raises(InvalidInput) as error:
        extract(Deep(), inputs(), layers=["layer1", "layr1.1"])
    assert str(error.value).startswith(
        "layers: 'layr1.1' matches no layer of the model"
    )
    assert "Nearest names: layer1.1, " in str(error.value)
    with pytest.raises(InvalidInput, match="is not a regular expression"):
        extract(Deep(), inputs(), layers=["re:("])
    with pytest.raises(InvalidInput, match="layers is empty"):
        extract(Deep(), inputs(), layers=[])


@pytest.mark.parametrize("pattern", ["layer1.9", "layer1.relu", "xlayer1.0"])
def test_wrong_name_inside_a_layer_shows_the_nearest_names(extract, pattern) -> None:
    """`layer1.relu` could be a part of the output of `layer1`."""
    with pytest.raises(InvalidInput, match=r"Nearest names: .*layer1") as error:
        extract(Deep(), inputs(), layers=[pattern])
    assert "`similitude layers` lists all" in str(error.value)
