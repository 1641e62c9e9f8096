"""G_ReLU CKA against a naive maximum for each pair of rows."""

import numpy as np
import pytest

import similitude as sim
from measures.matching.naive_matching import normalized
from similitude.measures.kernel_alignment._g_relu_cka import largest_products

RNG = np.random.default_rng(12)
X = RNG.normal(size=(30, 5)) * [1, 2, 3, 0.5, 1] + 2
Y = X[:, ::-1] + RNG.normal(size=(30, 5))


def naive_max_gram(x: np.ndarray) -> np.ndarray:
    x = normalized(x, "columns")
    return np.asarray([[max(a * b) for b in x] for a in x])


def hsic_1(k: np.ndarray, l: np.ndarray) -> float:  # noqa: E741
    n = len(k)
    k, l = (v - np.diag(np.diag(v)) for v in (k, l))  # noqa: E741
    product = k.sum() * l.sum() / ((n - 1) * (n - 2))
    return np.trace(k @ l) + product - 2 / (n - 2) * (k @ l).sum()


@pytest.mark.parametrize("widths", [(5, 4), (1, 5)])
def test_g_relu_cka_equals_its_definition(widths: tuple[int, int]) -> None:
    x, y = X[:, : widths[0]], Y[:, : widths[1]]
    k, l = naive_max_gram(x), naive_max_gram(y)  # noqa: E741
    n = len(x)
    h = np.eye(n) - 1 / n
    biased = [np.trace(a @ h @ b @ h) for a, b in ((k, l), (k, k), (l, l))]
    expected = biased[0] / np.sqrt(biased[1] * biased[2])
    got = sim.g_relu_cka(x, y, estimator="biased")
    np.testing.assert_allclose(got, expected, rtol=1e-9)
    sums = [hsic_1(a, b) for a, b in ((k, l), (k, k), (l, l))]
    expected = sums[0] / np.sqrt(sums[1] * sums[2])
    np.testing.assert_allclose(sim.g_relu_cka(x, y), expected, rtol=1e-9)


@pytest.mark.parametrize("d", [1, 3, 4, 11])
def test_largest_products_equal_the_naive_maximum(d: int) -> None:
    """700 rows are more than one chunk; tensors look up the largest term."""
    torch = pytest.importorskip("torch")
    a, b = RNG.normal(size=(3, d)), RNG.normal(size=(700, d))
    expected = (a[:, None, :] * b[None, :, :]).max(axis=2)
    np.testing.assert_array_equal(largest_products(a, b), expected)
    got = largest_products(torch.asarray(a), torch.asarray(b))
    np.testing.assert_array_equal(got.numpy(), expected)


def test_g_relu_cka_does_not_depend_on_the_memory_budget() -> None:
    """The budget holds a few rows at a time; 600 rows are more than one chunk."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 600, 3))
    whole = float(sim.g_relu_cka(x, y))
    with sim.config(memory_budget=2_000_000):
        np.testing.assert_allclose(sim.g_relu_cka(x, y), whole, rtol=1e-12)
    with pytest.raises(sim.Undefined, match="4 rows"):
        sim.g_relu_cka(x[:3], y[:3])
