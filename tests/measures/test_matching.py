"""Matchings of units, against all permutations and against linear programming."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
import scipy

import similitude as sim
from similitude.measures.kernel_alignment._g_relu_cka import largest_products

RNG = np.random.default_rng(12)
X = RNG.normal(size=(30, 5)) * [1, 2, 3, 0.5, 1] + 2
Y = X[:, ::-1] + RNG.normal(size=(30, 5))


def normalized(x: np.ndarray, normalize: str) -> np.ndarray:
    x = x - x.mean(axis=0)
    if normalize == "frobenius":
        return x / np.linalg.norm(x)
    return x / np.linalg.norm(x, axis=0) if normalize == "columns" else x


def by_all_permutations(x: np.ndarray, y: np.ndarray) -> float:
    d = max(x.shape[1], y.shape[1])
    x, y = (np.pad(v, ((0, 0), (0, d - v.shape[1]))) for v in (x, y))
    orders = itertools.permutations(range(d))
    return min(np.linalg.norm(x - y[:, list(order)]) for order in orders)


@pytest.mark.parametrize("widths", [(5, 5), (3, 5), (5, 2), (1, 1)])
@pytest.mark.parametrize("normalize", ["none", "frobenius", "columns"])
def test_permutation_procrustes(normalize: str, widths: tuple[int, int]) -> None:
    x, y = X[:, : widths[0]], Y[:, : widths[1]]
    expected = by_all_permutations(normalized(x, normalize), normalized(y, normalize))
    got = sim.permutation_procrustes(x, y, normalize=normalize)
    np.testing.assert_allclose(got, expected, rtol=1e-10)
    if normalize == "frobenius":
        got = sim.permutation_procrustes(x, y, normalize=normalize, form="angular")
        np.testing.assert_allclose(got, np.arccos(1 - expected**2 / 2), rtol=1e-8)


def test_a_permutation_cannot_undo_a_sign_and_a_rotation_can() -> None:
    """Up to 2, and pi, where rotations reach sqrt(2) and pi / 2."""
    x = X[:, :1]
    options = {"normalize": "frobenius"}
    np.testing.assert_allclose(sim.permutation_procrustes(x, -x, **options), 2.0)
    angle = sim.permutation_procrustes(x, -x, form="angular", **options)
    np.testing.assert_allclose(angle, np.pi, rtol=1e-7)
    np.testing.assert_allclose(sim.procrustes(x, -x), 0.0, atol=1e-12)


def test_angular_form_needs_frobenius_normalization() -> None:
    for normalize in ("none", "columns"):
        with pytest.raises(sim.InvalidInput, match="normalize='frobenius'"):
            sim.permutation_procrustes(X, Y, normalize=normalize, form="angular")


def test_permutation_procrustes_is_not_a_metric_across_widths() -> None:
    """Why `triangle` is not claimed: opposite units may both be left alone in width 2.

    1, then (e, -e), then -1: zero padding lets them pass by each other.
    """
    x = X[:, :1]
    narrow = float(sim.permutation_procrustes(x, -x))
    middle = np.column_stack([0.1 * x, -0.1 * x])
    around = 2 * float(sim.permutation_procrustes(x, middle))
    assert around < narrow - 0.1
    assert sim.PermutationProcrustes().claims().triangle is None


def test_dead_units_are_dropped_and_counted() -> None:
    padded = np.column_stack([X, np.full(30, 0.1), np.zeros(30)])
    for measure in (
        sim.PermutationProcrustes(normalize="columns"),
        sim.GReLUProcrustes(),
        sim.GReLUCKA(),
        sim.SoftMatching(),
    ):
        p, q = measure.prepare(padded), measure.prepare(Y)
        assert measure.details(p, q) == {"dead_x": 2, "dead_y": 0}
        np.testing.assert_allclose(measure.compare(p, q), measure(X, Y), rtol=1e-12)


@pytest.mark.parametrize("widths", [(5, 5), (3, 5), (5, 2)])
def test_g_relu_procrustes(widths: tuple[int, int]) -> None:
    x, y = X[:, : widths[0]], Y[:, : widths[1]]
    a, b = normalized(x, "columns"), normalized(y, "columns")
    expected = 1 - by_all_permutations(a, b) / (2 * np.sqrt(max(widths)))
    np.testing.assert_allclose(sim.g_relu_procrustes(x, y), expected, rtol=1e-10)


def relu_pair() -> tuple[np.ndarray, np.ndarray]:
    """Activations of two networks that differ by a symmetry of ReLU."""
    inputs, weights = RNG.normal(size=(40, 6)), RNG.normal(size=(6, 5))
    order, scales = RNG.permutation(5), RNG.uniform(0.2, 5, size=5)
    twin = weights[:, order] * scales
    return np.maximum(inputs @ weights, 0), np.maximum(inputs @ twin, 0)


def test_symmetries_of_relu_are_not_seen() -> None:
    x, y = relu_pair()
    np.testing.assert_allclose(sim.g_relu_procrustes(x, y), 1.0, rtol=1e-12)
    np.testing.assert_allclose(sim.g_relu_cka(x, y), 1.0, rtol=1e-12)
    np.testing.assert_allclose(sim.soft_matching(x, y), 0.0, atol=1e-12)
    rotated = x @ np.linalg.qr(RNG.normal(size=(5, 5)))[0]
    assert sim.g_relu_procrustes(x, rotated) < 0.9
    assert sim.g_relu_cka(x, rotated) < 0.95


def naive_max_gram(x: np.ndarray) -> np.ndarray:
    x = normalized(x, "columns")
    return np.asarray([[max(a * b) for b in x] for a in x])


@pytest.mark.parametrize("widths", [(5, 4), (1, 5)])
def test_g_relu_cka(widths: tuple[int, int]) -> None:
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


def hsic_1(k: np.ndarray, l: np.ndarray) -> float:  # noqa: E741
    n = len(k)
    k, l = (v - np.diag(np.diag(v)) for v in (k, l))  # noqa: E741
    product = k.sum() * l.sum() / ((n - 1) * (n - 2))
    return np.trace(k @ l) + product - 2 / (n - 2) * (k @ l).sum()


@pytest.mark.parametrize("d", [1, 3, 4, 11])
def test_largest_products(d: int) -> None:
    """Compiled, over more than one stretch of columns; and where they are attained."""
    torch = pytest.importorskip("torch")
    a, b = RNG.normal(size=(3, d)), RNG.normal(size=(700, d))
    expected = (a[:, None, :] * b[None, :, :]).max(axis=2)
    np.testing.assert_array_equal(largest_products(a, b), expected)
    got = largest_products(torch.asarray(a), torch.asarray(b))
    np.testing.assert_array_equal(got.numpy(), expected)


def test_g_relu_cka_in_blocks() -> None:
    """With a budget for a few rows at a time, and more columns than one stretch."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 600, 3))
    whole = float(sim.g_relu_cka(x, y))
    with sim.config(memory_budget=2_000_000):
        np.testing.assert_allclose(sim.g_relu_cka(x, y), whole, rtol=1e-12)
    with pytest.raises(sim.Undefined, match="4 rows"):
        sim.g_relu_cka(x[:3], y[:3])


