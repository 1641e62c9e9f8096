"""Inner products of centered Grams equal HSIC term by term, in every stored form."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import similitude as sim
from measures.kernel_alignment.naive_hsic import naive_hsic_0, naive_hsic_1
from similitude._base import _config
from similitude._linalg import _hsic
from similitude._linalg._grams import features, gram

RNG = np.random.default_rng(3)
N = 300  # two panels of 256 rows, three of 128
ROWS = [RNG.normal(size=(N, d)) + RNG.exponential(size=(N, 1)) for d in (2, 5, 3)]
ROWS = [x - x.mean(axis=0) for x in ROWS]


def product(a: Any, b: Any) -> Any:
    return a @ b.T


def cubic(a: Any, b: Any) -> Any:
    return (1 + a @ b.T) ** 3


def expected(k: np.ndarray, l: np.ndarray, *, unbiased: bool) -> float:  # noqa: E741
    n = len(k)
    if unbiased:
        return n * (n - 3) * naive_hsic_1(k, l)
    return (n - 1) ** 2 * naive_hsic_0(k, l)


def sides(rows: np.ndarray, *, unbiased: bool) -> list[tuple[Any, np.ndarray]]:
    """The same rows as features, as their Gram, and under another kernel."""
    return [
        (features(rows, unbiased=unbiased), product(rows, rows)),
        (gram(rows, product, unbiased=unbiased), product(rows, rows)),
        (gram(rows, cubic, unbiased=unbiased), cubic(rows, rows)),
    ]


@pytest.mark.parametrize("unbiased", [True, False])
def test_inner_equals_hsic_for_all_forms(*, unbiased: bool) -> None:
    for p, k in sides(ROWS[0], unbiased=unbiased):
        for q, l in sides(ROWS[1], unbiased=unbiased):  # noqa: E741
            value = expected(k, l, unbiased=unbiased)
            np.testing.assert_allclose(_hsic.inner(p, q), value, rtol=1e-9)
            np.testing.assert_allclose(_hsic.inner(q, p), value, rtol=1e-9)
        value = expected(k, k, unbiased=unbiased)
        np.testing.assert_allclose(_hsic.inner(p, p), value, rtol=1e-9)
        np.testing.assert_allclose(_hsic.norm(p), math.sqrt(value), rtol=1e-9)
    assert _hsic.norm(p, np.float64(9.0) * 1e12) == 3e6


@pytest.mark.parametrize("budget", [2**30, 2**20])
@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("unbiased", [True, False])
@pytest.mark.parametrize("form", ["features", "grams", "both"])
def test_all_pairs_equal_single_pairs(
    form: str, *, unbiased: bool, library: str, budget: int
) -> None:
    start = {"features": (0, 0, 0), "grams": (1, 2, 1), "both": (0, 2, 0)}[form]
    with sim.config(memory_budget=budget):
        found = []
        for rows, kind in zip(ROWS, start, strict=True):
            values = torch.tensor(rows) if library == "torch" else rows
            found.append(sides(values, unbiased=unbiased)[kind])
        table = _hsic.inner_all([p for p, _ in found])
        assert isinstance(table, torch.Tensor) is (library == "torch")
        apart = [[_hsic.inner(p, q) for q, _ in found] for p, _ in found]
    values = [
        [expected(np.asarray(k), np.asarray(m), unbiased=unbiased) for _, m in found]
        for _, k in found
    ]
    np.testing.assert_allclose(np.asarray(table), values, rtol=1e-9)
    np.testing.assert_allclose(np.asarray(apart, dtype=float), values, rtol=1e-9)


@pytest.mark.parametrize("unbiased", [True, False])
def test_wide_features_are_multiplied_as_grams(*, unbiased: bool) -> None:
    rows = [RNG.normal(size=(140, 450)) for _ in range(3)]
    rows = [x - x.mean(axis=0) for x in rows]
    wide = [features(x, unbiased=unbiased) for x in rows]
    assert not _hsic.pairs_are_cheaper(wide)
    values = [
        [expected(x @ x.T, y @ y.T, unbiased=unbiased) for y in rows] for x in rows
    ]
    np.testing.assert_allclose(_hsic.inner_all(wide), values, rtol=1e-9)


@pytest.mark.parametrize("width", [3, 1000])
def test_one_side_alone_is_a_table_of_one_number(width: int) -> None:
    rows = RNG.normal(size=(40, width))
    rows -= rows.mean(axis=0)
    for side, k in sides(rows / width**0.5, unbiased=True):
        value = [[expected(k, k, unbiased=True)]]
        np.testing.assert_allclose(_hsic.inner_all([side]), value, rtol=1e-9)
    linear = features(rows, unbiased=True, classes=np.arange(40) % 2)
    assert np.shape(_hsic._corrections([linear])) == (1, 1)


def test_classes_are_centered_apart_in_both_forms() -> None:
    classes = np.arange(60) % 4
    rows = [x[:60].copy() for x in ROWS]
    for x in rows:
        for c in range(4):
            x[classes == c] -= x[classes == c].mean(axis=0)
    linear = [features(x, unbiased=True, classes=classes) for x in rows]
    grams = [gram(x, product, unbiased=True, classes=classes) for x in rows]
    values = [[float(_hsic.inner(p, q)) for q in grams] for p in grams]
    apart = [[float(_hsic.inner(p, q)) for q in linear] for p in linear]
    np.testing.assert_allclose(apart, values, rtol=1e-9)
    together = _hsic._products(linear, linear=True) + _hsic._corrections(linear)
    np.testing.assert_allclose(together, values, rtol=1e-9)


def test_only_values_above_the_noise_have_a_norm() -> None:
    _hsic.check_above_noise(np.float64(1.001e-9), 1e-9)
    for square in (1e-9, 0.9e-9, -1.0):
        with pytest.raises(sim.Undefined, match="0 up to rounding after centering"):
            _hsic.check_above_noise(np.float64(square), 1e-9)
    equidistant = features(np.eye(6) - 1 / 6, unbiased=True)
    with pytest.raises(sim.Undefined, match="0 up to rounding after centering"):
        _hsic.norm(equidistant)


def test_float32_rows_are_multiplied_by_a_gram_in_float64() -> None:
    """torch does not multiply two dtypes, and numpy would widen by itself."""
    double, single = torch.from_numpy(ROWS[0]), torch.from_numpy(ROWS[1]).float()
    table = gram(double, cubic, unbiased=False)
    found = _hsic.inner(table, features(single, unbiased=False))
    same = _hsic.inner(table, features(single.double(), unbiased=False))
    np.testing.assert_allclose(found, same, rtol=1e-12)


def test_worst_error_is_the_noise_of_rows_and_its_root_of_grams() -> None:
    (rows, _), (table, _), _ = sides(ROWS[0], unbiased=True)
    for side, found in ((rows, 0.25), (table, 0.5)):
        error = _hsic.worst_error(side, np.float64(4 * side.noise))
        np.testing.assert_allclose(error, found, rtol=1e-12)
        assert _hsic.worst_error(side, np.float64(0.0)) == 1.0
    none = SimpleNamespace(noise=0.0)
    assert _hsic.worst_error(none, np.float64(0.0)) == 0.0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("count", "width", "cheaper"),
    [(1, 1171, True), (1, 1172, False), (60, 70, True), (60, 71, False)],
)
def test_the_cheaper_route_is_counted_in_multiplications(
    count: int, width: int, *, cheaper: bool
) -> None:
    """n = 1,000: pairs take n (K d)^2 / 2, Grams n^2 K (d / 2 + 100) + (n K / 2)^2."""
    side = SimpleNamespace(n=1000, rows=np.empty((0, width)))
    found = _hsic.pairs_are_cheaper([side] * count)  # type: ignore[list-item]
    assert found is cheaper


def test_linear_sides_take_the_cheaper_route(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = [features(x, unbiased=True) for x in ROWS]
    wide = [features(RNG.normal(size=(140, 450)), unbiased=True) for _ in range(3)]
    formed = []
    grams = _hsic._products
    monkeypatch.setattr(
        _hsic, "_products", lambda *a, **k: formed.append(k["linear"]) or grams(*a, **k)
    )
    _hsic.inner_all(narrow)
    assert formed == []  # no n x n matrix
    _hsic.inner_all(wide)
    assert formed == [True]


@pytest.mark.parametrize("rows", [9, 70])
def test_stacks_of_panels_fill_a_sixteenth_of_the_budget(
    rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One more row of each panel would not fit."""
    stacks = []
    stack = _hsic._stack
    monkeypatch.setattr(
        _hsic, "_stack", lambda b, s, space: stacks.append(s) or stack(b, s, space)
    )
    kernels = [gram(x, cubic, unbiased=True) for x in ROWS]
    with _config.blocks(16 * 8 * 3 * N * rows):
        _hsic.inner_all(kernels)
    assert stacks[0] == (3, rows, N)


def test_products_of_columns_fill_a_sixteenth_of_the_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """X'X is formed and kept if it fits, and otherwise X'Y in blocks of columns."""
    formed = []
    product_of = _hsic.cross_product
    monkeypatch.setattr(
        _hsic,
        "cross_product",
        lambda a, b: formed.append(a.shape[1]) or product_of(a, b),
    )
    x, y = RNG.normal(size=(30, 100)), RNG.normal(size=(30, 80))
    for size, kept in ((100, True), (99, False)):
        p, q = features(x, unbiased=False), features(y, unbiased=False)
        with _config.blocks(16 * 8 * 100 * size):
            formed.clear()
            squares = float(_hsic.inner(p, p))
            assert formed == ([] if kept else [99, 1])
            assert ("covariance" in vars(p)) is kept
            np.testing.assert_allclose(squares, np.sum((x.T @ x) ** 2), rtol=1e-12)
        with _config.blocks(16 * 8 * 80 * (size // 3)):
            formed.clear()
            found = float(_hsic.inner(p, q))
            assert formed == [33, 33, 33, 1]
            np.testing.assert_allclose(found, np.sum((x.T @ y) ** 2), rtol=1e-12)
