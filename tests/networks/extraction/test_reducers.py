"""Reducers of maps and tokens: the values, and refusals with the reason."""

import numpy as np
import pytest
import torch
from torch import nn

import similitude as sim
from networks.extraction.small_models import Conv, Tokens, forward, inputs, token_batch
from similitude import InvalidInput
from similitude.networks.extraction import REDUCERS, find_reducer


def test_padding_in_the_mean(extract) -> None:
    """`mean_tokens` uses the mask; without a mask it is an error."""
    model, batch = Tokens(), token_batch()
    rows = extract(model, batch, layers=["mix"], reducer="mean_tokens", batch_size=4)
    tokens = forward(model, torch.tensor(batch["input_ids"]))
    weights = batch["attention_mask"][:, :, None]
    expected = (tokens * weights).sum(1) / weights.sum(1)
    np.testing.assert_allclose(rows["mix"], expected, atol=1e-6)
    with pytest.raises(
        InvalidInput, match="mean_tokens does not fit, because give mask"
    ):
        extract(model, batch["input_ids"], layers=["mix"], reducer="mean_tokens")


def test_infinite_padding_does_not_spoil_the_mean(extract) -> None:
    class Bad(nn.Module):
        def forward(self, x):
            y = x.clone()
            y[:, -1] = torch.inf
            return y

    mask = np.ones((4, 3))
    mask[:, -1] = 0
    x = inputs(4, 3, 2)
    rows = extract(nn.Sequential(nn.Identity(), Bad()), x, layers=["1"],
                   reducer="mean_tokens", mask=mask)  # fmt: skip
    np.testing.assert_allclose(rows["1"], x[:, :2].mean(1).numpy(), atol=1e-6)


@pytest.mark.parametrize("reducer", ["cls", "last_token"])
def test_first_token_under_left_padding(extract, reducer) -> None:
    """The first and the last real token are found by the mask."""
    model, batch = Tokens(), token_batch()
    rows = extract(model, batch, layers=["mix"], reducer=reducer, batch_size=4)
    tokens = forward(model, torch.tensor(batch["input_ids"]))
    for row, mask in enumerate(batch["attention_mask"]):
        place = np.flatnonzero(mask)[0 if reducer == "cls" else -1]
        np.testing.assert_array_equal(rows["mix"][row], tokens[row, place])
    with pytest.raises(
        InvalidInput, match=f"{reducer} does not fit, because give mask"
    ):
        extract(model, batch["input_ids"], layers=["mix"], reducer=reducer)


def test_cls_of_patches_needs_no_mask(extract) -> None:
    x = inputs(5, 3, 4)
    rows = extract(nn.Sequential(nn.Linear(4, 2)), x, layers=["0"], reducer="cls")
    assert rows["0"].shape == (5, 2)


def test_mask_of_another_length_is_refused(extract) -> None:
    batch = token_batch()
    with pytest.raises(
        InvalidInput, match="gives 5 tokens per sample, but the mask has"
    ):
        extract(Tokens(), {"input_ids": batch["input_ids"]}, layers=["mix"],
                reducer="cls", mask=np.ones((6, 4)))  # fmt: skip
    batch["attention_mask"][2] = 0
    with pytest.raises(InvalidInput, match="sample number 2 has no real token"):
        extract(Tokens(), batch, layers=["mix"], reducer="cls")


def test_convolution_maps_need_a_reducer(extract, tmp_path) -> None:
    """Without one, the error lists the reducers that fit."""
    model, x = Conv(), inputs(7, 3, 4, 4)
    with pytest.raises(InvalidInput) as error:
        extract(model, x, layers=["conv"])
    assert "layer 'conv' gives samples of shape (5, 4, 4)" in str(error.value)
    assert "flatten, mean, positions, random_projection" in str(error.value)
    maps = forward(model.conv, x)
    rows = {
        reducer: extract(model, x, layers=["conv"], reducer=reducer, name=reducer)[
            "conv"
        ]
        for reducer in ("flatten", "mean", "positions", "random_projection:size=6")
    }
    np.testing.assert_array_equal(rows["flatten"], maps.reshape(7, -1))
    np.testing.assert_allclose(rows["mean"], maps.mean((2, 3)), atol=1e-6)
    positions = maps.transpose(0, 2, 3, 1).reshape(-1, 5)
    np.testing.assert_array_equal(rows["positions"], positions)
    assert rows["random_projection:size=6"].shape == (7, 6)


def test_flatten_beyond_the_limit_of_lapack(extract) -> None:
    """More than 2^31 - 1 entries are refused with the number."""

    class Huge(nn.Module):
        def forward(self, x):
            return x[:, :1, None].expand(len(x), 2**16, 2**15)

    with pytest.raises(InvalidInput) as error:
        extract(
            nn.Sequential(nn.Identity(), Huge()),
            inputs(),
            layers=["1"],
            reducer="flatten",
        )
    assert "7 samples x 2,147,483,648 values are 15,032,385,536 entries" in str(
        error.value
    )


