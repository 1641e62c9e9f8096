"""Code that uses measures does not contain names of measures."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import similitude as sim
from similitude import MEASURES
from similitude.measures import DEFAULT, RECORDS, find_measure

SRC = Path(sim.__file__).parent
USERS = ("stats", "advice", "engine", "plots", "cli")
NAMES = frozenset(RECORDS) | {record.__name__ for record in RECORDS.values()}


def names_of_measures(source: str) -> list[str]:
    """Names of measures in code: identifiers, attributes and words in strings.

    Docstrings are exempt.
    """
    tree = ast.parse(source)
    exempt = {id(text) for text in _docstrings(tree)}
    return sorted(
        f"line {getattr(node, 'lineno', 0)}: {word}"
        for node in ast.walk(tree)
        if id(node) not in exempt
        for text in _texts(node)
        for word in re.findall(r"\w+", text)
        if word in NAMES
    )


def _docstrings(tree: ast.AST) -> Iterator[ast.AST]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, kinds) and ast.get_docstring(node) is not None:
            yield node.body[0].value  # type: ignore[attr-defined]


def _texts(node: ast.AST) -> Iterator[str]:
    """All strings of a node; names are in `id`, `attr`, `arg`, `name` and others."""
    for _, value in ast.iter_fields(node):
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from (item for item in value if isinstance(item, str))


@pytest.mark.parametrize(
    "path",
    [path for package in USERS for path in sorted((SRC / package).rglob("*.py"))],
    ids=lambda path: str(path.relative_to(SRC)),
)
def test_code_does_not_name_a_measure(path: Path) -> None:
    assert names_of_measures(path.read_text()) == []


@pytest.mark.parametrize(
    "line",
    [
        "shown = {'cka': 20}",
        "if measure.name == 'cka': pass",
        "text = f'{n} rows: use cka or more'",
        "from ..measures import cka",
        "from ..measures import other as cka",
        "from ..measures.cka import other",
        "score = measures.cka(x, y)",
        "def f(cka): pass",
        "def cka(): pass",
        "f(cka=1)",
        "isinstance(measure, CKA)",
        "'deconfounded_cka'",
        "def f():\n    global cka",
        "match x:\n    case {'a': cka}: pass",
    ],
)
def test_names_of_measures_are_detected(line: str) -> None:
    (found,) = names_of_measures(f'"""Such as cka."""\n{line}')
    assert found.endswith(("cka", "CKA"))


def test_docstrings_and_similar_words_are_exempt() -> None:
    source = '"""cka"""\ndef f():\n    """As cka does."""\n    return "ckas", uncka\n'
    assert names_of_measures(source) == []


def test_find_measure_accepts_aliases_and_suggests_names() -> None:
    assert find_measure("cca") == MEASURES["mean_cca"]
    assert find_measure("knn") == MEASURES["mutual_knn"]
    assert find_measure("rv") == sim.measures.CKA(estimator="biased")
    with pytest.raises(sim.InvalidInput, match="Did you mean 'churn'"):
        find_measure("chrun")
    with pytest.raises(sim.InvalidInput, match=r"needs the networks. inputs"):
        find_measure("dcka")


def test_aliases_are_unique() -> None:
    aliases = [alias.name for record in RECORDS.values() for alias in record.aliases]
    assert len(set(aliases)) == len(aliases)
    assert not set(aliases) & set(RECORDS)
    for name in {*aliases} - {"dcka"}:
        assert isinstance(find_measure(name), sim.Measure)
    assert set(DEFAULT) <= set(MEASURES)
    assert set(RECORDS) - set(MEASURES) == {"deconfounded_cka"}


def test_rows_of_an_alias_have_the_label_of_the_measure() -> None:
    reps = {"a": [[1, 2], [3, 5], [4, 4]], "b": [[1, 1], [2, 3], [5, 4]]}
    rows = sim.compare(reps, ["cca", "rv"], permutations=0).rows
    assert [row.measure for row in rows] == ["mean_cca", "cka"]
    assert [row.label for row in rows] == ["mean_cca", "cka(estimator=biased)"]
