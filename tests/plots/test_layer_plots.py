"""Layer x layer plots and maps match the results."""

import itertools
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.text import Text
from sklearn.manifold import smacof

import similitude as sim
from similitude import InvalidInput, plots
from similitude.plots._maps._mds import metric_mds


@pytest.fixture(scope="module")
def results() -> sim.Results:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 4))
    reps = {
        model: {
            f"layer{j}": np.tanh(j * x @ rng.normal(size=(4, 5)) / 2)
            + 0.4 * rng.normal(size=(40, 5))
            for j in range(1, 4 + (model == "wide"))
        }
        for model in ("deep", "wide", "other")
    }
    return sim.compare(reps, ["cka", "procrustes"], permutations=19)


def test_plot_layers_draws_one_model_against_another(results: sim.Results) -> None:
    axes = plots.plot_layers(results, "cka", models=("deep", "wide"))
    assert isinstance(axes, Axes)
    table = results.matrix("cka")[:3, 3:7]
    drawn = np.ma.filled(axes.images[0].get_array(), np.nan)
    np.testing.assert_array_equal(drawn, table)
    assert axes.images[0].origin == "upper"  # the order of the text table
    assert [t.get_text() for t in axes.get_yticklabels()] == [
        "layer1",
        "layer2",
        "layer3",
    ]
    assert len(axes.get_xticklabels()) == 4
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("deep", "wide")
    within = plots.plot_layers(results, "cka", models=("deep", "deep"))
    assert within.images[0].get_array().shape == (3, 3)
    given = plt.figure().subplots()
    assert plots.plot_layers(results, "cka", models=("wide", "deep"), ax=given) is given


def test_plot_layers_needs_two_models(results: sim.Results) -> None:
    with pytest.raises(InvalidInput, match="two of the models: deep, wide, other"):
        plots.plot_layers(results, "cka")
    with pytest.raises(
        InvalidInput, match=r"'none' is not compared\. Choose from deep"
    ):
        plots.plot_layers(results, "cka", models=("deep", "none"))
    arrays = np.random.default_rng(0).normal(size=(3, 20, 2))
    flat = sim.compare(dict(zip("abc", arrays, strict=True)), "cka", permutations=0)
    with pytest.raises(InvalidInput, match="not layers of models"):
        plots.plot_layers(flat, "cka")


def test_two_models_are_the_default(results: sim.Results) -> None:
    rng = np.random.default_rng(1)
    reps = {m: {"one": rng.normal(size=(20, 3))} for m in ("a", "b")}
    axes = plots.plot_layers(sim.compare(reps, "cka", permutations=0))
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("a", "b")


def distances(points: np.ndarray) -> np.ndarray:
    return np.linalg.norm(points[:, None] - points[None], axis=-1)


def test_mds_recovers_points_of_the_plane() -> None:
    points = np.random.default_rng(0).normal(size=(12, 2))
    table = distances(points)
    found, stress = metric_mds(table)
    assert stress < 1e-4
    np.testing.assert_allclose(distances(found), table, atol=1e-3)
    table[0, 1] = table[1, 0] = np.nan  # an undefined pair
    found, stress = metric_mds(table)
    assert stress < 1e-4
    np.testing.assert_allclose(distances(found), distances(points), atol=5e-3)


@pytest.mark.parametrize("seed", range(3))
def test_mds_has_no_more_stress_than_scikit_learn(seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(20, 6))
    table = distances(points)
    own, stress = metric_mds(table)
    other, _ = smacof(table, n_init=8, max_iter=1000, eps=1e-9, random_state=0)
    upper = np.triu_indices(20, 1)

    def naive_stress(found: np.ndarray) -> float:
        errors = (table - distances(found))[upper]
        return np.sqrt(np.sum(errors**2) / np.sum(table[upper] ** 2))

    np.testing.assert_allclose(stress, naive_stress(own), rtol=1e-10)
    assert stress <= 1.01 * naive_stress(other)


def test_mds_is_deterministic_with_fixed_axes() -> None:
    table = distances(np.random.default_rng(4).normal(size=(9, 3)))
    first, _ = metric_mds(table)
    second, _ = metric_mds(table)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose((first.T @ first)[0, 1], 0.0, atol=1e-8)
    assert np.all(np.ptp(first, axis=0) > 0)


