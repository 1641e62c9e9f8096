"""Precision of the model, and the axis of the samples."""

import numpy as np
import pytest
import torch
from torch import nn

import similitude as sim
from networks.extraction.small_models import forward, inputs
from similitude import InvalidInput


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_bfloat16_is_widened_to_float32(extract, tmp_path, dtype) -> None:
    """The values are exact, and the manifest has the dtype of the model."""
    model = nn.Sequential(nn.Linear(4, 3), nn.Identity()).to(dtype)
    x = inputs()
    rows = extract(model, x, layers=["0"])
    with torch.inference_mode():
        expected = model[0](x.to(dtype)).double().numpy()
    np.testing.assert_array_equal(rows["0"], expected)
    stored = np.float64 if dtype is torch.float64 else np.float32
    assert rows["0"].dtype == stored
    store = sim.store.open_store(tmp_path / "store")
    fields = store.manifest(store.ids()[0])["extraction"]
    assert fields["model_dtype"] == str(dtype).removeprefix("torch.")
    assert fields["stored_dtype"] == np.dtype(stored).str


class Moved(nn.Module):
    """A linear layer whose output has the batch on another axis."""

    def __init__(self, *order: int) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.move = Permute(*order)

    def forward(self, x):
        return self.move(self.linear(x))


class Permute(nn.Module):
    def __init__(self, *order: int) -> None:
        super().__init__()
        self.order = order

    def forward(self, x):
        return x.permute(self.order)


@pytest.mark.parametrize("order", [(1, 0, 2), (1, 2, 0), (0, 1, 2), (2, 0, 1)])
@pytest.mark.parametrize("n", [1, 3, 5, 8])
def test_batch_axis_is_not_the_first(extract, order, n) -> None:
    """Two batch sizes find the axis, even if other axes have the same length."""
    model, x = Moved(*order), inputs(n, 3, 4)
    rows = extract(model, x, layers=["move"], reducer="flatten", batch_size=3)
    rest = [axis - 1 for axis in order if axis]
    expected = forward(model.linear, x).transpose(0, *(axis + 1 for axis in rest))
    # Products of batches of other sizes may differ in their last bits.
    rounding = 8 * np.finfo(np.float32).eps
    np.testing.assert_allclose(
        rows["move"], expected.reshape(n, -1), rtol=0, atol=rounding
    )


def test_batch_axis_option_is_checked(extract) -> None:
    model, x = Moved(1, 0, 2), inputs(5, 3, 4)
    with pytest.raises(InvalidInput, match=r"batch_axis=0, but layer 'move' has shape"):
        extract(model, x, layers=["move"], reducer="flatten", batch_axis=0)
    rows = extract(model, x, layers=["move"], reducer="flatten", batch_axis=1)
    assert rows["move"].shape == (5, 9)


def test_samples_folded_into_windows_are_refused(extract) -> None:
    """As in Swin, where one axis is samples x windows."""
    model = nn.Sequential(
        nn.Unflatten(1, (2, 2)), nn.Flatten(0, 1), nn.Unflatten(0, (-1, 2))
    )
    with pytest.raises(InvalidInput, match="one axis has several rows per sample"):
        extract(model, inputs(), layers=["1"])


def test_output_without_a_batch_axis_is_refused(extract) -> None:
    class Total(nn.Module):
        def forward(self, x):
            return x.sum(0)

    with pytest.raises(InvalidInput, match="no axis has that length"):
        extract(nn.Sequential(nn.Identity(), Total()), inputs(), layers=["1"])


def test_gram_matrices_of_a_batch_are_refused(extract) -> None:
    class Gram(nn.Module):
        def forward(self, x):
            return x @ x.T

    with pytest.raises(InvalidInput, match="several axes have that length"):
        extract(nn.Sequential(nn.Identity(), Gram()), inputs(), layers=["1"])


def test_complex_outputs_are_refused(extract) -> None:
    class Fourier(nn.Module):
        def forward(self, x):
            return torch.fft.fft(x)

    with pytest.raises(InvalidInput, match="gives complex numbers"):
        extract(nn.Sequential(nn.Identity(), Fourier()), inputs(), layers=["1"])
