"""Whitening by Gram matrices agrees with QR, and is used only where it is certified."""

import itertools
from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude import _linalg
from similitude._base._validate import points
from similitude._linalg.bases import _gram_route
from similitude.latent.align import fit_cca
from similitude.testing import _battery, _hard

MEASURES = [
    sim.measures.MeanCCA(),
    sim.measures.MeanCCA(form="squared"),
    sim.measures.MeanCCA(shrinkage=0.1),
    sim.measures.SVCCA(),
    sim.measures.SVCCA(by="singular_values", threshold=0.9),
    sim.measures.PWCCA(),
    sim.measures.PWCCA(variant="symmetrized"),
    sim.measures.ShapeMetric(),
    sim.measures.ShapeMetric(alpha=0.0),
    sim.measures.ShapeMetric(variant="additive"),
    sim.measures.LinearRegression(),
    sim.measures.LinearRegression(ridge=0.5),
    sim.measures.GULP(),
    sim.measures.GULP(ridge=0.0),
    sim.measures.EigenspaceOverlap(),
    sim.measures.EigenspaceOverlap(center=True),
]
QR, GRAM = float("inf"), 0.0  # the least work for a Gram matrix


def score(
    measure: sim.Measure, x: Any, y: Any, least: float, patch: pytest.MonkeyPatch
) -> float | str:
    """The score if Gram matrices are tried from this work on, or the error."""
    patch.setattr(_gram_route, "_LEAST_WORK", least)
    try:
        return float(measure(x, y))
    except sim.Undefined as error:
        return str(error)


def check(measure: sim.Measure, x: Any, y: Any, patch: pytest.MonkeyPatch) -> None:
    expected = score(measure, x, y, QR, patch)
    found = score(measure, x, y, GRAM, patch)
    if isinstance(expected, str):
        assert found == expected
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-13)


