"""SVCCA against its definition, and against the published computation."""

import numpy as np
import pytest
import scipy

import similitude as sim
from similitude.measures.cca._svcca import kept

RNG = np.random.default_rng(8)
SHARED = RNG.normal(size=(80, 5))


def representation(width: int) -> np.ndarray:
    """Rows with a decaying spectrum that depend partly on SHARED."""
    rows = SHARED @ RNG.normal(size=(5, width)) + RNG.normal(size=(80, width))
    return rows / np.arange(1, width + 1) ** 1.5 + RNG.normal(size=width)


X, Y = representation(12), representation(9)


def naive_kept(s: np.ndarray, threshold: float) -> int:
    return next(k for k in range(1, len(s) + 1) if s[:k].sum() >= threshold * s.sum())


def naive(x: np.ndarray, y: np.ndarray, power: int, threshold: float = 0.99) -> float:
    """Scores on the kept principal components, then CCA by an eigenproblem."""
    scores = []
    for v in (x, y):
        u, s, _ = np.linalg.svd(v - v.mean(axis=0), full_matrices=False)
        k = naive_kept(s**power, threshold)
        scores.append(u[:, :k] * s[:k])
    a, b = scores
    first = np.linalg.solve(a.T @ a, a.T @ b) @ np.linalg.solve(b.T @ b, b.T @ a)
    squares = np.sort(np.linalg.eigvals(first).real)[::-1][
        : min(a.shape[1], b.shape[1])
    ]
    return np.sqrt(np.clip(squares, 0, 1)).mean()


@pytest.mark.parametrize("threshold", [0.8, 0.99])
@pytest.mark.parametrize("by", ["variance", "singular_values"])
def test_svcca_equals_its_definition(by: str, threshold: float) -> None:
    power = {"variance": 2, "singular_values": 1}[by]
    for x, y in ((X, Y), (Y, X)):
        got = sim.svcca(x, y, by=by, threshold=threshold)
        np.testing.assert_allclose(got, naive(x, y, power, threshold), rtol=1e-9)


def test_the_threshold_applies_to_the_cumulative_variance() -> None:
    """Of ten equal variances all are kept at 0.99, not only those above some share."""
    white = RNG.normal(size=(80, 10))
    white = np.linalg.qr(white - white.mean(axis=0))[0]
    steep = white * [10, 1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
    measure = sim.measures.SVCCA()
    details = measure.details(measure.prepare(white), measure.prepare(steep))
    assert (details["kept_x"], details["kept_y"]) == (10, 2)  # 100 of 101.08: 0.9893


def test_kept_directions_are_the_fewest_that_reach_the_threshold() -> None:
    """Variances of 4, 2, 2 have cumulative shares of 0.5, 0.75 and 1."""
    corners = np.asarray([[a, b, c] for a in (1, -1) for b in (1, -1) for c in (1, -1)])
    x = corners * [2, 2**0.5, 2**0.5]
    for threshold, count in ((0.49, 1), (0.51, 2), (0.74, 2), (0.76, 3)):
        assert sim.measures.SVCCA(threshold=threshold).prepare(x).rank == count
    s = np.asarray([4.0, 2.0, 2.0])  # no rounding here
    assert [kept(s, t, power=1) for t in (0.5, 0.75, 0.75 + 1e-12)] == [1, 2, 3]


def test_svcca_beyond_the_rank_limit_counts_forced_correlations() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 60, 50))
    for threshold in (0.5, 0.9, 0.99):
        measure = sim.measures.SVCCA(threshold=threshold)
        p, q = measure.prepare(x), measure.prepare(y)
        details = measure.details(p, q)
        forced = max(0, details["kept_x"] + details["kept_y"] - 59)
        assert details["forced_ones"] == forced
        rho = np.linalg.svd(p.rows.T @ q.rows)[1]
        assert np.count_nonzero(rho > 1 - 1e-9) == forced
        np.testing.assert_allclose(measure(x, y), np.mean(rho), rtol=1e-12)
    assert forced > 20


def clusters() -> tuple[np.ndarray, list[np.ndarray]]:
    """60 groups of 5 points, shifted to k points of a circle."""
    legacy = np.random.RandomState(7)
    groups = [
        legacy.multivariate_normal(np.zeros(2), np.eye(2), size=5) for _ in range(60)
    ]
    clouds = []
    for k in (2, 3, 4, 5, 6, 10, 12):
        angles = 2 * np.pi * (np.arange(60) % k) / k
        moves = 10 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        clouds.append(
            np.concatenate([g + m for g, m in zip(groups, moves, strict=True)])
        )
    return np.concatenate(groups), clouds


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"variant": "as_published"}, 0.142857),
        ({"by": "singular_values"}, -0.142857),
        ({}, 0.047619),
    ],
)
def test_rank_correlation_of_svcca_with_the_number_of_clusters(
    options: dict, expected: float
) -> None:
    base, clouds = clusters()
    scores = [float(sim.svcca(base, cloud, **options)) for cloud in clouds]
    tau = scipy.stats.kendalltau([2, 3, 4, 5, 6, 10, 12], scores).statistic
    np.testing.assert_allclose(tau, expected, atol=1e-6)


def published(x: np.ndarray, y: np.ndarray) -> float:
    """The published computation, with covariances; all arrays are neurons x data."""
    reduced = []
    for acts in (x.T, y.T):
        acts = acts - acts.mean(axis=0, keepdims=True)
        _, s, vt = np.linalg.svd(acts, full_matrices=False)
        d = next(d for d in range(len(s) + 1) if s[:d].sum() > 0.99 * s.sum())
        reduced.append(np.diag(s[:d]) @ vt[:d])
    a, b = reduced
    covariance = np.cov(a, b)
    k = len(a)
    xx, xy, yy = covariance[:k, :k], covariance[:k, k:], covariance[k:, k:]
    x_max, y_max = np.abs(xx).max(), np.abs(yy).max()
    xx, yy, xy = xx / x_max, yy / y_max, xy / np.sqrt(x_max * y_max)
    roots = []
    for c in (xx, yy):
        values, vectors = np.linalg.eigh(np.linalg.pinv(c + 1e-10 * np.eye(len(c))))
        roots.append(vectors * np.sqrt(values) @ vectors.T)
    return np.linalg.svd(roots[0] @ xy @ roots[1], compute_uv=False).mean()


def test_as_published_equals_the_published_computation_on_wider_data() -> None:
    for x, y in ((X, Y), (Y, X), (X + 5, Y)):
        got = sim.svcca(x, y, variant="as_published")
        np.testing.assert_allclose(got, published(x, y), rtol=1e-7)
    assert abs(sim.svcca(X, Y) - sim.svcca(X, Y, variant="as_published")) > 1e-3


def test_conflicting_or_invalid_options_are_refused() -> None:
    with pytest.raises(sim.InvalidInput, match="by= does nothing"):
        sim.svcca(X, Y, by="singular_values", variant="as_published")
    for threshold in (0.0, 1.0, -1, np.nan):
        with pytest.raises(sim.InvalidInput, match="between 0 and 1"):
            sim.svcca(X, Y, threshold=threshold)
    with pytest.raises(sim.Undefined, match="mean of each row"):
        sim.svcca(X[:, :1], Y, variant="as_published")
