"""Snapshots of networks, their curves, and correlations over seeds."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import similitude as sim
from similitude_lab.networks import ResNet20
from similitude_lab.rtd.curves._correlations import (
    correlation_table,
    correlation_values,
    correlations,
    count_better,
    count_equal,
    curve_table,
)
from similitude_lab.rtd.curves._snapshots import compare_snapshots, take_snapshot
from similitude_lab.training.images import Images

torch = pytest.importorskip("torch")

RNG = np.random.default_rng(0)


def test_curves_are_those_of_the_measures_on_each_batch(tmp_path: Path) -> None:
    inputs = RNG.normal(size=(60, 3, 8, 8)).astype(np.float32)
    labels, ids = RNG.integers(4, size=60), np.array([f"i{k}" for k in range(60)])
    images = Images(inputs, labels, ids)
    networks = [ResNet20(4, multiplier=0.25, seed=seed).eval() for seed in range(3)]
    reference, *others = (
        take_snapshot(network, images, name=f"net{k}", out=tmp_path)
        for k, network in enumerate(networks)
    )
    batches = RNG.permutation(60).reshape(2, 30)
    curves = compare_snapshots(reference, [*others, reference], batches)
    with torch.no_grad():
        points = [n.encoder(torch.from_numpy(inputs)).numpy() for n in networks]
        classes = [n(torch.from_numpy(inputs)).argmax(1).numpy() for n in networks]
    for at in (0, 1):
        for b, rows in enumerate(batches):
            x, y = points[0][rows], points[at + 1][rows]
            np.testing.assert_allclose(curves["rtd"][at, b], sim.rtd(x, y), rtol=1e-4)
            cka = sim.cka(x, y, estimator="biased")
            np.testing.assert_allclose(curves["cka"][at, b], 1 - cka, atol=1e-5)
            wrong = [(c[rows] != labels[rows]).mean() for c in classes]
            differ = (classes[0][rows] != classes[at + 1][rows]).mean()
            expected = differ / ((wrong[0] + wrong[at + 1]) / 2)
            np.testing.assert_allclose(curves["disagreement"][at, b], expected)
            np.testing.assert_allclose(curves["error"][at, b], wrong[at + 1])
    for name in ("rtd", "cka", "disagreement"):  # the reference with itself
        np.testing.assert_array_equal(curves[name][2], 0)


def curves_of(slope: float, noise: float, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    level = np.linspace(0, 1, 12)
    made = {
        "rtd": level,
        "cka": slope * level + noise * rng.normal(size=12),
        "disagreement": 2 * level,
        "error": level**3,
    }
    return {name: np.stack([v, v + 0.1], axis=1) for name, v in made.items()}


def test_correlations_are_those_of_the_means_over_batches() -> None:
    curves = curves_of(1.0, 0.3, seed=1)
    found = correlations(curves)
    assert found["rtd_disagreement_pearson"] == pytest.approx(1)
    cka, error = (curves[name].mean(axis=1) for name in ("cka", "error"))
    assert found["cka_error_pearson"] == pytest.approx(stats.pearsonr(cka, error)[0])
    assert found["cka_error_spearman"] == pytest.approx(stats.spearmanr(cka, error)[0])


def test_points_without_a_score_are_left_out_of_all_curves() -> None:
    curves = curves_of(1.0, 0.3, seed=1)
    shorter = {name: values[:-1].copy() for name, values in curves.items()}
    curves["cka"][-1, 0] = np.nan
    assert correlations(curves) == correlations(shorter)


def test_a_constant_curve_has_no_correlation() -> None:
    curves = curves_of(1.0, 0.0, seed=0)
    curves["disagreement"][:] = 0.5
    found = correlations(curves)
    assert np.isnan(found["rtd_disagreement_pearson"])
    assert found["rtd_error_spearman"] == pytest.approx(1)


def test_the_table_pairs_both_measures_by_seed() -> None:
    networks = {
        "noise": [curves_of(1.0, 0.5, seed) for seed in range(4)],
        "blur": [curves_of(1.0, 0.0, seed) for seed in range(4)],
    }
    table = correlation_table(networks)
    assert table["experiment"][0] == "noise"
    each = [correlations(curves) for curves in networks["noise"]]
    differences = [
        one["rtd_disagreement_pearson"] - one["cka_disagreement_pearson"]
        for one in each
    ]
    interval = stats.ttest_1samp(differences, 0).confidence_interval()
    assert table["difference"][0] == pytest.approx(np.mean(differences))
    assert table["difference_low"][0] == pytest.approx(interval.low)
    assert table["difference_high"][0] == pytest.approx(interval.high)
    values = correlation_values(table)
    assert values["rtd_disagreement_noise"] == pytest.approx(1)
    assert count_better(table, kind="pearson") == 1  # in blur both are 1
    assert count_equal(table, kind="pearson") == 1


def test_the_table_of_curves_has_means_and_deviations_over_batches() -> None:
    curves = curves_of(1.0, 0.3, seed=1)
    level = np.linspace(0, 1, 12).tolist()
    table = curve_table(
        {"blur": [curves, curves]}, {"blur": level}, names=("shift", "level")
    )
    assert table["shift"] == ["blur"] * 24
    assert table["seed"] == [0] * 12 + [1] * 12
    assert table["level"] == level * 2
    np.testing.assert_allclose(table["rtd"][:12], curves["rtd"].mean(axis=1))
    np.testing.assert_allclose(table["error_sd"], 0.1 / np.sqrt(2))
