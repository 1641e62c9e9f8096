"""The pages of claims follow from the committed tables."""

import csv
import statistics
from pathlib import Path

import pytest

import similitude as sim
from similitude_lab import study as studies
from similitude_lab.judging import Tables, Verdict, claim_pages, judge, read_paper
from similitude_lab.study import Frame

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"study": 3}', "[" * 10_000])
def test_a_damaged_result_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(text)
    with pytest.raises(sim.InvalidInput, match=r"result\.json"):
        studies.read_records(tmp_path)


def test_a_folder_without_results_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(sim.InvalidInput, match="similitude study run"):
        studies.read_records(tmp_path)


ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "lab" / "results"


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return claim_pages(RESULTS, ROOT / "docs")


def test_the_pages_are_computed_from_committed_tables(pages: dict[str, str]) -> None:
    docs = ROOT / "docs"
    found = {path.name: path.read_text() for path in docs.glob("reproductions*.md")}
    assert found == pages


def test_pages_link_to_figures_data_and_the_file_of_a_study(
    pages: dict[str, str],
) -> None:
    text = pages["reproductions_rtd.md"]
    assert "![curves](../lab/results/rtd/rings/small/curves.png)" in text
    table = "rtd/clusters/small/scores.csv"
    assert f"[{table}](../lab/results/{table})" in text
    source = "../lab/src/similitude_lab/rtd/_clusters.py"
    assert f"[rtd/clusters]({source})" in text
    assert "(../lab/tests/rtd/test_theory.py)" in text


def test_a_table_that_is_edited_by_hand_changes_its_page(tmp_path: Path) -> None:
    """RTD of six clusters is made larger than that of twelve."""
    claims = {"S2.20", "S2.24"}
    table = "rtd/clusters/small/scores.csv"
    before = {name: judged(name, Tables(RESULTS)) for name in claims}
    frame = Frame.read(RESULTS / table)
    scores = frame["rtd"].copy()
    scores[:2] = scores[:2][::-1] + 50
    edited = Tables(RESULTS, {table: frame.changed({"rtd": scores})})
    after = {name: judged(name, edited) for name in claims}
    assert {v.outcome for v in before.values()} == {"holds"}
    assert after["S2.20"].outcome == "differs"
    assert after["S2.24"].outcome == "not decided"


def judged(name: str, tables: Tables) -> Verdict:
    paper = read_paper("rtd")
    return judge(paper.claims[name], tables, paper.printed)


def test_committed_figures_are_small_and_complete() -> None:
    for record in studies.read_records(ROOT / "lab" / "results"):
        for name in (*record.figures, *record.tables):
            assert (record.folder / name).stat().st_size < 300_000, name
        assert record.scale != "smoke"


@pytest.mark.parametrize("width", ["full", "half"])
def test_table_4_of_the_docs_is_that_of_the_committed_pairs(width: str) -> None:
    folder = {"full": "small", "half": "half_width"}[width]
    path = ROOT / "lab/results/rtd/ensembles" / folder / "pairs.csv"
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    page = (ROOT / "docs/papers.md").read_text()
    layers = {"": "pooled", "_unpooled": "last convolution, not pooled"}
    for ending, layer in layers.items():
        cells = []
        for measure, digits in (("rtd", 1), ("cka", 3)):
            for kind in ("classical", "fge"):
                own = [r[measure + ending] for r in rows if r["ensemble"] == kind]
                scores = [float(score) for score in own]
                mean, sd = statistics.mean(scores), statistics.stdev(scores)
                cells.append(f"{mean:.{digits}f} ± {sd:.{digits}f}")
        assert f"| {width} width, {layer} | {' | '.join(cells)} |" in page
