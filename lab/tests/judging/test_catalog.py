"""The catalog has each claim of the ledger once, with a judge that exists."""

import ast
import csv
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import similitude as sim
from similitude_lab.judging import PAPERS, all_claims, read_paper, tables_of
from similitude_lab.judging._catalog import check_claim
from similitude_lab.judging._controls import CONTROLS
from similitude_lab.judging._pages import find_test, study_of
from similitude_lab.judging._statistics import STATISTICS
from similitude_lab.study import STUDIES

LAB = Path(__file__).parents[2]
RESULTS = LAB / "results"
#: Numbers of claims of the documents S0 to S3.
SIZES = {"closeness": 31, "challenges": 22, "rtd": 63, "relative": 29}
RECORDS = [
    pytest.param(name, part, id=f"{name}-{i}")
    for _, name, record in all_claims()
    for i, part in enumerate(record.get("parts", [record]))
]


def test_all_141_claims_are_in_the_catalog_in_their_order() -> None:
    found = {paper: list(read_paper(paper).claims) for paper in SIZES}
    numbered = zip(SIZES.items(), "0123", strict=True)
    for (paper, size), document in numbered:
        assert found[paper] == [f"S{document}.{i}" for i in range(1, size)]
    assert sum(map(len, found.values())) == 141


def test_no_claim_is_written_twice() -> None:
    for paper in PAPERS:
        text = (LAB / "claims" / f"{paper}.toml").read_text()
        ids = [line for line in text.splitlines() if line.startswith('[claims."')]
        assert [name for name, n in Counter(ids).items() if n > 1] == []


@pytest.mark.parametrize(("name", "part"), RECORDS)
def test_a_judge_and_its_controls_exist(name: str, part: dict) -> None:
    if "statistic" in part:
        assert part["statistic"] in STATISTICS
    for control, options in part.get("controls", {}).items():
        assert control == "printed" or options.get("control", control) in CONTROLS
    for test in part.get("test", ()):
        assert find_test(test, RESULTS).exists()
    if study := study_of(part):
        assert study in STUDIES or not (RESULTS / study).exists()
    if "figure" in part and (RESULTS / part["table"]).exists():
        assert (RESULTS / part["figure"]).exists()


def test_every_test_that_judges_is_collected() -> None:
    named = {test for _, _, record in all_claims() for test in record.get("test", ())}
    files = sorted({find_test(test, RESULTS) for test in named})
    found: set[str] = set()
    for root in (LAB / "tests", LAB.parent / "tests"):
        own = [str(path) for path in files if path.is_relative_to(root)]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "--collect-only", *own],
            capture_output=True,
            text=True,
            cwd=LAB.parent,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout[-2000:]
        for line in done.stdout.splitlines():
            if "::" in line:
                path, *_, test = line.partition("[")[0].split("::")
                found.add(f"{Path(path).stem}::{test}")
    assert named <= found


def test_no_judging_test_is_skipped_always() -> None:
    for _, _, record in all_claims():
        for test in record.get("test", ()):
            tree = ast.parse(find_test(test, RESULTS).read_text())
            (node,) = (
                one
                for one in ast.walk(tree)
                if isinstance(one, ast.FunctionDef) and one.name == test.split("::")[1]
            )
            marks = [ast.unparse(mark) for mark in node.decorator_list]
            assert not any("skip(" in mark or "xfail" in mark for mark in marks)


def test_printed_numbers_stand_once_and_are_used() -> None:
    for paper in PAPERS:
        path = LAB / "published" / f"{paper}.csv"
        if not path.exists():
            continue
        with path.open(newline="") as file:
            rows = [(r["place"], r["row"], r["column"]) for r in csv.DictReader(file)]
        assert [row for row, n in Counter(rows).items() if n > 1] == []
        used = {
            part.get("printed")
            for record in read_paper(paper).claims.values()
            for part in (record, *record.get("parts", ()))
        }
        assert {place for place, *_ in rows} <= used


def test_printed_numbers_have_cells() -> None:
    """A name that no cell has would never be compared."""
    from similitude_lab.judging import Tables, judge

    for paper, name, record in all_claims():
        for part in record.get("parts", [record]):
            if "printed" in part and "statistic" in part:
                verdict = judge(
                    {**part, "controls": {}}, Tables(RESULTS), paper.printed
                )
                cells = {cell.name for cell in verdict.cells}
                assert set(paper.printed[part["printed"]]) <= cells, name


@pytest.mark.parametrize(
    "record",
    [{}, {"test": [], "figure": "f"}, {"test": [], "outcome": "holds"}, {"table": "t"}],
)
def test_a_record_with_a_wrong_field_is_an_error(record: dict) -> None:
    with pytest.raises(sim.InvalidInput, match="S9"):
        check_claim("rtd.toml, S9.1", record)


def test_claims_have_tables_of_studies_or_say_so() -> None:
    for _, name, record in all_claims():
        for table in tables_of(record):
            assert table.count("/") == 3, name
