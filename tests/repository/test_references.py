"""Files and tests named in the documents exist, and are in the repository."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "similitude"
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *DOCS.glob("*.md"),
    *DOCS.glob("families/*.md"),
]
IDS = [page.name for page in PAGES]

PATH = re.compile(r"(?<![\w/.-])(?:src|tests|docs|benchmarks|examples|lab)/[\w./-]*\w")
LINK = re.compile(r"\]\(([^)#:]+)\)")
NAMED_TEST = re.compile(r"`((?:lab/)?tests/[\w/]+\.py)::(test_\w+)`")
# References to documents that are not in the repository.
OUTSIDE = re.compile(
    r"(?<![a-z])(?:traps?|facts?|issue|deviation)[ _]#?[ab]?[0-9]+"
    r"|(?<!docs/)\b(?:core|measures|topology|identifiability|relative)\.md, "
    r"|\bcore\.md\b",
    re.IGNORECASE,
)


def missing_files(page: Path, text: str) -> list[str]:
    """Paths from the root and link targets that do not exist."""
    paths = [path for path in PATH.findall(text) if not (ROOT / path).exists()]
    links = [link for link in LINK.findall(text) if not (page.parent / link).exists()]
    return paths + links


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_files_named_in_the_documents_exist(page: Path) -> None:
    assert missing_files(page, page.read_text()) == []


def test_missing_files_are_detected() -> None:
    text = "see `tests/none.py`, [a page](docs/none.md), and `src/similitude/errors.py`"
    found = missing_files(ROOT / "README.md", text)
    assert found == ["tests/none.py", "docs/none.md", "docs/none.md"]


def test_architecture_lists_exactly_the_packages() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    named = set(re.findall(r"`(\w+/|\w+\.py)`", text.split("\n## ")[2]))
    packages = {p.name for p in SRC.glob("*.py")} - {"__init__.py"}
    packages |= {f"{p.parent.name}/" for p in SRC.glob("*/__init__.py")}
    assert named == packages


def test_architecture_lists_every_family_of_measures() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    families = {p.parent.name for p in (SRC / "measures").glob("*/__init__.py")}
    assert set(re.findall(r"`measures/(\w+)`", text)) == families - {"streaming"}


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_tests_named_in_the_documents_exist(page: Path) -> None:
    for path, name in NAMED_TEST.findall(page.read_text()):
        assert f"def {name}(" in (ROOT / path).read_text(), f"{path} has no {name}"


def test_every_pitfall_names_a_test() -> None:
    entries = (ROOT / "docs" / "pitfalls.md").read_text().split("\n### ")[1:]
    assert len(entries) > 20
    for entry in entries:
        assert NAMED_TEST.search(entry), entry.splitlines()[0]


def test_every_hard_case_of_extraction_names_a_test() -> None:
    page = (ROOT / "docs" / "extraction.md").read_text()
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", page, re.M)
    assert [int(number) for number, _ in rows] == list(range(1, 33))
    assert all(NAMED_TEST.search(row) for _, row in rows)
    assert len({NAMED_TEST.search(row)[2] for _, row in rows}) == len(rows)


def test_no_file_refers_to_documents_outside_the_repository() -> None:
    folders = ("src", "tests", "docs", "benchmarks", "examples", "lab")
    files = [ROOT / "CHANGELOG.md", *PAGES]
    files += [p for folder in folders for p in (ROOT / folder).rglob("*.py")]
    assert len(files) > 100
    for path in set(files) - {Path(__file__)}:
        found = OUTSIDE.search(path.read_text())
        assert found is None, f"{path.relative_to(ROOT)}: {found[0]!r}"


def test_references_to_outside_documents_are_detected() -> None:
    for text in ("trap 11", "test_fact_a7_x", "Fact B11", "issue 5", "core.md"):
        assert OUTSIDE.search(text), text
    for text in ("docs/measures.md, and", "the facts of a record", "effect 3"):
        assert not OUTSIDE.search(text), text
