"""Colors, numbers and crosses of plot_matrix match the results."""

import itertools
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes

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
    axes = plots.plot_matrix(results, "cka")
    table = np.array(results.matrix("cka"))
    np.fill_diagonal(table, np.nan)  # hatched: it is not a comparison
    (image,) = axes.images
    np.testing.assert_array_equal(np.ma.filled(image.get_array(), np.nan), table)
    assert [text.get_text() for text in axes.get_xticklabels()] == list(results.names)
    axes.figure.savefig(tmp_path / "matrix.png")
    assert (tmp_path / "matrix.png").stat().st_size > 5_000


def test_crosses_mark_pairs_at_chance(results: sim.Results) -> None:
    axes = plots.plot_matrix(results, "cka")
    q = results.matrix("cka", "q")
    crosses = {(int(y), int(x)) for x, y in axes.collections[0].get_offsets()}
    assert crosses == set(zip(*map(tuple, np.nonzero(q >= 0.05)), strict=True))
    assert (0, 3) in crosses
    assert (0, 1) not in crosses
    written = {tuple(map(int, text.get_position()[::-1])) for text in axes.texts}
    assert written == {(i, j) for i in range(4) for j in range(4) if i != j} - crosses


def test_undefined_pairs_are_hatched(results: sim.Results) -> None:
    axes = plots.plot_matrix(results, "mean_cca")
    shown = axes.images[0].get_array()
    assert shown.mask[2].all()
    assert not shown.mask[0, 1]
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
    axes = plots.plot_matrix(results, measure, value=value)
    (image,) = axes.images
    table = results.matrix(measure, value)
    light = image.cmap(image.norm(table))[..., :3].sum(axis=-1)
    assert light[0, 1] < light[0, 3]