def test_plot_map_draws_points_and_states_the_stress(results: sim.Results) -> None:
    axes = plots.plot_map(results, "procrustes")
    assert isinstance(axes, Axes)
    table = results.matrix("procrustes")
    points, stress = metric_mds(table)
    drawn = np.concatenate([line.get_xydata() for line in axes.lines])
    np.testing.assert_allclose(drawn, points)
    assert axes.get_title() == f"procrustes: stress {stress:.2f}"
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["deep", "wide", "other"]
    colors = [line.get_color() for line in axes.lines]
    assert len(set(colors)) == 3
    assert "1 - cka" in plots.plot_map(results, "cka", ax=axes).get_title()


def test_names_on_a_map_do_not_overlap() -> None:
    rng = np.random.default_rng(5)
    base = rng.normal(size=(30, 3))
    reps = {
        f"representation {i}": base + (0.1 + i % 3) * rng.normal(size=(30, 3))
        for i in range(30)
    }
    axes = plots.plot_map(sim.compare(reps, "cka", permutations=0))
    axes.figure.draw_without_rendering()
    assert sorted(t.get_text() for t in axes.texts) == sorted(reps)
    boxes = [Text.get_window_extent(text) for text in axes.texts]
    pairs = itertools.combinations(boxes, 2)
    assert not any(a.overlaps(b) for a, b in pairs)


def test_a_map_names_undefined_pairs_and_refuses_lonely_points() -> None:
    rng = np.random.default_rng(6)
    x = rng.normal(size=(30, 4))
    wide = rng.normal(size=(30, 60))  # mean_cca is undefined
    reps = {"a": x, "b": x + rng.normal(size=x.shape), "c": x[:, :2], "wide": wide}
    found = sim.compare(reps, ["mean_cca", "cka"], permutations=0)
    with pytest.raises(InvalidInput, match="wide has no mean_cca score"):
        plots.plot_map(found, "mean_cca")
    row = next(r for r in found.rows if r.label == "cka" and r.b == "wide")
    gone = replace(row, status="undefined", score=None, reason="for a test")
    rows = tuple(gone if r is row else r for r in found.rows)
    axes = plots.plot_map(replace(found, rows=rows), "cka")
    assert axes.get_title().endswith("undefined pairs left out: 1")
    two = sim.compare({"a": x, "b": wide}, "cka", permutations=0)
    with pytest.raises(InvalidInput, match="three or more"):
        plots.plot_map(two)


def test_names_with_dollar_signs_are_drawn_as_they_are(tmp_path) -> None:
    """Matplotlib would read the text between dollar signs as mathematics."""
    rng = np.random.default_rng(0)
    layers = {"$\\bad{$": rng.normal(size=(20, 3)), "b$c$": rng.normal(size=(20, 3))}
    reps = {"$m$": layers, "n": {name: rows + 1 for name, rows in layers.items()}}
    found = sim.compare(reps, {"$cka": sim.measures.CKA()}, permutations=0)
    for draw in (plots.plot_matrix, plots.plot_layers, plots.plot_map):
        axes = draw(found, ax=plt.figure().subplots())
        axes.figure.savefig(tmp_path / "names.png")
    axes = plots.plot_layers(found)
    assert axes.get_xticklabels()[0].get_text() == "\\$\\bad{\\$"


def test_a_picture_has_the_untrained_scores_next_to_the_scores(
    results: sim.Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [replace(row, baselines={"untrained": 0.25}) for row in results.rows]
    drawn = []
    monkeypatch.setattr(
        plots._pictures, "plot_matrix", lambda *args, **options: drawn.append(options)
    )
    with_twins = replace(results, rows=tuple(rows))
    plots.save_results(with_twins, tmp_path / "a.png")
    assert [each["value"] for each in drawn] == ["score", "untrained"] * 2
    assert {each["vmin"] for each in drawn} == {None}
    drawn.clear()
    plots.save_results(with_twins, tmp_path / "a.png", colors="data")
    scores = [row.score for row in rows if row.label == "cka"]
    for each in drawn[:2]:  # one scale, so that the panels can be compared
        assert (each["vmin"], each["vmax"]) == (
            min(0.25, *scores),
            max(0.25, *scores),
        )
    with pytest.raises(InvalidInput, match="choose 'range' or 'data'"):
        plots.save_results(results, tmp_path / "a.png", colors="auto")
