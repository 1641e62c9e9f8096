"""Results as a plot and as an HTML table with escaped names."""

import re
from dataclasses import replace
from html import escape, unescape

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, Results
from similitude.advice import CODES


@pytest.fixture(scope="module")
def found() -> Results:
    rng = np.random.default_rng(0)
    x, y, z, w = rng.normal(size=(4, 40, 6))
    wide = rng.normal(size=(40, 60))  # mean_cca is undefined
    reps = {"x": x, "near": x + 0.5 * y, "wide": wide}
    twins = {"x": y, "near": z, "wide": w}
    measures = ["cka", "mean_cca", "procrustes"]
    return sim.compare(reps, measures, baselines={"untrained": twins}, permutations=19)


def cells(results: Results) -> list[list[str]]:
    """The cells of the HTML table: the headings, then the rows."""
    lines = re.findall(r"<tr>(.*?)</tr>", results._repr_html_())
    return [[unescape(c) for c in re.findall(r"<t[hd]>(.*?)</t", s)] for s in lines]


def test_plot_shows_the_matrix_of_the_results(found: Results) -> None:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    axes = found.plot("cka", value="calibrated")
    assert isinstance(axes, Axes)
    shown = np.ma.filled(axes.images[0].get_array(), np.nan)
    np.testing.assert_array_equal(shown, found.matrix("cka", "calibrated"))
    given = Figure().subplots()
    assert found.plot("procrustes", ax=given) is given


def test_plot_needs_a_measure_only_if_there_are_several(found: Results) -> None:
    only = replace(found, rows=tuple(r for r in found.rows if r.label == "procrustes"))
    expected = np.array(only.matrix("procrustes"))
    np.fill_diagonal(expected, np.nan)  # hatched: it is not a comparison
    np.testing.assert_array_equal(
        np.ma.filled(only.plot().images[0].get_array(), np.nan), expected
    )
    with pytest.raises(InvalidInput, match="one of cka, mean_cca, procrustes"):
        found.plot()


def test_html_table_has_all_rows(found: Results) -> None:
    headings, *lines = cells(found)
    expected = "measure,a,b,score,95 % CI,null,p,untrained,advice,reason"
    assert headings == expected.split(",")
    assert len(lines) == len(found.rows)
    for line, row in zip(lines, found.rows, strict=True):
        assert line[:3] == [row.label, row.a, row.b]
        untrained = row.baselines.get("untrained")
        numbers = [row.score, row.low, row.high, row.null_mean, row.p, untrained]
        low_and_high = re.findall(r"[^][, ]+", line[4]) or ["-", "-"]
        shown = [line[3], *low_and_high, *line[5:8]]
        for text, value in zip(shown, numbers, strict=True):
            if value is None:
                assert text == "-"
            else:
                assert float(text.lstrip("<= ")) == pytest.approx(value, abs=5e-4)
        assert line[8] == ", ".join(row.advice)
        assert line[9] == ("" if row.status == "ok" else f"undefined: {row.reason}")
    assert {row.status for row in found.rows} == {"ok", "undefined"}
    assert any(row.baselines for row in found.rows)
    assert any(row.low is not None for row in found.rows)
    codes = {code for row in found.rows for code in row.advice}
    assert codes
    page = found._repr_html_()
    for code in codes:
        assert f"<p>{escape(f'{code}: {CODES[code]}')}</p>" in page


def test_empty_columns_are_omitted_from_the_html_table(found: Results) -> None:
    row = replace(
        found.rows[0],
        low=None,
        high=None,
        p=None,
        null_mean=None,
        baselines={},
        advice=(),
    )
    assert cells(Results((row,)))[0] == ["measure", "a", "b", "score"]
    assert cells(Results(())) == [["measure", "a", "b", "score"]]


def test_names_are_escaped_in_html(found: Results) -> None:
    name = "<script>alert('x')</script> & \"more\""
    row = found.rows[0]
    row = replace(row, a=name, label=name, baselines={name: 0.5}, advice=())
    page = Results((row,))._repr_html_()
    assert "<script" not in page
    assert "'x'" not in page
    assert page.count("&lt;script&gt;") == 3
    headings, line = cells(Results((row,)))
    assert (line[0], line[1], headings[-1]) == (name, name, name)


def test_html_of_many_rows_has_the_content_of_the_text() -> None:
    """Every measure, its grid and its findings; not the first rows of one measure."""
    rng = np.random.default_rng(0)
    reps = {
        model: {f"<layer{i}>": rng.normal(size=(20, 3)) for i in range(3)}
        for model in ("a", "b")
    }
    found = sim.compare(reps, ["cka", "mutual_knn"], permutations=0)
    page = found._repr_html_()
    assert unescape(page.removeprefix("<pre>").removesuffix("</pre>")) == found.table(
        100
    )
    assert "<layer" not in page
    assert "differs most between a and b" in page
    assert "mutual_knn: " in page
