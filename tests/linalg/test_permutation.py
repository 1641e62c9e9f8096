"""Permutation moments, and inner products for many orders of rows."""

import itertools

import numpy as np
import pytest

import similitude as sim
from similitude import _linalg
from similitude._base._validate import points
from similitude._linalg import _grams, _reordered, _symmetric
from similitude._linalg._permutation import Invariants
from similitude.measures.kernel_alignment._kernel_functions import OfDistances, products

RNG = np.random.default_rng(11)


def sides(n: int, d: int, *, unbiased: bool) -> dict[str, _linalg.Side]:
    """The same linear kernel in every form in which it may be stored."""
    rows = _linalg.center(points(RNG.normal(size=(n, d)) ** 3))
    gram = _linalg.gram(rows, products, unbiased=unbiased)
    sums = -np.sum(rows**2, axis=1) if unbiased else np.zeros(n)
    effects, constant = _symmetric.effects_of(sums, n, unbiased=unbiased)
    source = _grams.Source(rows, products, effects, constant, unbiased)
    blocks = _grams.Gram(n, unbiased, 0.0, rows, {}, source)
    return {
        "features": _linalg.features(rows, unbiased=unbiased),
        "gram": gram,
        "blocks": blocks,
    }


def enumerated(p: _linalg.Side, q: _linalg.Side) -> list[float]:
    orders = itertools.permutations(range(p.n))
    values = [float(_linalg.inner(p, q.permute(np.asarray(o)))) for o in orders]
    centered = np.subtract(values, np.mean(values))
    return [np.mean(values), np.mean(centered**2), np.mean(centered**3)]


@pytest.mark.parametrize("unbiased", [True, False])
@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
def test_moments_equal_those_over_all_permutations(n: int, unbiased: bool) -> None:  # noqa: FBT001
    if unbiased and n < 4:
        return
    # With three columns u has low rank; with nine it has more columns than rows.
    ps, qs = sides(n, 3, unbiased=unbiased), sides(n, 9, unbiased=unbiased)
    expected = enumerated(ps["gram"], qs["gram"])
    scale = float(_linalg.norm(ps["gram"]) * _linalg.norm(qs["gram"]))
    units = scale ** np.asarray([1, 2, 3])
    for a, b in itertools.product(ps.values(), qs.values()):
        both = _linalg.invariants(a), _linalg.invariants(b)
        mean, variance, skewness = _linalg.permutation_moments(*both, scale)
        got = [mean, variance, skewness * variance**1.5]
        np.testing.assert_allclose(got, expected / units, atol=1e-13)


@pytest.mark.parametrize("unbiased", [True, False])
def test_invariants_in_panels_equal_naive_sums(
    unbiased: bool,  # noqa: FBT001
) -> None:
    """300 rows in panels, as features, Gram and blocks."""
    many = sides(300, 4, unbiased=unbiased)
    u = np.array(many["gram"].matrix)
    d = np.diag(u) - np.trace(u) / 300
    effects = np.diag(u) / 298  # rows of the off-diagonal part sum to minus this
    constant = -np.sum(effects) / 299
    trace = np.trace(u)
    u = (u + effects[:, None] + effects[None, :] + constant) * (1 - np.eye(300))
    np.testing.assert_allclose(u.sum(axis=1), 0, atol=1e-9 * np.abs(u).max())
    expected = [
        trace,
        np.sum(u**2),
        np.sum(u**3),
        np.trace(u @ u @ u),
        *(np.sum(d**2), np.sum(d**3)),
        *(d @ np.sum(u**2, axis=1), d @ u @ d),
    ]
    for side in many.values():
        with sim.config(memory_budget=2**20):
            got = _linalg.invariants(side)
        np.testing.assert_allclose(_flat(got), expected, rtol=1e-9, atol=1e-10)


def _flat(sums: Invariants) -> list[float]:
    first = [sums.trace, sums.square, sums.cubes, sums.triangles]
    return [*first, *sums.diagonal, *sums.mixed]


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian", "polynomial"])
@pytest.mark.parametrize("estimator", ["unbiased", "biased"])
def test_null_moments_of_cka_agree_with_draws(kernel: str, estimator: str) -> None:
    """At n = 40, within Monte-Carlo error; 40! permutations cannot be enumerated."""
    rng = np.random.default_rng(5)
    measure = sim.measures.CKA(kernel=kernel, estimator=estimator)
    x = rng.gamma(0.5, size=(40, 3))
    p, q = measure.prepare(x), measure.prepare(x[:, :2] ** 2)
    orders = rng.permuted(np.tile(np.arange(40), (4000, 1)), axis=1)
    draws = np.asarray(measure.null(p, q, orders))
    mean, variance, skewness = measure.null_moments(p, q)
    z = (draws - mean) / np.sqrt(variance)
    for k, expected in ((1, 0.0), (2, 1.0), (3, skewness)):
        error = np.std(z**k) / np.sqrt(len(z))
        assert abs(np.mean(z**k) - expected) < 4 * error, (k, np.mean(z**k), expected)


