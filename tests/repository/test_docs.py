"""Generated pages are current, and commands in the documents exist."""

import re
from pathlib import Path

import similitude as sim
from repository import measure_tables

ROOT = Path(__file__).parents[2]


def test_make_targets_in_the_documents_exist() -> None:
    targets = set(
        re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.M)
    )
    for page in ("README.md", "CONTRIBUTING.md", ".ci/run", "docs/benchmarks.md"):
        named = re.findall(r"(?:^|`)\s*make ([a-z-]+)", (ROOT / page).read_text(), re.M)
        assert set(named) <= targets, page


def test_measures_page_is_up_to_date() -> None:
    """`make tables` generates the page; it is not edited by hand."""
    assert (ROOT / "docs" / "measures.md").read_text() == measure_tables.page()
    lines = measure_tables.page().splitlines()
    tables = [line for line in lines if line.startswith("| `")]
    assert sorted(line.split("`")[1] for line in tables) == sorted(sim.MEASURES)
    assert {line.count(" | ") for line in tables} == {12}
    titles = [line for line in lines if line.startswith("## ")]
    assert "## Shape distances: Procrustes and its relatives" in titles
    assert len(titles) == len({m.family for m in sim.MEASURES.values()})


def test_benchmarks_share_a_command_line_and_sections_name_their_command() -> None:
    """Each script has a one-sentence summary, and each section names its command."""
    texts = {p.name: p.read_text() for p in (ROOT / "benchmarks").rglob("*.py")}
    for name, text in texts.items():
        if "__main__" in text:
            assert "command(__doc__)" in text, name  # it adds --help and --json
            assert re.match(r'"""[^\n]+\.\n', text), name
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    for script, options in re.findall(r"`python benchmarks/(\S+\.py)([^`]*)`", page):
        for option in re.findall(r"--[a-z-]+", options):
            assert f'"{option}"' in texts[script] + texts["harness.py"], script
    for section in page.split("\n## ")[1:]:
        assert "`python benchmarks/" in section, section.splitlines()[0]
