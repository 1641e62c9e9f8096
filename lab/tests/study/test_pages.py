"""The page of all studies is one file without script; Markdown has the same facts."""

import csv
import json
import statistics
from pathlib import Path

import pytest

import similitude as sim
from similitude.store import write_sealed_json
from similitude_lab import study as studies

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("pages")
    studies.run_study("rtd/rings", scale="smoke", out=out)
    return out


def test_the_page_holds_figures_and_verdicts(folder: Path, tmp_path: Path) -> None:
    records = studies.write_report(folder, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    for expected in ("rtd/rings", records[0].verdict, "kendall_rtd", "data:image/png"):
        assert expected in page
    assert "<script" not in page
    assert "http" not in page.split("<h2>References</h2>")[0]


def test_text_of_a_result_is_escaped(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "rtd/rings/smoke/result.json"
    target.parent.mkdir(parents=True)
    content = json.loads((folder / "rtd/rings/smoke/result.json").read_text())
    del content["checksum"]
    content["notes"] = ["<script>alert(1)</script>"]
    write_sealed_json(target, content)
    studies.write_report(tmp_path, tmp_path / "page.html")
    assert "<script" not in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"study": 3}', "[" * 10_000])
def test_a_damaged_result_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(text)
    with pytest.raises(sim.InvalidInput, match=r"result\.json"):
        studies.read_records(tmp_path)


def test_a_folder_without_results_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(sim.InvalidInput, match="similitude study run"):
        studies.read_records(tmp_path)


def test_markdown_links_to_figures_and_data(folder: Path) -> None:
    pages = studies.markdown_pages(studies.read_records(folder), folder)
    assert list(pages) == ["reproductions.md", "reproductions_rtd.md"]
    assert studies.find_study("rtd/rings").lesson in pages["reproductions.md"]
    text = pages["reproductions_rtd.md"]
    assert "![curves](rtd/rings/smoke/curves.png)" in text
    assert "[scores.csv](rtd/rings/smoke/scores.csv)" in text
    assert "| spearman_rtd | 0.9 | 0.9 | reproduced | fails |" in text


ROOT = Path(__file__).parents[3]


def test_the_page_of_reproductions_is_generated_from_committed_results() -> None:
    records = studies.read_records(ROOT / "lab" / "results")
    docs = ROOT / "docs"
    expected = studies.markdown_pages(records, docs)
    found = {path.name: path.read_text() for path in docs.glob("reproductions*.md")}
    assert found == expected


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
