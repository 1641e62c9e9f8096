"""The matrix: colors, numbers and marks are those of the results."""

from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, plots


@pytest.fixture(scope="module")
def found() -> sim.Results:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 6))
    near = x + 0.5 * rng.normal(size=x.shape)
    wide = rng.normal(size=(40, 60))  # for which no mean_cca exists
    noise = rng.normal(size=(40, 6))
    reps = {"x": x, "near": near, "wide": wide, "noise": noise}
    return sim.compare(reps, ["cka", "mean_cca", "procrustes"], permutations=19)


def test_cells_are_the_scores(found: sim.Results, tmp_path: Path) -> None:
    axes, data = plots.plot_matrix(found, "cka")
    table = found.matrix("cka")
    (image,) = axes.images
    np.testing.assert_array_equal(np.ma.filled(image.get_array(), np.nan), table)
    np.testing.assert_array_equal(data["value"].reshape(4, 4), table)
    assert [text.get_text() for text in axes.get_xticklabels()] == list(found.names)
    assert list(data["b"][:4]) == list(found.names)
    axes.figure.savefig(tmp_path / "matrix.png")
    assert (tmp_path / "matrix.png").stat().st_size > 5_000


def test_crosses_are_pairs_like_random_ones(found: sim.Results) -> None:
    axes, _ = plots.plot_matrix(found, "cka")
    q = found.matrix("cka", "q")
    crosses = {(int(y), int(x)) for x, y in axes.collections[0].get_offsets()}
    assert crosses == set(zip(*map(tuple, np.nonzero(q >= 0.05)), strict=True))
    assert (0, 3) in crosses
    assert (0, 1) not in crosses
    written = {tuple(map(int, text.get_position()[::-1])) for text in axes.texts}
    assert written == {(i, j) for i in range(4) for j in range(4) if i != j} - crosses


def test_what_does_not_exist_is_left_open(found: sim.Results) -> None:
    axes, data = plots.plot_matrix(found, "mean_cca")
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
def test_darker_is_more_alike(found: sim.Results, measure: str, value: str) -> None:
    axes, _ = plots.plot_matrix(found, measure, value=value)
    (image,) = axes.images
    table = found.matrix(measure, value)
    light = image.cmap(image.norm(table))[..., :3].sum(axis=-1)
    assert light[0, 1] < light[0, 3]


def test_many_have_no_names_on_the_axes() -> None:
    rng = np.random.default_rng(1)
    reps = {f"r{i}": rng.normal(size=(12, 2)) for i in range(61)}
    axes, data = plots.plot_matrix(sim.compare(reps, "cka", permutations=0))
    assert axes.get_xticks().size == 0
    assert axes.get_xlabel() == "61 representations"
    assert not axes.texts
    assert data["value"].size == 61**2


def test_own_axes_and_mistakes(found: sim.Results) -> None:
    from matplotlib.figure import Figure

    mine = Figure().subplots()
    assert plots.plot_matrix(found, "cka", axes=mine).axes is mine
    with pytest.raises(InvalidInput, match="measure must be one of cka, mean_cca"):
        plots.plot_matrix(found)
    with pytest.raises(InvalidInput, match="there are no rows of 'rsa'"):
        plots.plot_matrix(found, "rsa")
    with pytest.raises(InvalidInput, match="choose from score"):
        plots.plot_matrix(found, "cka", value="reason")
