"""Arguments of `compare`: invalid ones are refused before anything is written."""

import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import similitude as sim
from engine.custom_measures import CustomMeasure, NeedsExtra
from similitude import InvalidInput, MissingExtra, Outputs, Representation, errors
from similitude.measures import CKA, RBF


def reps(count: int = 3, n: int = 30) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {f"r{i}": rng.normal(size=(n, 3 + i)) for i in range(count)}


@pytest.mark.parametrize(
    ("measures", "labels"),
    [
        ("cka", ("cka",)),
        (CKA(kernel=RBF()), ("cka(kernel=rbf)",)),
        (["cka", CKA(estimator="biased")], ("cka", "cka(estimator=biased)")),
        ((name for name in ("rsa", "cka")), ("rsa", "cka")),
        ({"mine": "cka", 3: CKA(kernel=RBF())}, ("mine", "3")),
        (["cka", CKA()], ("cka",)),  # repetitions are removed
        (CustomMeasure(), ("own",)),
    ],
)
def test_measures_may_be_names_objects_or_a_mapping(
    measures: Any, labels: tuple[str, ...]
) -> None:
    assert sim.compare(reps(2), measures, permutations=0).measures == labels


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ("cak", "no measure 'cak'. Did you mean 'cka'?"),
        (str, "<class 'str'> is not a measure; give a name such as 'cka'"),
        ([max], "<built-in function max> is not a measure"),
        (7, "7 is not a measure"),
        ([None], "None is not a measure"),
        ([["cka"]], "['cka'] is not a measure"),
        (b"cka", "is not a measure"),
        ("cka(kernal=rbf)", "cka has no option 'kernal'. Did you mean 'kernel'?"),
        ("cka(kernel=rbf", "write options as name(option=value, ...)"),
        ("cka(rbf)", "'rbf' is not option=value; write options as cka(option=value"),
        ("cka(kernel=cubic)", "cka: kernel='cubic' is not offered; choose from"),
        ("nts_e(k=3)", "nts_e has no option 'k'. It has none."),
        ([], "measures is empty"),
        ({}, "measures is empty"),
        ({"a": "cka", "b": CKA()}, "cka is given twice, as 'a' and as 'b'"),
    ],
)
def test_invalid_measures_are_refused(
    measures: Any, message: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with pytest.raises(InvalidInput) as error:
        sim.compare(reps(2), measures, out=out)
    assert message in str(error.value)
    assert not out.exists()


def test_missing_extra_is_reported_before_anything_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    monkeypatch.setitem(sys.modules, "ot", None)  # pretend it is not installed
    with pytest.raises(MissingExtra, match=r"needs_extra .* 'pot"):
        sim.compare(reps(2), ["cka", NeedsExtra()], out=out)
    assert not out.exists()


def test_error_of_a_measure_with_an_installed_extra_is_a_failed_row() -> None:
    found = sim.compare(reps(2), ["cka", NeedsExtra()], permutations=0)
    assert [row.status for row in found.rows] == ["ok", "failed"]


def test_extras_match_pyproject() -> None:
    """Each extra lists the modules of its packages."""
    project = Path(__file__).parents[3] / "pyproject.toml"
    listed = tomllib.loads(project.read_text())["project"]["optional-dependencies"]
    for_maintainers = {"all", "bench", "dev", "docs", "release", "trust"}
    assert set(errors.EXTRAS) == set(listed) - for_maintainers
    (everything,) = listed["all"]
    assert everything == f"similitude[{','.join(errors.EXTRAS)}]"
    for extra, modules in errors.EXTRAS.items():
        assert len(modules) == len(listed[extra])


def test_measure_without_a_pair_is_refused(tmp_path: Path) -> None:
    labels = Outputs(labels=np.zeros(30, dtype=int))
    mixed = {"x": reps(1)["r0"], "y": labels}
    message = "no pair to compare: cka only compares points; it skips y"
    with pytest.raises(InvalidInput, match=message):
        sim.compare(mixed, "cka", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("value", ["advice", "nothing", "label", "details"])
def test_matrix_refuses_fields_that_are_not_numbers(value: str) -> None:
    found = sim.compare(reps(), "cka", permutations=0)
    with pytest.raises(InvalidInput, match="choose from score, calibrated, p"):
        found.matrix("cka", value)
    with pytest.raises(InvalidInput, match="no rows of 'rsa'; choose from cka"):
        found.matrix("rsa")


@pytest.mark.parametrize("value", ["calibrated", "p", "q", "low", "null_sd", "n"])
def test_matrix_shows_every_numeric_field(value: str) -> None:
    found = sim.compare(reps(), "cka", permutations=5)
    table = found.matrix("cka", value)
    expected = [getattr(row, value) for row in found.rows]
    np.testing.assert_array_equal(table[np.triu_indices(3, 1)], expected)
    np.testing.assert_array_equal(table, table.T)


def test_baseline_may_have_the_name_of_a_representation() -> None:
    x = reps(2)
    named = {"untrained": x["r0"], "b": x["r1"]}
    twin = np.random.default_rng(1).normal(size=(30, 4))
    found = sim.compare(named, "cka", baselines={"untrained": twin}, permutations=0)
    assert found.names == ("untrained", "b")
    assert len(found.baseline_rows) == 2
    expected = np.mean([sim.cka(value, twin) for value in named.values()])
    np.testing.assert_allclose(found.rows[0].baselines["untrained"], expected)
    assert {row.b for row in found.baseline_rows} == {"untrained (baseline)"}


@pytest.mark.parametrize("baselines", [["untrained"], "untrained", np.eye(3)])
def test_baselines_must_be_a_mapping(baselines: Any) -> None:
    with pytest.raises(InvalidInput, match=r"baselines must be a mapping of names"):
        sim.compare(reps(2), "cka", baselines=baselines)


def test_untrained_baseline_needs_both_twins() -> None:
    """A network and its own untrained twin are not a floor for two networks."""
    twins = {name: x + 1 for name, x in reps(2, n=30).items()}
    found = sim.compare(
        reps(3), "cka", permutations=0, baselines={"untrained": twins, "seed": twins}
    )
    names = {(row.a, row.b): set(row.baselines) for row in found.rows}
    assert names == {
        ("r0", "r1"): {"untrained", "seed"},
        ("r0", "r2"): {"seed"},
        ("r1", "r2"): {"seed"},
    }


@pytest.mark.parametrize("baseline", ["", " ", 3, "two\nlines"])
def test_baseline_name_must_be_one_line_of_text(baseline: Any) -> None:
    with pytest.raises(InvalidInput, match="must be one line of text, such as 'untra"):
        sim.compare(reps(), "cka", baselines={baseline: reps()})


def test_twins_may_be_given_by_model_and_layer() -> None:
    rng = np.random.default_rng(0)
    x = [rng.normal(size=(30, 4)) for _ in range(8)]
    models = {"m": {"l1": x[0], "l2": x[1]}, "k": {"l1": x[2]}}
    twins = {"m": {"l1": x[3], "l2": x[4]}, "k": {"l1": x[5]}}
    found = sim.compare(
        models, "cka", permutations=0, baselines={"untrained": twins, "seed": twins}
    )
    last = found.rows[-1]
    assert (last.a, last.b) == ("m/l2", "k/l1")
    floor = sim.cka(x[4], x[5])
    ceiling = (sim.cka(x[1], x[4]) + sim.cka(x[2], x[5])) / 2
    np.testing.assert_allclose(last.baselines["untrained"], floor, rtol=1e-12)
    np.testing.assert_allclose(last.baselines["seed"], ceiling, rtol=1e-12)
    with pytest.raises(InvalidInput, match="names 'm/l3', which is not compared"):
        sim.compare(models, "cka", baselines={"untrained": {"m": {"l3": x[6]}}})


@pytest.mark.parametrize("how", ["exact", "common"])
def test_rows_without_ids_are_refused_if_their_order_is_ambiguous(how: Any) -> None:
    rng = np.random.default_rng(0)
    x, y, z = (rng.normal(size=(30, 4)) for _ in range(3))
    ids, reverse = np.arange(30), np.arange(30)[::-1]
    a, b = Representation("a", x, ids=ids), Representation("b", y, ids=reverse)
    message = "c does not have sample ids, and those of a and b are in different orders"
    with pytest.raises(InvalidInput, match=message):
        sim.compare([a, b, Representation("c", z)], "cka", join_ids=how)
    one_order = [a, Representation("b", y, ids=ids), Representation("c", z)]
    found = sim.compare(one_order, "cka", permutations=0, join_ids=how)
    np.testing.assert_allclose(found.rows[1].score, sim.cka(x, z), rtol=1e-12)


def test_deconfounded_cka_without_inputs_is_refused() -> None:
    with pytest.raises(InvalidInput, match="from the measures and give inputs="):
        sim.compare(reps(), ["cka", "deconfounded_cka"])


def test_unknown_join_ids_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"join_ids='all'; choose from 'exact', "):
        sim.compare(reps(2), "cka", join_ids="all")  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_error_for_nonfinite_values_names_the_sample_id(value: float) -> None:
    x, y = reps(2).values()
    y[4, 1] = value
    reverse = np.arange(30)[::-1]
    a = Representation("a", x, ids=[f"s{i}" for i in range(30)])
    b = Representation("b", y[reverse], ids=[f"s{i}" for i in reverse])
    shown = {"nan": "NaN", "inf": "inf"}[str(value)]
    with pytest.raises(InvalidInput, match=f"b: sample id s4, column 1 is {shown} "):
        sim.compare([a, b], "cka")
    with pytest.raises(InvalidInput, match=f"b: row 4, column 1 is {shown} "):
        sim.compare({"a": x, "b": y}, "cka")


def test_custom_measure_appears_in_tables_without_a_citation() -> None:
    found = sim.compare(reps(), [CustomMeasure(), "cka"], permutations=5)
    assert "own: similarity, high = same\n" in found.table()
    assert "own" not in found.cite()
    assert found.to_polars()["measure"].to_list()[:3] == ["own"] * 3