@pytest.mark.parametrize("widths", [(5, 5), (3, 5), (4, 2), (1, 3)])
def test_soft_matching(widths: tuple[int, int]) -> None:
    """Against the linear program itself."""
    x, y = X[:, : widths[0]], Y[:, : widths[1]]
    a, b = normalized(x, "columns"), normalized(y, "columns")
    cost = ((a[:, :, None] - b[:, None, :]) ** 2).sum(axis=0)
    d1, d2 = widths
    rows, columns = np.kron(np.eye(d1), np.ones(d2)), np.kron(np.ones(d1), np.eye(d2))
    weights = np.concatenate([np.full(d1, 1 / d1), np.full(d2, 1 / d2)])
    program = scipy.optimize.linprog(
        cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=weights
    )
    np.testing.assert_allclose(sim.soft_matching(x, y), np.sqrt(program.fun), rtol=1e-8)


def test_soft_matching_of_equal_widths_is_a_permutation() -> None:
    distance = sim.permutation_procrustes(X, Y, normalize="columns")
    np.testing.assert_allclose(
        sim.soft_matching(X, Y), distance / np.sqrt(5), rtol=1e-10
    )


def test_soft_matching_without_its_extra() -> None:
    code = (
        "import sys; sys.modules['ot'] = None; import similitude as s;"
        "x = [[1.0], [2.0], [4.0]]\n"
        "try: s.soft_matching(x, x)\n"
        "except s.MissingExtra as e: sys.exit(0 if 'similitude[ot]' in str(e) else 1)\n"
        "sys.exit(2)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
