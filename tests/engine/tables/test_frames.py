"""Results as data frames, CSV files and labelled matrices."""

import csv
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import similitude as sim

RNG = np.random.default_rng(0)
X, Y, Z = (RNG.normal(size=(30, d)) for d in (4, 3, 5))
FIRST = ["a", "b", "measure", "score", "low", "high", "null", "p", "q"]


@pytest.fixture(scope="module")
def found() -> sim.Results:
    return sim.compare(
        {"a": X, "b": Y, "c": Z},
        [sim.measures.CKA(estimator="biased"), "mean_cca"],
        permutations=19,
        baselines={"untrained": {"a": X**2, "b": Y**2}},
    )


def test_all_tables_have_the_same_readable_columns_first(found, tmp_path: Path) -> None:
    found.to_csv(tmp_path / "t.csv")
    with (tmp_path / "t.csv").open() as file:
        lines = list(csv.reader(file))
    polars, pandas = found.to_polars(), found.to_pandas()
    assert lines[0] == list(polars.columns) == list(pandas.columns)
    assert lines[0][:11] == [*FIRST, "n", "baseline_untrained"]
    assert polars["score"].to_list() == [row.score for row in found.rows]
    assert pandas["null"].tolist() == [row.null_mean for row in found.rows]
    assert set(pandas["measure_name"]) == {"cka", "mean_cca"}
    assert len(lines) - 1 == len(polars) == len(pandas) == 6
    untrained = pandas["baseline_untrained"]
    assert untrained.notna().sum() == 2  # only a and b have twins


def test_empty_results_have_columns() -> None:
    empty = sim.Results(())
    assert list(empty.to_pandas().columns)[:9] == FIRST
    assert empty.to_polars().columns[:9] == FIRST


def test_a_missing_library_is_named(found, monkeypatch) -> None:
    for library, call in (
        ("pandas", found.to_pandas),
        ("pandas", found.matrix("mean_cca").to_pandas),
        ("polars", found.to_polars),
    ):
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(sim.MissingExtra, match=f"a {library} data frame needs"):
            call()


def test_a_matrix_has_names_and_is_an_array(found) -> None:
    matrix = found.matrix("mean_cca")
    score = float(sim.mean_cca(X, Z))
    assert matrix.names == ("a", "b", "c")
    assert matrix["a", "c"] == matrix[0, 2] == matrix["a"][2] == score
    assert type(np.asarray(matrix)) is np.ndarray
    assert type(matrix[:2]) is type(matrix + 1) is type(matrix[:, :1]) is np.ndarray
    assert np.nanmax(matrix) == np.nanmax(np.asarray(matrix))
    frame = matrix.to_pandas()
    assert frame.loc["a", "c"] == score
    again = pickle.loads(pickle.dumps(matrix))
    assert again.names == matrix.names
    np.testing.assert_array_equal(again, matrix)
    with pytest.raises(sim.InvalidInput, match="'d' is not compared"):
        matrix["a", "d"]


def test_the_text_of_a_matrix_shows_the_names(found, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = repr(found.matrix("mean_cca")).splitlines()
    assert lines[0].split() == ["a", "b", "c"]
    assert [line.split()[0] for line in lines[1:]] == ["a", "b", "c"]
    assert len({len(line) for line in lines}) == 1
    long = sim.engine.LabelledMatrix(np.eye(2), ["a" * 50, "b" * 50])
    assert repr(long).startswith("array(")
    assert "<th>b</th>" in found.matrix("mean_cca")._repr_html_()
