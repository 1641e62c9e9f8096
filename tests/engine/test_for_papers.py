"""Exports for a paper: LaTeX, the methods sentence, p-values, the diagonal."""

import csv
import dataclasses
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude.measures import RECORDS

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5))
REPS = {
    "net_1/conv{1}": X,
    "50%&more": X @ RNG.normal(size=(5, 4)) + 0.5 * RNG.normal(size=(60, 4)),
    "c": RNG.normal(size=(60, 3)),
}


def found(**options: object) -> sim.Results:
    return sim.compare(REPS, ["cka", "procrustes", "mutual_knn"], rng=0, **options)


def test_latex_table_has_one_line_per_row_with_escaped_names() -> None:
    text = found().to_latex()
    lines = text.splitlines()
    assert lines[0] == r"\begin{tabular}{lllrlrr}"
    assert lines[1:4:2] == [r"\toprule", r"\midrule"]
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]
    body = lines[4:-2]
    assert len(body) == 9
    assert all(line.count(" & ") == 6 and line.endswith(r"\\") for line in body)
    assert body[0].startswith(r"net\_1/conv\{1\} & 50\%\&more & cka & 0.")
    assert r"[0." in body[0]
    assert r"$< 1 \cdot 10^{-6}$" in body[0]
    assert any(r"$\leq 0.005$" in line for line in body)


def test_latex_table_compiles(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    page = r"\documentclass{article}\usepackage{booktabs}\begin{document}"
    (tmp_path / "t.tex").write_text(page + found().to_latex() + r"\end{document}")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)


def test_columns_without_values_are_left_out_of_the_latex_table() -> None:
    plain = sim.compare(REPS, "procrustes", permutations=0).to_latex()
    assert plain.startswith(r"\begin{tabular}{lllr}")


def test_baselines_are_columns_of_the_latex_table() -> None:
    twins = {name: RNG.normal(size=x.shape) for name, x in REPS.items()}
    text = found(baselines={"un_trained": twins}).to_latex()
    assert r" & un\_trained \\" in text


def test_exported_p_is_the_printed_bound_and_never_zero(tmp_path: Path) -> None:
    table = found()
    assert min(row.p for row in table.rows if row.p is not None) < 1e-6
    table.to_csv(tmp_path / "table.csv")
    lines = list(csv.DictReader((tmp_path / "table.csv").read_text().splitlines()))
    assert list(lines[0])[:10] == [
        *("a", "b", "measure", "score", "low", "high", "null", "p", "q", "n")
    ]
    for exported in (
        [float(line[name]) for line in lines for name in ("p", "q")],
        [row[name] for row in table.to_dict()["rows"] for name in ("p", "q")],
        table.to_pandas()[["p", "q"]].to_numpy().ravel().tolist(),
    ):
        assert min(exported) == 1e-6


@pytest.mark.parametrize("name", ["cka", "procrustes", "mutual_knn", "mean_cca"])
def test_diagonal_of_the_matrix_is_the_score_with_itself(name: str) -> None:
    table = sim.compare(REPS, name, permutations=0).matrix(name)
    expected = [float(sim.MEASURES[name](x, x)) for x in REPS.values()]
    np.testing.assert_allclose(np.diag(table), expected, atol=1e-7)


def test_diagonal_is_missing_where_the_score_with_itself_varies() -> None:
    for value, measure in (("score", "cycle_knn"), ("p", "cka"), ("low", "cka")):
        table = sim.compare(REPS, measure).matrix(measure, value)
        assert np.isnan(np.diag(table)).all()


def test_methods_sentence_names_what_a_reader_needs() -> None:
    twins = {name: RNG.normal(size=x.shape) for name, x in REPS.items()}
    text = found(baselines={"untrained": twins}).sentence()
    for part in (
        "3 representations of 60 stimuli",
        "cka (kernel=linear, estimator=unbiased",
        "mutual_knn (k=10",
        "95 % confidence intervals by jackknife, 20 groups (cka)",
        "199 permutations of the rows (procrustes, mutual_knn)",
        "Baselines: untrained.",
        f"Computed with similitude {sim.__version__}.",
    ):
        assert part in text
    assert "\n" not in text


def test_methods_sentence_leaves_out_options_without_effect() -> None:
    linear = sim.compare(REPS, "cka").sentence()
    assert "cka (kernel=linear, estimator=unbiased, form=similarity)." in linear
    graph = sim.compare(REPS, "cka(kernel=knn)").sentence()
    assert "cka (kernel=knn(k=10), estimator=unbiased, form=similarity)." in graph


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("procrustes", {"folds": 4}),
        ("linear_regression", {"folds": 4}),
        ("imd", {"draws": 50, "estimator": "exact"}),
        ("rtd", {"quantile": 0.5, "normalize": "median"}),
    ],
)
def test_options_without_effect_are_refused(name: str, options: dict) -> None:
    first = next(iter(options))
    assert first not in RECORDS[name](**dict(list(options.items())[1:])).in_effect
    with pytest.raises(sim.InvalidInput, match=f"{first}= does nothing without"):
        RECORDS[name](**options)


def test_methods_sentence_names_the_reducer_of_stored_activations(
    tmp_path: Path,
) -> None:
    store = sim.store.open_store(tmp_path / "reps", create=True)
    for name, values in REPS.items():
        store.put(sim.Representation(name, values), reducer="mean")
    text = sim.compare(tmp_path / "reps", "cka").sentence()
    assert "Activations reduced by mean." in text


def test_methods_sentence_takes_braces_of_an_unknown_test_as_text() -> None:
    results = found()
    rows = [dataclasses.replace(row, p_method="{a}") for row in results.rows]
    assert "{a}" in dataclasses.replace(results, rows=rows).sentence()
