"""Identifiability plots draw the returned data."""

import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest

from similitude import InvalidInput, MissingExtra, SoftmaxModel
from similitude_lab import challenges
from similitude_lab.closeness import plots

MODELS = challenges.workshop_models(0, per_label=50)


def drawn_points(axes, i: int = 0) -> np.ndarray:
    return np.asarray(axes.collections[i].get_offsets())


def points_of_classes(axes) -> np.ndarray:
    """The points of all classes: every second collection is an entry of the legend."""
    count = len(axes.collections)
    return np.concatenate([drawn_points(axes, i) for i in range(0, count, 2)])


def test_plot_h_draws_h_or_the_log_loss() -> None:
    axes = challenges.plot_h()
    (line,) = axes.lines
    v = line.get_xdata()
    np.testing.assert_array_equal(line.get_ydata(), challenges.h(v))
    assert (v[0], v[-1]) == (0.0, 1000.0)
    axes = challenges.plot_h([10.0, 1e4], scale="log", ax=plt.figure().subplots())
    expected = -challenges.h(np.array([10.0, 1e4]))
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), expected)
    assert axes.get_yscale() == "log"


def test_plot_bounds_draws_pairs_below_the_limit_and_both_bounds() -> None:
    d_llv, d_fg = np.array([0.1, 0.2, 0.4]), np.array([0.01, 0.05, 0.2])
    axes = plots.plot_term_bound(d_llv, d_fg, dimension=2)
    shown = drawn_points(axes)
    np.testing.assert_array_equal(shown, np.stack([d_llv, d_fg], axis=1)[:2])
    assert "2 of 3 pairs" in axes.get_title()
    published, derived = axes.lines
    x = published.get_xdata()
    np.testing.assert_allclose(published.get_ydata(), 4 * x)
    np.testing.assert_allclose(derived.get_ydata(), 2 * x**2)
    low, high = axes.get_ylim()
    assert low <= shown[:, 1].min()
    assert high >= shown[:, 1].max()
    plt.figure()
    everything = plots.plot_term_bound(d_llv, d_fg, dimension=2, largest=np.inf)
    assert len(drawn_points(everything)) == 3
    assert everything.get_title() == ""
    plt.figure()
    none = plots.plot_term_bound([0.5], [0.1], dimension=2)
    assert len(drawn_points(none)) == 0
    assert "0 of 1" in none.get_title()


def test_plot_representations_draws_f_and_g_of_each_model() -> None:
    axes, data = plots.plot_representations(
        MODELS.prime, MODELS.star, names=("prime", "star"), label_names=list("abcd")
    )
    assert axes.shape == (2, 2)
    for i, model in enumerate((MODELS.prime, MODELS.star)):
        f, g = points_of_classes(axes[i, 0]), points_of_classes(axes[i, 1])
        order = np.argsort(model.predictions(), kind="stable")
        np.testing.assert_array_equal(f, model.embeddings[order])
        np.testing.assert_array_equal(g, model.unembeddings)
        in_table = np.stack([data["x"], data["y"]], axis=1)[data["model"] == i]
        both = np.concatenate([model.embeddings, model.unembeddings])
        np.testing.assert_array_equal(in_table, both)
        np.testing.assert_array_equal(
            data["label"][data["model"] == i],
            np.concatenate([model.predictions(), np.arange(4)]),
        )
        names = [t.get_text() for t in axes[i, 1].get_legend().get_texts()]
        assert names == list("abcd")
    assert "prime" in axes[0, 0].get_title()
    # A label has the same color in all panels.
    colors = [[c.get_facecolors()[0] for c in p.collections] for p in axes.ravel()]
    for others in colors[1:]:
        np.testing.assert_array_equal(colors[0], others)


def test_plot_representations_uses_given_colors_and_candidates() -> None:
    model = SoftmaxModel(
        MODELS.star.embeddings, MODELS.star.unembeddings, np.array([2, 0])
    )
    axes, data = plots.plot_representations(model, colors=MODELS.labels)
    np.testing.assert_array_equal(data["label"][:-2], MODELS.labels)
    np.testing.assert_array_equal(data["label"][-2:], [2, 0])
    np.testing.assert_array_equal(
        points_of_classes(axes[0, 1]), MODELS.star.unembeddings[[0, 2]]
    )


def test_given_axes_are_used() -> None:
    from matplotlib.figure import Figure

    left, right = Figure().subplots(1, 2)
    assert challenges.plot_h(ax=left) is left
    assert plots.plot_term_bound([0.1], [0.0], dimension=1, ax=right) is right


def test_current_axes_are_the_default() -> None:
    axes = plt.figure().subplots()
    assert challenges.plot_h() is axes
    assert challenges.plot_h([1.0, 2.0]) is axes
    assert len(axes.lines) == 2
    plt.close("all")
    assert challenges.plot_h() is plt.gca()


def test_plots_can_be_saved_as_png(tmp_path) -> None:
    for name, axes in {
        "h": challenges.plot_h(),
        "bounds": plots.plot_term_bound([0.1, 0.2], [0.0, 0.01], dimension=2),
        "representations": plots.plot_representations(MODELS.star).axes[0, 0],
    }.items():
        axes.figure.savefig(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 5_000


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: challenges.plot_h(scale="loud"),
        lambda: challenges.plot_h([np.nan]),
        lambda: plots.plot_term_bound([0.1, 0.2], [0.1], dimension=2),
        lambda: plots.plot_term_bound([0.1], [0.1], dimension=0),
        lambda: plots.plot_term_bound([0.1], [0.1], dimension=2, largest=-1.0),
        lambda: plots.plot_representations(),
        lambda: plots.plot_representations(np.zeros((3, 2))),
        lambda: plots.plot_representations(SoftmaxModel(np.eye(3), np.eye(3))),
        lambda: plots.plot_representations(MODELS.star, names=("a", "b")),
        lambda: plots.plot_representations(MODELS.star, label_names=("a", "b")),
        lambda: plots.plot_representations(MODELS.star, colors=[0, 1]),
    ],
)
def test_invalid_arguments_raise(wrong) -> None:
    with pytest.raises(InvalidInput):
        wrong()


def test_without_matplotlib_the_error_names_the_extra(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtra, match="pip install 'matplotlib"):
        challenges.plot_h()


@pytest.mark.parametrize("largest", [None, np.inf])
def test_plot_bounds_of_zero_distances_does_not_warn(largest: float | None) -> None:
    """Identical axis limits would give a warning."""
    axes = plots.plot_term_bound([0.0, 0.0], [0.0, 0.0], dimension=2, largest=largest)
    assert axes.get_xlim()[1] > 0