def test_baselines_are_plotted_and_names_are_not_mathematics(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    reps = {name: rng.normal(size=(20, 3)) for name in ("$\\frac$", "b$1", "c")}
    twins = {name: rng.normal(size=(20, 3)) for name in reps}
    found = sim.compare(reps, "cka", baselines={"untrained": twins}, permutations=0)
    axes = plots.plot_matrix(found, value="untrained")
    table = found.matrix("cka", "untrained")
    drawn = np.ma.filled(axes.images[0].get_array(), np.nan)
    np.testing.assert_array_equal(drawn, table)
    assert np.isfinite(table[0, 1])
    axes.figure.savefig(tmp_path / "names.png")  # would fail on mathematics


def test_more_than_60_representations_are_drawn_without_names() -> None:
    rng = np.random.default_rng(1)
    reps = {f"r{i}": rng.normal(size=(12, 2)) for i in range(61)}
    axes = plots.plot_matrix(sim.compare(reps, "cka", permutations=0))
    assert axes.get_xticks().size == 0
    assert axes.get_xlabel() == "61 representations"
    assert not axes.texts
    assert axes.images[0].get_array().shape == (61, 61)


def test_given_axes_are_used_and_invalid_arguments_raise(results: sim.Results) -> None:
    from matplotlib.figure import Figure

    given = Figure().subplots()
    assert plots.plot_matrix(results, "cka", ax=given) is given
    with pytest.raises(InvalidInput, match="3 measures; choose one of cka, mean_cca"):
        plots.plot_matrix(results)
    with pytest.raises(InvalidInput, match="there are no rows of 'rsa'"):
        plots.plot_matrix(results, "rsa")
    with pytest.raises(InvalidInput, match="choose from score"):
        plots.plot_matrix(results, "cka", value="reason")


def test_colors_span_the_range_of_the_measure(results: sim.Results) -> None:
    """A CKA of 0.91 has nearly the darkest color, also next to larger scores."""
    high = np.where(np.eye(4) == 1, np.nan, 0.91)
    rows = tuple(replace(row, score=0.91) for row in results.rows)
    image = plots.plot_matrix(replace(results, rows=rows), "cka").images[0]
    np.testing.assert_array_equal(np.ma.filled(image.get_array(), np.nan), high)
    assert image.get_clim() == (0.0, 1.0)
    lowest = np.nanmin(results.matrix("cka"))
    assert lowest < 0  # unrelated rows, by chance
    assert plots.plot_matrix(results, "cka").images[0].get_clim() == (lowest, 1.0)
    assert plots.plot_matrix(results, "cka", value="p").images[0].get_clim() == (0, 1)
    distance = plots.plot_matrix(results, "procrustes").images[0]
    assert distance.get_clim() == sim.measures.Procrustes().claims().range
    given = plots.plot_matrix(results, "cka", vmin=0.5, vmax=0.75, cmap="gray")
    assert given.images[0].get_clim() == (0.5, 0.75)
    assert given.images[0].cmap.name == "gray"


def test_an_infinite_range_ends_at_the_largest_score() -> None:
    rng = np.random.default_rng(0)
    reps = {name: rng.normal(size=(30, 4)) for name in "abc"}
    found = sim.compare(reps, sim.measures.PermutationProcrustes(), permutations=0)
    (measure,) = found.measures
    limits = plots.plot_matrix(found).images[0].get_clim()
    assert limits == (0.0, np.nanmax(found.matrix(measure)))


def test_order_cluster_puts_similar_representations_together() -> None:
    rng = np.random.default_rng(2)
    bases = rng.normal(size=(3, 30, 4))
    reps = {
        f"{group}{i}": bases["abc".index(group)] + 0.2 * rng.normal(size=(30, 4))
        for i in range(4)
        for group in "abc"
    }
    found = sim.compare(reps, "cka", permutations=0)
    axes = plots.plot_matrix(found, order="cluster")
    shown = [text.get_text() for text in axes.get_yticklabels()]
    assert sorted(shown) == sorted(reps)
    groups = [name[0] for name in shown]
    assert len(list(itertools.groupby(groups))) == 3
    places = [found.names.index(name) for name in shown]
    table = found.matrix("cka")[np.ix_(places, places)]
    np.fill_diagonal(table, np.nan)
    drawn = np.ma.filled(axes.images[0].get_array(), np.nan)
    np.testing.assert_array_equal(drawn, table)
    some = plots.plot_matrix(found, order=["c0", "a1"])
    assert [text.get_text() for text in some.get_xticklabels()] == ["c0", "a1"]
    for wrong in ("size", ["c0", "c0"], ["none"], []):
        with pytest.raises(InvalidInput, match="order"):
            plots.plot_matrix(found, order=wrong)


@pytest.fixture(scope="module")
def sixty_layers() -> sim.Results:
    rng = np.random.default_rng(3)
    reps = {
        f"network number {i}": {
            f"layer{j}": rng.normal(size=(12, 2)) for j in range(12)
        }
        for i in range(5)
    }
    return sim.compare(reps, "cka", permutations=0)


def overlapping(axes, texts: list) -> list[tuple[str, str]]:
    """Pairs of texts that overlap, or leave the figure (paired with "edge")."""
    axes.figure.draw_without_rendering()
    boxes = [(t.get_text(), t.get_window_extent()) for t in texts if t.get_text()]
    edge = axes.figure.bbox.padded(0.5)
    cut = [(name, "edge") for name, b in boxes if not (edge.contains(b.x0, b.y0))]
    cut += [(name, "edge") for name, b in boxes if not (edge.contains(b.x1, b.y1))]
    return cut + [
        (a, b)
        for (a, box), (b, other) in itertools.combinations(boxes, 2)
        if box.padded(-0.5).overlaps(other.padded(-0.5))
    ]


@pytest.mark.parametrize("current", [False, True], ids=["own figure", "small figure"])
def test_names_and_brackets_of_60_layers_do_not_overlap(
    current, sixty_layers: sim.Results
) -> None:
    if current:
        plt.figure()
    axes = plots.plot_matrix(sixty_layers)
    assert len(plt.get_fignums()) == 1
    names = [*axes.get_xticklabels(), *axes.get_yticklabels()]
    models = [t for t in axes.texts if t.get_text().startswith("network")]
    assert len(names) == 120
    assert {t.get_text() for t in names} == {f"layer{j}" for j in range(12)}
    assert len(models) == 10
    assert overlapping(axes, names + models) == []
    brackets = [line for line in axes.lines if line.get_marker() in (1, 2)]
    ends = [tuple(line.get_ydata()) for line in brackets if line.get_marker() == 1]
    assert ends == [(12 * i - 0.35, 12 * i + 11.35) for i in range(5)]


def test_current_axes_are_used_if_they_are_empty(results: sim.Results) -> None:
    _, (left, right) = plt.subplots(1, 2)
    plt.sca(left)
    assert plots.plot_matrix(results, "cka") is left
    assert plt.gca() is left
    other = plots.plot_matrix(results, "procrustes")  # left has an image
    assert other is not left
    assert other is not right
    assert other.figure is plt.gcf()
    assert isinstance(other, Axes)
