"""Colors, numbers and crosses of plot_matrix match the results."""

from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, plots


@pytest.fixture(scope="module")
def results() -> sim.Results:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 6))
    near = x + 0.5 * rng.normal(size=x.shape)
    wide = rng.normal(size=(40, 60))  # mean_cca is undefined
    noise = rng.normal(size=(40, 6))
    reps = {"x": x, "near": near, "wide": wide, "noise": noise}
    return sim.compare(reps, ["cka", "mean_cca", "procrustes"], permutations=19)


def test_cells_show_the_scores(results: sim.Results, tmp_path: Path) -> None:
    axes, data = plots.plot_matrix(results, "cka")
    table = results.matrix("cka")
    (image,) = axes.images
    np.testing.assert_array_equal(np.ma.filled(image.get_array(), np.nan), table)
    np.testing.assert_array_equal(data["value"].reshape(4, 4), table)
    assert [text.get_text() for text in axes.get_xticklabels()] == list(results.names)
    assert list(data["b"][:4]) == list(results.names)
    axes.figure.savefig(tmp_path / "matrix.png")
    assert (tmp_path / "matrix.png").stat().st_size > 5_000


def test_crosses_mark_pairs_at_chance(results: sim.Results) -> None:
    axes, _ = plots.plot_matrix(results, "cka")
    q = results.matrix("cka", "q")
    crosses = {(int(y), int(x)) for x, y in axes.collections[0].get_offsets()}
    assert crosses == set(zip(*map(tuple, np.nonzero(q >= 0.05)), strict=True))
    assert (0, 3) in crosses
    assert (0, 1) not in crosses
    written = {tuple(map(int, text.get_position()[::-1])) for text in axes.texts}
    assert written == {(i, j) for i in range(4) for j in range(4) if i != j} - crosses


def test_undefined_pairs_are_hatched(results: sim.Results) -> None:
    axes, data = plots.plot_matrix(results, "mean_cca")
    shown = axes.images[0].get_array()
    assert shown.mask[2].all()
    assert not shown.mask[0, 1]
    assert np.isnan(data["value"].reshape(4, 4)[2]).all()
    assert axes.patch.get_hatch()


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("cka", "score"),
        ("procrustes", "score"),
        ("cka", "p"),
        ("procrustes", "calibrated"),
    ],
)
def test_darker_is_more_similar(results: sim.Results, measure: str, value: str) -> None:
    axes, _ = plots.plot_matrix(results, measure, value=value)
    (image,) = axes.images
    table = results.matrix(measure, value)
    light = image.cmap(image.norm(table))[..., :3].sum(axis=-1)
    assert light[0, 1] < light[0, 3]


def test_baselines_are_plotted_and_names_are_not_mathematics(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    reps = {name: rng.normal(size=(20, 3)) for name in ("$\\frac$", "b$1", "c")}
    twins = {name: rng.normal(size=(20, 3)) for name in reps}
    found = sim.compare(reps, "cka", baselines={"untrained": twins}, permutations=0)
    axes, data = plots.plot_matrix(found, value="untrained")
    table = found.matrix("cka", "untrained")
    np.testing.assert_array_equal(data["value"].reshape(3, 3), table)
    assert np.isfinite(table[0, 1])
    axes.figure.savefig(tmp_path / "names.png")  # would fail on mathematics


def test_more_than_60_representations_are_drawn_without_names() -> None:
    rng = np.random.default_rng(1)
    reps = {f"r{i}": rng.normal(size=(12, 2)) for i in range(61)}
    axes, data = plots.plot_matrix(sim.compare(reps, "cka", permutations=0))
    assert axes.get_xticks().size == 0
    assert axes.get_xlabel() == "61 representations"
    assert not axes.texts
    assert data["value"].size == 61**2


def test_given_axes_are_used_and_invalid_arguments_raise(results: sim.Results) -> None:
    from matplotlib.figure import Figure

    given = Figure().subplots()
    assert plots.plot_matrix(results, "cka", axes=given).axes is given
    with pytest.raises(InvalidInput, match="3 measures; choose one of cka, mean_cca"):
        plots.plot_matrix(results)
    with pytest.raises(InvalidInput, match="there are no rows of 'rsa'"):
        plots.plot_matrix(results, "rsa")
    with pytest.raises(InvalidInput, match="choose from score"):
        plots.plot_matrix(results, "cka", value="reason")