def conditioned(
    n: int, d: int, condition: float, rng: np.random.Generator
) -> np.ndarray:
    """Rows whose singular values fall from 1 to 1 / condition, with means of one."""
    u = rng.normal(size=(n, d))
    u = np.linalg.qr(u - u.mean(axis=0))[0]
    v = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return (u * np.geomspace(1.0, 1.0 / condition, d)) @ v.T + 1.0


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_both_routes_agree_on_the_battery_and_on_hard_cases(
    measure: sim.Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    for draw in (*_battery.draws("points"), *_battery.other_shapes("points")):
        for x, y in itertools.permutations((draw.x, draw.y, draw.z), 2):
            check(measure, x, y, monkeypatch)
    for make in _hard.POINTS.values():
        x, y = make()
        check(measure, x, y, monkeypatch)
        check(measure, y, x, monkeypatch)


@pytest.mark.parametrize("condition", [1.0, *10.0 ** np.arange(1, 13)])
def test_both_routes_agree_at_any_condition_number(
    condition: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(int(condition) % 1000)
    x = conditioned(200, 12, condition, rng)
    y = conditioned(200, 9, 3.0, rng) + (x @ rng.normal(size=(12, 9))) / 30
    for measure in MEASURES:
        check(measure, x, y, monkeypatch)
        check(measure, y, x, monkeypatch)


@pytest.mark.parametrize(
    ("condition", "columns", "coefficients"),
    [(2.0, "rows", True), (1e3, "basis", True), (1e6, "basis", False)],
    ids=["one factor", "two factors", "QR"],
)
def test_the_condition_number_chooses_the_route(
    condition: float,
    columns: str,
    coefficients: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_gram_route, "_LEAST_WORK", GRAM)
    x = conditioned(300, 8, condition, np.random.default_rng(0))
    found = _linalg.whiten(points(x))
    assert (found.coefficients is not None) == coefficients
    own = found.columns.T @ found.columns
    orthonormal = np.linalg.norm(own - np.eye(8)) < 1e-6
    assert orthonormal == (columns == "basis")
    np.testing.assert_allclose(found.rows.T @ found.rows, np.eye(8), atol=1e-11)
    centered = x - x.mean(axis=0)
    np.testing.assert_allclose(
        found.rows @ (found.rows.T @ centered), centered, atol=1e-11
    )
    if found.coordinates is not None:
        np.testing.assert_allclose(found.rows @ found.coordinates, centered, atol=1e-11)
        np.testing.assert_allclose(centered @ found.whitening, found.rows, atol=1e-11)


def test_small_arrays_use_qr() -> None:
    x = conditioned(60, 8, 2.0, np.random.default_rng(0))
    assert _linalg.whiten(points(x)).coefficients is None
    large = conditioned(1000, 101, 2.0, np.random.default_rng(0))
    assert _linalg.whiten(points(large)).coefficients is not None


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ranks_and_dead_columns_are_those_of_qr(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dead, constant, duplicate and nearly dependent columns; offsets; tiny columns."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(90, 6))
    zeros, constant = np.zeros((90, 1)), np.full((90, 1), 0.1)
    cases = {
        "plain": x,
        "dead": np.hstack([zeros, x, zeros]),
        "constant": np.hstack([x, constant]),
        "duplicate": x[:, [0, 1, 2, 2, 3]],
        "nearly dependent": np.hstack([x, x[:, :1] + 1e-9 * rng.normal(size=(90, 1))]),
        "offset": x + 1e3,
        "one large offset": x + 1e5 * np.eye(6)[0],
        "tiny column": x * np.asarray([1, 1, 1, 1, 1, 1e-30]),
        "scales": x * np.geomspace(1e-6, 1e6, 6),
    }
    for name, values in cases.items():
        found = []
        for least in (QR, GRAM):
            monkeypatch.setattr(_gram_route, "_LEAST_WORK", least)
            white = _linalg.whiten(points(values.astype(dtype)))
            found.append((white.rank, white.dead, white.width))
        assert found[0] == found[1], name


@pytest.mark.parametrize("scale", [1e-200, 1e-130, 1e130, 1e200])
def test_extreme_scales_do_not_overflow(
    scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_gram_route, "_LEAST_WORK", GRAM)
    x = np.random.default_rng(8).normal(size=(90, 6))
    y = x[:, :4] + np.random.default_rng(9).normal(size=(90, 4))
    for measure in MEASURES:
        if (
            measure.claims().invariant_x
            >= sim.measures.LinearRegression().claims().invariant_y
        ):
            np.testing.assert_allclose(measure(x * scale, y), measure(x, y), rtol=1e-10)


def test_dead_columns_do_not_prevent_gram_matrices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_gram_route, "_LEAST_WORK", GRAM)
    rng = np.random.default_rng(3)
    x = np.maximum(rng.normal(size=(90, 6)), 0) * np.asarray([1, 0, 1, 1, 0, 1])
    white = _linalg.whiten(points(x))
    assert white.coefficients is not None
    assert (white.rank, white.dead) == (4, 2)
    np.testing.assert_allclose(white.rows.T @ white.rows, np.eye(4), atol=1e-12)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_permuting_prepared_rows_equals_preparing_permuted_rows(
    measure: sim.Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not measure.offers("permute"):
        pytest.skip("prepares permuted rows again")
    monkeypatch.setattr(_gram_route, "_LEAST_WORK", GRAM)
    x, y = (np.array(v) for v in _battery.related(np.random.default_rng(4), 80, 6, 5))
    order = np.random.default_rng(5).permutation(80)
    p, q = measure.prepare(x), measure.prepare(y)
    found = measure.compare(p, measure.permute(q, order))
    np.testing.assert_allclose(found, measure(x, y[order]), rtol=1e-10)


def test_an_affine_image_is_recognized(monkeypatch: pytest.MonkeyPatch) -> None:
    """The residual of close pairs is computed from rows, not from a difference."""
    monkeypatch.setattr(_gram_route, "_LEAST_WORK", GRAM)
    rng = np.random.default_rng(6)
    x = rng.normal(size=(200, 5))
    image = x @ rng.normal(size=(5, 5)) - 7
    assert sim.linear_regression(x, image) == pytest.approx(1.0, abs=1e-15)
    assert sim.mean_cca(x, image) == pytest.approx(1.0, abs=1e-13)
    turned = x @ np.linalg.qr(rng.normal(size=(5, 5)))[0] + 3
    assert sim.shape_metric(x, turned) < 1e-12
    assert sim.gulp(x, turned) < 1e-6


@pytest.mark.parametrize("weights", ["unit", "correlation"])
@pytest.mark.parametrize("condition", [3.0, 1e3, 1e7])
def test_maps_by_canonical_variates_are_those_of_singular_values(
    condition: float, weights: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(7)
    x = conditioned(150, 6, condition, rng)
    y = conditioned(150, 5, 4.0, rng) + x @ rng.normal(size=(6, 5)) / 20
    found = []
    for least in (QR, GRAM):
        monkeypatch.setattr(_gram_route, "_LEAST_WORK", least)
        found.append(fit_cca(x, y, weights=weights).apply(x))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-10)
