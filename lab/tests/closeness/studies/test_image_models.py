"""Embeddings of images: rays, their order, and losses against m_CCA."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from similitude.inputs import SoftmaxModel
from similitude.networks.data import load_dataset

pytest.importorskip("torch")
pytest.importorskip("matplotlib")

from similitude_lab.closeness import train_models
from similitude_lab.closeness.figures import FigureRequest, _drawings, draw_figure
from similitude_lab.closeness.studies import _cifar10_reps as reps
from similitude_lab.closeness.studies import _image_models as images
from similitude_lab.closeness.studies import _loss_vs_mcca as losses
from similitude_lab.study import run_study

CSV = {"delimiter": ",", "names": True, "dtype": None, "encoding": "utf-8"}


def circle(angles: np.ndarray) -> np.ndarray:
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def test_orders_of_rays_are_equal_for_rotations_and_reflections_only() -> None:
    angles = 2 * np.pi * np.arange(10) / 10
    order = reps._cyclic_order(circle(angles))
    assert order == tuple(range(10))
    assert reps._cyclic_order(circle(angles + 2.0)) == order
    assert reps._cyclic_order(circle(1.0 - angles)) == order
    swapped = angles.copy()
    swapped[[3, 4]] = swapped[[4, 3]]
    assert reps._cyclic_order(circle(swapped)) != order


def test_rays_are_near_their_mean_direction_and_full_sectors_half() -> None:
    centers = 2 * np.pi * np.arange(10) / 10
    g = 20 * circle(centers)
    rays = SoftmaxModel(np.repeat(circle(centers), 50, axis=0), g)
    assert reps._near_ray(rays) == 1.0
    everywhere = circle(2 * np.pi * (np.arange(5000) + 0.5) / 5000)
    assert reps._near_ray(SoftmaxModel(everywhere, g)) == pytest.approx(0.5, abs=0.01)


def test_only_separate_narrow_classes_have_rays() -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(10), 100)
    centers = 2 * np.pi * labels / 10
    narrow, wide = np.radians(3) * rng.normal(size=(2, 1000))
    lengths = rng.uniform(1, 20, size=(1000, 1))
    assert reps.rays(lengths * circle(centers + narrow), labels) == 10
    full = rng.uniform(-np.pi / 10, np.pi / 10, size=(50, 1000))
    sectors = [reps.rays(circle(centers + angles), labels) for angles in full]
    assert 4 < np.mean(sectors) < 6  # sectors without gaps are at the limit
    assert reps.rays(circle(wide), labels) == 0  # one direction for all
    assert reps.rays(rng.normal(size=(1000, 2)), labels) == 0
    merged = np.where(labels == 1, 0.0, centers)  # two classes share a ray
    assert reps.rays(circle(merged + narrow), labels) == 8


@pytest.mark.parametrize("seed", range(3))
def test_untrained_networks_have_no_rays(seed: int) -> None:
    torch = pytest.importorskip("torch")
    from similitude_lab.closeness.networks import SoftmaxNetworks

    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, size=(200, 3, 32, 32)).astype(np.float32)
    for kind in ("SmallCIFAR10", "SmallResNetCIFAR10"):
        networks = SoftmaxNetworks(10, 16, model_type=kind, seed=seed).eval()
        with torch.no_grad():
            f = networks.embeddings(torch.from_numpy(x)).numpy()
        assert reps.rays(f, rng.integers(10, size=200)) == 0


def test_the_interval_of_a_strong_correlation_excludes_weak_ones() -> None:
    rng = np.random.default_rng(1)
    loss = rng.normal(size=10)
    index = np.array(np.triu_indices(10, 1))
    gaps = np.abs(loss[index[0]] - loss[index[1]])
    assert losses._jackknife_interval(-gaps, loss, index) == pytest.approx((-1,) * 3)
    noise = rng.normal(size=45)
    rho, low, high = losses._jackknife_interval(noise, loss, index)
    assert low < 0 < high
    assert rho == pytest.approx(stats.spearmanr(noise, gaps).statistic)
    three = np.array(np.triu_indices(3, 1))
    rho, *few = losses._jackknife_interval(gaps[:3], loss[:3], three)
    assert np.isfinite(rho)
    assert np.isnan(few).all()
    constant = np.full(45, 0.5)  # no correlation, so no interval either
    assert np.isnan(losses._jackknife_interval(constant, loss, index)).all()


def test_five_seeds_almost_never_exclude_strong_correlations() -> None:
    """Without any relation: a verdict on five seeds must not call this a failure."""
    rng = np.random.default_rng(0)
    index = np.array(np.triu_indices(5, 1))
    weak = 0
    for _ in range(100):
        place = rng.normal(size=(5, 3))
        m_cca = -np.linalg.norm(place[index[0]] - place[index[1]], axis=1)
        _, *limits = losses._jackknife_interval(m_cca, rng.normal(size=5), index)
        weak += losses.strength(2, *limits)["strongest_2"] < losses.STRONG
    assert weak <= 5


@pytest.mark.parametrize(
    ("folder", "name"),
    [("small", "first, 0 to 9"), ("new_seeds", "new, 10 to 16")],
)
def test_the_replication_in_the_docs_is_that_of_the_committed_tables(
    folder: str, name: str
) -> None:
    root = Path(__file__).parents[4]
    results = root / "lab/results/closeness"
    models, pairs = (
        np.genfromtxt(results / "cifar10-reps" / folder / file, **CSV)
        for file in ("models.csv", "pairs.csv")
    )
    index = np.searchsorted(models["seed"], [pairs["seed_a"], pairs["seed_b"]])
    rho, low, high = losses._jackknife_interval(pairs["m_cca"], models["loss"], index)
    other = (~pairs["same_order"]).sum()
    cells = (
        *(name, str(len(models)), f"{models['accuracy'].mean():.3f}"),
        *(f"{models['rays'].mean():.1f}", f"{np.median(pairs['m_cca']):.2f}"),
        *(f"{other} of {len(pairs)}", f"{rho:.2f} ({low:.2f} to {high:.2f})"),
    )
    assert f"| {' | '.join(cells)} |" in (root / "docs/papers.md").read_text()


@pytest.mark.parametrize(
    ("low", "high", "decided"),
    [
        (-0.3, 0.4, 1.0),
        (-0.9, 0.6, 0.0),  # it has 0 and strong correlations
        (-0.9, -0.2, 1.0),
        (0.1, 0.3, 1.0),  # a relation, but a weak one
        (np.nan, np.nan, 0.0),
    ],
)
def test_an_interval_with_0_and_strong_correlations_decides_nothing(
    low: float, high: float, decided: float
) -> None:
    assert losses.strength(2, low, high)["decided_2"] == decided


def test_each_model_and_the_first_two_are_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On digits instead of CIFAR-10, which tests do not download."""
    setting = reps.STUDY.settings["smoke"]
    plan = images._experiment(setting, 2, 3)
    train_models(plan, tmp_path / "models", date="2026-01-01", threads=1)
    found, digits = [("2026-01-01", plan)], load_dataset("digits")
    monkeypatch.setattr(_drawings, "experiments_in", lambda request, dataset: found)
    monkeypatch.setattr(_drawings, "load_dataset", lambda *_, **__: digits)
    request = FigureRequest(checkpoints=tmp_path / "models")
    drawn = draw_figure("cifar10_reps", request, tmp_path / "figures")
    assert {path.stem for path in drawn.files} == {
        "smallcifar10_embedding_comparison_0_1",
        *(f"smallcifar10_seed{i}_embeddings_unembeddings" for i in range(3)),
    }
    assert len(drawn.files) == 3 * 4
    train = replace(request, split="train")
    text = draw_figure("cifar10_reps", train, tmp_path / "train").text
    assert text.startswith("seeds 0 and 1, train set: m_CCA")
    study = run_study("closeness/cifar10-reps", scale="smoke", out=tmp_path)
    assert f"m_CCA of embeddings {study.values['m_cca_0_1']:.4f}, KL" in drawn.text


def test_existing_checkpoints_replace_training(tmp_path: Path) -> None:
    setting = reps.STUDY.settings["smoke"]
    folder = tmp_path / "checkpoints"
    for dim, seeds in setting.seeds:
        plan = images._experiment(setting, dim, seeds)
        train_models(plan, folder, date="2026-01-01", threads=1)
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    for name in ("closeness/cifar10-reps", "closeness/loss-vs-mcca"):
        read = run_study(name, scale="smoke", out=tmp_path / "a", results=folder)
        assert read.reused == "checkpoints"
    trained = run_study(name, scale="smoke", out=tmp_path / "b")
    assert read.to_json()["values"] == trained.to_json()["values"]
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before
