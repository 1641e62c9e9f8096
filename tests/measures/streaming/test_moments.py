"""Scores from sums over batches equal the scores of all rows together."""

import functools
import json
import pickle

import numpy as np
import pytest

import similitude as sim
from similitude.measures._sums import Sums
from similitude.measures._surrogate import surrogate
from similitude.streaming import Moments
from similitude.testing._libraries import installed


def data(n: int = 400, offset: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    shared = rng.gamma(0.7, size=(n, 3))
    x = shared @ rng.normal(size=(3, 6)) + rng.normal(size=(n, 6))
    y = shared @ rng.normal(size=(3, 9)) + rng.normal(size=(n, 9)) ** 3
    return x + offset * x.std(axis=0), y - 2 * offset * y.std(axis=0)


def test_dead_columns_do_not_count_at_any_scale() -> None:
    """The mean of a constant 7e60 has a rounding error, which is not a direction."""
    x, y = data()
    x[:, 3] = 7.0
    for scale in (1e-60, 1.0, 1e60):
        moments = streamed(scale * x, y, [100, 150, 150])
        np.testing.assert_allclose(moments.mean_cca(), sim.mean_cca(x, y), rtol=1e-10)


def streamed(x: np.ndarray, y: np.ndarray, sizes: list[int]) -> Moments:
    moments = Moments()
    start = 0
    for size in sizes:
        moments.update(x[start : start + size], y[start : start + size])
        start += size
    assert start == len(x)
    return moments


RESULTS = {
    "cka": [{}, {"estimator": "biased"}, {"form": "angular"}],
    "mean_cca": [{}, {"form": "squared"}, {"shrinkage": 0.1}],
    "svcca": [{}, {"by": "singular_values", "threshold": 0.8}],
    "pwcca": [{}, {"variant": "symmetrized"}],
    "procrustes": [{}, {"form": "similarity"}, {"form": "squared"}],
    "linear_regression": [{}, {"ridge": 3.0}],
}


def assert_equals_full_batch(
    moments: Moments, x: np.ndarray, y: np.ndarray, rtol: float
) -> None:
    for name, options in RESULTS.items():
        for chosen in options:
            expected = getattr(sim, name)(x, y, **chosen)
            got = getattr(moments, name)(**chosen)
            np.testing.assert_allclose(got, expected, rtol=rtol, err_msg=name)


@pytest.mark.parametrize("name", RESULTS)
def test_assert_equals_full_batch_fails_if_one_score_is_wrong(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of 1e-9 in any one score is enough."""
    x, y = data()
    moments = streamed(x, y, [400])
    correct = getattr(Moments, name)
    monkeypatch.setattr(
        Moments, name, lambda self, **options: correct(self, **options) * (1 + 1e-9)
    )
    with pytest.raises(AssertionError, match=name):
        assert_equals_full_batch(moments, x, y, rtol=1e-10)


@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_streaming_equals_full_batch(offset: float) -> None:
    x, y = data(offset=offset)
    assert_equals_full_batch(streamed(x, y, [100] * 4), x, y, rtol=1e-10)
    assert_equals_full_batch(streamed(x, y, [1, 3, 17, 300, 79]), x, y, rtol=1e-10)


def test_streaming_of_float32_batches_equals_full_batch() -> None:
    x, y = (v.astype(np.float32) for v in data(offset=1e3))
    assert_equals_full_batch(streamed(x, y, [100] * 4), x, y, rtol=1e-6)


@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_any_merge_order_equals_full_batch(offset: float) -> None:
    """Even if parts are far from each other: sorted rows, with an outlier first."""
    x, y = data(offset=offset)
    order = np.argsort(x[:, 0])
    x, y = x[order], y[order]
    x[0] += 50.0
    rows = np.split(np.arange(400), [5, 6, 200, 380])
    parts = [Moments().update(x[r], y[r]) for r in rows]
    fresh = [pickle.loads(pickle.dumps(part)) for part in parts]
    forwards = functools.reduce(Moments.merge, fresh, Moments())
    backwards = functools.reduce(Moments.merge, parts[::-1], Moments())
    halves = Moments().merge(parts[1]).merge(parts[3])
    tree = Moments().merge(parts[4]).merge(parts[0]).merge(parts[2]).merge(halves)
    for merged in (forwards, backwards, tree):
        assert merged.n == 400
        assert_equals_full_batch(merged, x, y, rtol=1e-10)


def test_merge_does_not_change_the_other_moments() -> None:
    x, y = data(60)
    first, second = Moments().update(x[:30], y[:30]), Moments().update(x[30:], y[30:])
    before = second.cka()
    first.merge(second).update(x, y)
    np.testing.assert_array_equal(second.cka(), before)
    assert (first.n, second.n) == (120, 30)


def test_moved_sums_equal_direct_sums() -> None:
    x, y = data(50)
    sums = streamed(x, y, [20, 30])._sums.moved(x[3], y[4])
    a, b = x - x[3], y - y[4]
    aa, bb = np.sum(a**2, axis=1), np.sum(b**2, axis=1)
    expected = {
        "n": 50,
        "x": a.sum(axis=0),
        "y": b.sum(axis=0),
        "xx": a.T @ a,
        "xy": a.T @ b,
        "yy": b.T @ b,
        "x_xx": aa @ a,
        "x_yy": bb @ a,
        "y_xx": aa @ b,
        "y_yy": bb @ b,
        "xx_xx": aa @ aa,
        "xx_yy": aa @ bb,
        "yy_yy": bb @ bb,
    }
    for name, value in expected.items():
        np.testing.assert_allclose(getattr(sums, name), value, rtol=1e-12, err_msg=name)


def test_state_survives_a_round_trip_through_json() -> None:
    x, y = data(60)
    moments = streamed(x, y, [60])
    written = json.dumps(
        {k: np.asarray(v).tolist() for k, v in moments.state().items()}
    )
    restored = Moments.from_state(json.loads(written))
    np.testing.assert_array_equal(restored.cka(), moments.cka())
    assert Moments.from_state(Moments().state()).n == 0
    with pytest.raises(sim.InvalidInput, match="entries"):
        Moments.from_state({"n": 3})


def test_batches_of_any_array_library_equal_full_batch() -> None:
    x, y = data(60)
    expected = streamed(x, y, [60])
    for library in installed(("torch", "array_api_strict")):
        a, b = library.asarray(x), library.asarray(y)
        got = Moments().update(a[:20, :], b[:20, :]).update(a[20:, :], b[20:, :])
        assert_equals_full_batch(got, x, y, rtol=1e-10)
    assert repr(expected) == "<Moments of 60 rows of 6 and 9 columns>"


def test_rank_deficient_and_dead_columns_equal_full_batch() -> None:
    x, y = data()
    x = np.column_stack([x, x[:, 0], np.full(400, 0.1), x[:, 1] - x[:, 2]])
    assert_equals_full_batch(streamed(x, y, [150, 250]), x, y, rtol=1e-12)


@pytest.mark.parametrize("n", [6, 12, 15])
def test_few_rows_are_undefined_as_in_full_batch(n: int) -> None:
    """The rank limits use the number of rows seen, not the rows of the surrogate."""
    x, y = data(n)
    moments = streamed(x, y, [n])
    np.testing.assert_allclose(moments.procrustes(), sim.procrustes(x, y), rtol=1e-12)
    for name in ("mean_cca", "linear_regression"):
        try:
            expected = getattr(sim, name)(x, y)
        except sim.Undefined:
            with pytest.raises(sim.Undefined):
                getattr(moments, name)()
        else:
            np.testing.assert_allclose(getattr(moments, name)(), expected, rtol=1e-12)


def test_surrogate_has_the_covariances_of_all_rows() -> None:
    x, y = data(40)
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    sums = Sums.from_batch(*sim.inputs.admit("points", x, y))
    a, b = surrogate(sums)
    assert len(a) == len(b) == 16
    np.testing.assert_allclose(a.mean(axis=0), 0, atol=1e-13)
    np.testing.assert_allclose(a.T @ a, x.T @ x, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(a.T @ b, x.T @ y, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(b.T @ b, y.T @ y, rtol=1e-10, atol=1e-10)


def test_too_few_rows_and_invalid_batches_are_refused() -> None:
    x, y = data(60)
    with pytest.raises(sim.Undefined, match="4 rows"):
        Moments().update(x[:3], y[:3]).cka()
    with pytest.raises(sim.Undefined, match="have 0"):
        Moments().procrustes()
    with pytest.raises(sim.InvalidInput, match="6 and 9"):
        Moments().update(x, y).update(x, y[:, :4])
    with pytest.raises(sim.InvalidInput, match="row 2"):
        Moments().update(x, np.where(np.arange(60)[:, None] == 2, np.nan, y))
    with pytest.raises(sim.InvalidInput, match="overflow"):
        Moments().update(x * 1e90, y)
    constant = (
        Moments()
        .update(np.full((9, 2), 0.1), y[:9])
        .update(np.full((9, 2), 0.1), y[9:18])
    )
    for name in RESULTS:
        with pytest.raises(sim.Undefined):
            getattr(constant, name)()
    with pytest.raises(sim.InvalidInput, match="estimator"):
        Moments().update(x, y).cka(estimator="none")


def test_merge_refuses_an_array() -> None:
    with pytest.raises(sim.InvalidInput, match="got ndarray"):
        Moments().merge(data()[0])
