"""RTD losses: values equal those of the measures, and gradients are correct."""

import sys

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, MissingExtra, Undefined, topology

torch = pytest.importorskip("torch")

LOSSES = {
    "rtd": topology.rtd_loss,
    "rtd_lite": topology.rtd_lite_loss,
    "srtd": topology.srtd_loss,
}
UNITS = ["quantile", "median", "mean", "none"]


def clouds(seed: int, n: int = 14) -> list:
    x, y = np.random.default_rng(seed).normal(size=(2, n, 3))
    return [torch.tensor(v, requires_grad=True) for v in (x, y[:, :2])]


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("normalize", UNITS)
def test_loss_equals_the_measure(name: str, normalize: str) -> None:
    for seed in range(4):
        x, y = clouds(seed, n=40)
        got = LOSSES[name](x, y, normalize=normalize)
        rows = x.detach(), y.detach()  # the measure refuses tensors with gradients
        expected = getattr(sim, name)(*rows, normalize=normalize)
        np.testing.assert_allclose(got.item(), expected.item(), rtol=1e-12)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("normalize", UNITS)
def test_gradients_agree_with_finite_differences(name: str, normalize: str) -> None:
    def loss(x, y):
        return LOSSES[name](x, y, normalize=normalize)

    assert torch.autograd.gradcheck(loss, clouds(0), eps=1e-6, atol=1e-6)


def test_derivative_by_a_distance_is_deaths_minus_births_on_its_edge() -> None:
    rng = np.random.default_rng(1)
    for _ in range(3):
        n = 9
        w, v = np.zeros((2, n, n))
        i, j = np.triu_indices(n, 1)
        for m in (w, v):
            m[i, j] = m[j, i] = rng.permutation(len(i) * 8)[: len(i)] / 64 + 1
        v += 1 / 1024 * (v > 0)  # w and v have no common value
        bars = topology.r_cross_barcode_from_distances(w, v)[1]
        assert len(bars) > 3
        counts = {"w": np.zeros((n, n)), "w_tilde": np.zeros((n, n))}
        for edges, where, sign in (
            (bars.birth_edges, bars.birth_in, -1),
            (bars.death_edges, bars.death_in, +1),
        ):
            for (a, b), name in zip(edges, where, strict=True):
                counts["w_tilde" if name == "w_tilde" else "w"][a, b] += sign
        step = 2.0**-12
        for name, matrix in (("w", w), ("w_tilde", v)):
            for a, b in zip(i, j, strict=True):
                totals = []
                for sign in (-1, 1):
                    moved = matrix.copy()
                    moved[a, b] = moved[b, a] = matrix[a, b] + sign * step
                    pair = (moved, v) if name == "w" else (w, moved)
                    one = topology.r_cross_barcode_from_distances(*pair)[1]
                    totals.append(one.total_persistence)
                assert (totals[1] - totals[0]) / (2 * step) == counts[name][a, b]
        signed = np.sum(counts["w"] * w) + np.sum(counts["w_tilde"] * v)
        np.testing.assert_allclose(signed, bars.total_persistence, rtol=1e-12)


@pytest.mark.parametrize("name", LOSSES)
def test_gradient_descent_reduces_the_loss(name: str) -> None:
    x, y = clouds(2, n=30)
    optimizer = torch.optim.Adam([y], lr=0.05)
    values = []
    for _ in range(40):
        optimizer.zero_grad()
        loss = LOSSES[name](x.detach(), y)
        loss.backward()
        optimizer.step()
        values.append(loss.item())
    assert min(values[-5:]) < 0.7 * values[0]


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_of_coincident_points_are_finite(name: str) -> None:
    rng = np.random.default_rng(3)
    x = torch.tensor(np.repeat(rng.normal(size=(6, 2)), 3, axis=0), requires_grad=True)
    y = torch.tensor(rng.normal(size=(18, 2)), requires_grad=True)
    for a, b in ((x, y), (y, x), (x, x), (x, torch.zeros(18, 2))):
        loss = LOSSES[name](a, b)
        loss.backward()
        assert np.isfinite(loss.item())
    assert np.isfinite(x.grad.numpy()).all()
    assert np.isfinite(y.grad.numpy()).all()


def test_dtype_of_the_loss_and_gradient_of_one_side() -> None:
    x, y = clouds(4)
    exact = topology.rtd_loss(x, y).item()
    single = topology.rtd_loss(x.float(), y.float())
    assert single.dtype == torch.float32
    np.testing.assert_allclose(single.item(), exact, rtol=1e-5)
    mixed = topology.rtd_loss(x.float(), y)
    assert mixed.dtype == torch.float32
    half = topology.rtd_loss(x.half(), y.half())
    assert half.dtype == torch.float32
    topology.rtd_loss(x.detach(), y).backward()
    assert x.grad is None
    assert y.grad.abs().sum() > 0


@pytest.mark.parametrize("loss", LOSSES.values())
def test_losses_reject_invalid_arguments(loss) -> None:
    x, y = clouds(5)
    with pytest.raises(InvalidInput, match="y is a ndarray"):
        loss(x, y.detach().numpy())
    with pytest.raises(InvalidInput, match="13"):
        loss(x, y[:13])
    with pytest.raises(InvalidInput, match="normalize"):
        loss(x, y, normalize="max")
    outlier = torch.zeros(14, 2)
    outlier[0] = 1
    with pytest.raises(Undefined, match="normalize='mean'"):
        loss(x, outlier, quantile=0.5)


def test_loss_without_torch_raises_missing_extra(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"pip install 'torch"):
        topology.rtd_loss([[0.0]], [[1.0]])


@pytest.mark.parametrize("n", [1, 2, 3])
def test_losses_of_1_to_3_rows_are_finite(n: int) -> None:
    x, y = clouds(6, n=n)
    for loss in LOSSES.values():
        value = loss(x, y)
        value.backward()
        assert np.isfinite(value.item())