def test_channels_last_are_noticed(extract) -> None:
    """The mean over channels of a NHWC map would be wrong without an error."""
    x = inputs(4, 6, 6, 3)
    model = nn.Sequential(nn.Identity(), nn.Linear(3, 5))
    with pytest.raises(InvalidInput, match="looks like channels last; give channel_"):
        extract(model, x, layers=["1"], reducer="mean")
    rows = extract(model, x, layers=["1"], reducer="mean:channel_axis=-1")
    np.testing.assert_allclose(rows["1"], forward(model, x).mean((1, 2)), atol=1e-6)


def test_positions_have_block_ids(extract, tmp_path) -> None:
    """Rows are the real tokens, and the block is the sample."""
    model, batch = Tokens(), token_batch()
    ids = [f"s{i}" for i in range(6)]
    extract(model, batch, layers=["mix"], reducer="positions", ids=ids, batch_size=4)
    (rep,) = sim.store.open_store(tmp_path / "store").select()
    mask = batch["attention_mask"]
    tokens = forward(model, torch.tensor(batch["input_ids"]))
    np.testing.assert_array_equal(rep.load(), tokens[mask != 0])
    assert rep.blocks.tolist() == np.repeat(ids, mask.sum(1)).tolist()
    hashes = [name.partition("#") for name in rep.ids[:6].tolist()]
    assert [h[0] for h in hashes] == ["s0:0", "s0:1", "s0:2", "s0:3", "s0:4", "s1:0"]
    assert hashes[0][2] == hashes[4][2] != hashes[5][2]


def test_random_projection_preserves_inner_products(extract) -> None:
    x = inputs(20, 3, 200)
    model = nn.Sequential(nn.Identity(), nn.Identity())
    options = {"layers": ["0", "1"], "reducer": "random_projection:size=2000,seed=3"}
    rows = extract(model, x, **options)
    np.testing.assert_array_equal(rows["0"], rows["1"])
    flat = x.reshape(20, -1).numpy()
    exact, found = flat @ flat.T, rows["0"] @ rows["0"].T
    norms = np.linalg.norm(flat, axis=1)
    assert np.abs(found - exact).max() < 0.15 * norms.max() ** 2


def test_a_two_dimensional_output_is_not_reduced(extract, tmp_path) -> None:
    model, x = Conv(), inputs(7, 3, 4, 4)
    rows = extract(model, x, layers=["conv", "head"], reducer="mean")
    np.testing.assert_allclose(rows["head"], forward(model, x), atol=1e-6)
    store = sim.store.open_store(tmp_path / "store")
    reducers = {
        m["layer"]: m["extraction"]["reducer"] for m in map(store.manifest, store.ids())
    }
    assert reducers["conv"]["name"] == "mean"
    assert reducers["head"] == {"name": "none", "options": {}}


def test_each_layer_can_have_its_own_reducer(extract) -> None:
    model, x = Conv(), inputs(7, 3, 4, 4)
    rows = extract(model, x, layers=["conv", "norm", "act"],
                   reducer={"conv": "flatten", "*": "mean"})  # fmt: skip
    assert {k: v.shape[1] for k, v in rows.items()} == {"conv": 80, "norm": 5, "act": 5}
    with pytest.raises(InvalidInput, match="'cnv' matches none of the chosen layers"):
        extract(model, x, layers=["conv"], reducer={"cnv": "mean"})


def test_names_and_options_of_reducers_are_checked() -> None:
    assert find_reducer("random_projection:size=3").options == {"size": 3, "seed": 0}
    for text, message in {
        "maen": "no reducer 'maen'. Did you mean 'mean'?",
        "mean:axis=1": "mean has channel_axis; got 'axis'",
        "random_projection:size=x": "size must be a whole number; got 'x'",
        "random_projection:size=0": "size",
    }.items():
        with pytest.raises(InvalidInput) as error:
            find_reducer(text)
        assert message in str(error.value)
    assert list(REDUCERS) == [
        *("flatten", "mean", "cls", "last_token", "mean_tokens", "positions"),
        *("words", "random_projection"),
    ]


@pytest.mark.parametrize("reducer", ["flatten", "positions", "mean"])
def test_maps_of_another_size_in_a_later_batch(extract, reducer) -> None:
    """`mean` takes images of any size; other reducers would mix them up."""
    batches = [inputs(3, 3, 4, 4), inputs(3, 3, 6, 6)]
    model = nn.Sequential(nn.Conv2d(3, 5, 3, padding=1))
    if reducer == "mean":
        assert extract(model, batches, layers=["0"], reducer="mean")["0"].shape == (
            6,
            5,
        )
        return
    with pytest.raises(
        InvalidInput, match=r"batch 1 \(samples 3 to 5\): layer '0' gives"
    ):
        extract(model, batches, layers=["0"], reducer=reducer)