def test_null_moments_in_float32_agree_with_float64() -> None:
    """The tolerance is smaller than any Monte-Carlo error."""
    x, y = (RNG.normal(size=(400, 30)).astype(np.float32) for _ in range(2))
    for estimator in ("unbiased", "biased"):
        measure = sim.measures.CKA(estimator=estimator)
        single, double = (
            measure.null_moments(measure.prepare(a), measure.prepare(b))
            for a, b in ((x, y), (x.astype("float64"), y.astype("float64")))
        )
        np.testing.assert_allclose(single[1:], double[1:], rtol=1e-5)
        np.testing.assert_allclose(single[0], double[0], rtol=1e-5, atol=1e-9)


def test_null_moments_are_not_offered_for_the_angular_form() -> None:
    assert sim.measures.CKA().offers("null_moments")
    assert not sim.measures.CKA(form="angular").offers("null_moments")
    assert sim.measures.CKA(form="angular").offers("null")


def test_null_moments_are_undefined_if_all_permutations_give_one_value() -> None:
    measure = sim.measures.CKA(estimator="biased")
    p = measure.prepare(np.asarray([[0.0], [1.0]]))
    with pytest.raises(sim.Undefined, match="every permutation"):
        measure.null_moments(p, p)


@pytest.mark.parametrize("unbiased", [True, False])
def test_inner_orders_agrees_with_inner_in_every_implementation(
    unbiased: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    n = 31  # not a multiple of four, which the compiled kernel unrolls
    ps, qs = sides(n, 5, unbiased=unbiased), sides(n, 40, unbiased=unbiased)
    orders = RNG.permuted(np.tile(np.arange(n), (5, 1)), axis=1)
    expected = [_linalg.inner(ps["gram"], qs["gram"].permute(o)) for o in orders]
    for entries in (2e8, 0):  # numpy, then numba
        monkeypatch.setattr(_reordered, "_WORTH_COMPILING", entries)
        for read in (36.0, 0.0):  # rows if they are cheaper, then always Grams
            monkeypatch.setattr(_reordered, "_READ", read)
            for a, b in itertools.product(ps.values(), qs.values()):
                got = _linalg.inner_orders(a, b, orders)
                np.testing.assert_allclose(got, expected, rtol=1e-10)


@pytest.mark.parametrize(
    "measure",
    [sim.measures.RSA(), sim.measures.CKA(kernel=sim.measures.RBF())],
    ids=str,
)
def test_the_number_of_threads_does_not_change_a_null(
    measure: sim.Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_reordered, "_WORTH_COMPILING", 0)
    p, q = (measure.prepare(RNG.normal(size=(40, d))) for d in (5, 7))
    orders = RNG.permuted(np.tile(np.arange(40), (9, 1)), axis=1)
    found = []
    for threads in (1, 3):
        with sim.config(threads=threads):
            found.append(measure.null(p, q, orders))
    np.testing.assert_array_equal(found[0], found[1], strict=True)
    one = [measure.compare(p, measure.permute(q, order)) for order in orders]
    np.testing.assert_allclose(found[0], one, rtol=1e-10)


def test_null_in_float32_agrees_with_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_reordered, "_WORTH_COMPILING", 0)
    monkeypatch.setattr(_reordered, "_READ", 0.0)
    x = RNG.normal(size=(50, 20)).astype(np.float32)
    y = x + RNG.normal(size=(50, 20)).astype(np.float32)
    orders = RNG.permuted(np.tile(np.arange(50), (5, 1)), axis=1)
    for estimator in ("unbiased", "biased"):
        measure = sim.measures.CKA(estimator=estimator)
        got = measure.null(measure.prepare(x), measure.prepare(y), orders)
        wide = [measure.prepare(v.astype(np.float64)) for v in (x, y)]
        expected = [
            measure.compare(wide[0], measure.permute(wide[1], o)) for o in orders
        ]
        np.testing.assert_allclose(got, expected, atol=1e-6)


def test_inner_products_agree_for_all_memory_budgets() -> None:
    """Three budgets: the whole matrix, its upper half, or nothing is stored."""
    rows = RNG.normal(size=(700, 3))
    kernel = OfDistances()
    forms, values = [], []
    for budget in (2**30, 9 * 2**20, 2**20):
        with sim.config(memory_budget=budget):
            two = [_linalg.gram(r, kernel, unbiased=True) for r in (rows, rows[:, :2])]
            forms.append((len(two[0].panels), two[0].source is None))
            pair = [_linalg.inner(*two), *(_linalg.inner(m, m) for m in two)]
            values.append([*pair, *np.ravel(_linalg.inner_all(two))])
            order = RNG.permutation(700)
            moved = _linalg.inner(two[0].permute(order), two[1].permute(order))
            np.testing.assert_allclose(moved, pair[0], rtol=1e-10)
    assert forms == [
        (3, True),
        (14, False),
        (0, False),
    ]
    np.testing.assert_allclose(values[1], values[0], rtol=1e-10)
    np.testing.assert_allclose(values[2], values[0], rtol=1e-10)
