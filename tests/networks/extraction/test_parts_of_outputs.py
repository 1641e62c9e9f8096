"""Outputs that are not one tensor: tuples, dicts, data classes, None."""

from collections import OrderedDict

import numpy as np
import pytest
import torch
from torch import nn

from networks.extraction.small_models import Output, Wrapped, forward, inputs
from similitude import InvalidInput


def test_tuple_output(extract) -> None:
    """Parts of a tuple are named; without a name, two tensors are refused."""
    lstm = nn.LSTM(4, 3, batch_first=True)
    x = inputs(7, 5, 4)
    names = "[0], [1][0], [1][1]"
    with pytest.raises(InvalidInput, match="gives 3 tensors; ask for one of") as error:
        extract(lstm, x, layers=[""])
    assert names in str(error.value)
    model = nn.ModuleDict({"lstm": lstm})
    model.forward = lambda x: model["lstm"](x)[0]  # type: ignore[method-assign]
    rows = extract(model, x, layers=["lstm[0]", "lstm[1][0]"], reducer="flatten",
                   batch_axis={"lstm[[]1]*": 1})  # fmt: skip
    with torch.inference_mode():
        output, (hidden, _) = lstm(x)
    np.testing.assert_array_equal(rows["lstm[0]"], output.reshape(7, -1).numpy())
    np.testing.assert_array_equal(rows["lstm[1][0]"], hidden[0].numpy())


def test_output_type_changes_with_the_version(extract) -> None:
    """The same request reads a tensor and a tuple of one tensor."""
    x, found = inputs(), []
    for wrap in (lambda y: y, lambda y: (y,), lambda y: (y, None)):
        torch.manual_seed(0)
        model = Wrapped(wrap)
        rows = extract(model, x, layers=["block"], name=str(len(found)))
        expected = forward(model.linear, x)
        found.append([v for v in rows.values() if v.shape == (7, 3)][-1])
        np.testing.assert_array_equal(found[-1], expected)


def test_index_into_a_bare_tensor_is_refused(extract) -> None:
    """`block[0]` of a tensor would be the first sample."""
    model = Wrapped(lambda y: y)
    message = (
        "gives one tensor, without parts; ask for 'block' instead of 'block\\[0\\]'"
    )
    with pytest.raises(InvalidInput, match=message):
        extract(model, inputs(), layers=["block[0]"])


@pytest.mark.parametrize(
    "wrap",
    [
        lambda y: {"last_hidden_state": y, "pooled": y[:, :1]},
        lambda y: OrderedDict(last_hidden_state=y, pooled=y[:, :1]),
        lambda y: Output(y, y[:, :1]),
    ],
)
def test_dict_and_dataclass_outputs(extract, wrap) -> None:
    model, x = Wrapped(wrap), inputs()
    with pytest.raises(InvalidInput, match=r"block\.last_hidden_state, block\.pooled"):
        extract(model, x, layers=["block"])
    rows = extract(model, x, layers=["block.last_hidden_state"])
    expected = forward(model.linear, x)
    np.testing.assert_array_equal(rows["block.last_hidden_state"], expected)
    with pytest.raises(InvalidInput, match=r"has no output '\.logits'; ask for one of"):
        extract(model, x, layers=["block.logits"])


def test_attention_weights_that_are_none(extract) -> None:
    class Attention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attn = nn.MultiheadAttention(4, 2, batch_first=True)

        def forward(self, x):
            return self.attn(x, x, x, need_weights=False)[0]

    with pytest.raises(InvalidInput, match=r"attn\[1\] is None: .*'eager'"):
        extract(Attention(), inputs(7, 3, 4), layers=["attn[1]"], reducer="flatten")
    rows = extract(Attention(), inputs(7, 3, 4), layers=["attn"], reducer="flatten")
    assert rows["attn[0]"].shape == (7, 12)


def test_packed_sequences_are_refused(extract) -> None:
    def pack(y):
        return nn.utils.rnn.pack_padded_sequence(
            y[:, None], torch.ones(len(y)), batch_first=True
        )

    with pytest.raises(InvalidInput, match="pad_packed_sequence"):
        extract(Wrapped(pack), inputs(), layers=["block"])
