"""The page as a file: its bytes, its size, its escapes, and its data."""

import base64
import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import similitude as sim
from report.sample_results import checkpoints, many_models, one_pair, with_outputs
from similitude import Results
from similitude.errors import in_shell
from similitude.report import page, write_page
from similitude.report._data import _aggregate

HOSTILE = "<script>alert(1)</script>"


class Tags(HTMLParser):
    """All tags with their attributes, and the text of script elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script":
            self.scripts.append(data)


def data_of(text: str) -> dict[str, Any]:
    block = re.search(r'<script type="application/json" id="data">(.*?)</script>', text)
    assert block is not None
    return json.loads(block[1])


def headings(text: str) -> list[str]:
    return re.findall(r'<section id="(\w+)">', text)


def decoded(column: str, kind: str = "<f8") -> np.ndarray:
    return np.frombuffer(base64.b64decode(column), dtype=kind)


def test_same_results_give_the_same_bytes(layered: Results, tmp_path: Path) -> None:
    """Even if they are loaded again, or computed in another time or in the shell."""
    assert layered.path is not None
    layered.report(tmp_path / "one.html")
    with in_shell():
        write_page(Results.load(layered.path), tmp_path / "two.html")
    slower = replace(
        layered, rows=tuple(replace(row, seconds=9.0) for row in layered.rows)
    )
    slower.report(tmp_path / "three.html")
    one, *others = (path.read_bytes() for path in sorted(tmp_path.iterdir()))
    assert others == [one, one]


def test_page_of_100_models_is_small_and_has_one_script(hundred_page: str) -> None:
    assert len(hundred_page.encode()) < 15e6
    assert hundred_page.count("function heatmap(") == 1
    found = Tags(hundred_page)
    assert [tag for tag, _ in found.tags].count("script") == 2  # the data and the code


def test_page_refers_to_no_other_file(hundred_page: str, layered: Results) -> None:
    for text in (hundred_page, page(layered)):
        for tag, attributes in Tags(text).tags:
            assert "src" not in attributes, tag
            assert tag not in {"link", "iframe", "img", "object", "base"}
            assert (attributes.get("href") or "#").startswith("#")
        assert "@import" not in text
        assert "url(" not in text
        (policy,) = re.findall('Content-Security-Policy" content="(.*?)"', text)
        assert "default-src 'none'" in unescape(policy)
        assert "connect-src 'none'" in unescape(policy)


def test_data_holds_every_number_without_loss(
    hundred: Results, hundred_page: str
) -> None:
    data = data_of(hundred_page)
    columns = data["columns"]
    assert columns["count"] == len(hundred.rows) == 49_500
    for name, field in (("score", "score"), ("low", "low"), ("p", "p"), ("q", "q")):
        expected = [getattr(row, field) for row in hundred.rows]
        np.testing.assert_array_equal(decoded(columns[name]), expected)
    names = [data["items"]["name"][i] for i in decoded(columns["a"], "<i4")]
    assert names == [row.a for row in hundred.rows]


def test_sections_follow_the_results(layered: Results) -> None:
    basic = ["overview", "pair", "absent", "configuration", "downloads"]
    one = page(one_pair())
    assert set(headings(one)) == {*basic, "topology"}
    assert "All pairs: there is only one pair." in one
    two = {*basic, "matrix", "layers", "map", "topology", "agreement"}
    assert set(headings(page(layered))) == two
    steps = page(checkpoints())
    assert "dynamics" in headings(steps)
    assert data_of(steps)["items"]["step"][:3] == [0, 0, 100]
    outputs = page(with_outputs())
    assert "functional" in headings(outputs)
    measures = data_of(outputs)["measures"]
    assert {one["label"]: one["functional"] for one in measures} == {
        "cka": False,
        "disagreement": True,
    }


def test_results_without_rows_make_a_page() -> None:
    text = page(Results(()))
    assert "No score has been computed yet." in text
    assert headings(text) == ["overview", "configuration", "downloads"]


def test_bars_and_parts_of_topological_rows_are_in_the_data(layered: Results) -> None:
    found = data_of(page(layered))["topology"]
    rows = [i for i, row in enumerate(layered.rows) if row.measure == "rtd"]
    assert [int(key) for key in found["rows"]] == rows
    first = found["rows"][str(rows[0])]
    stored = layered.barcodes(layered.rows[rows[0]])
    for direction in ("x_to_y", "y_to_x"):
        bars = decoded(first["bars"][direction], "<f4").reshape(-1, 2)
        np.testing.assert_allclose(
            np.sort(bars, axis=0),
            np.sort(stored[direction], axis=0),
            rtol=1e-6,
        )
        lengths = bars[:, 1] - bars[:, 0]
        assert (np.diff(lengths) <= 1e-6).all()  # the longest bar is first
    details = layered.rows[rows[0]].details
    assert first["mst_part"] == details["mst_part"]
    assert first["loop_part"] == details["loop_part"]


def test_large_results_are_means_over_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_aggregate, "MOST_ROWS", 500)
    monkeypatch.setattr(_aggregate, "MOST_GROUPS", 6)
    results = many_models(count=12, measures=2, layers=3)
    text = page(results)
    data = data_of(text)
    assert data["aggregated"] in text
    assert "Layers against layers: this page shows means over groups." in text
    assert "1,260 scores of 36 representations" in data["aggregated"]
    assert data["items"]["name"][0] == "resnet-000 ... vgg-001"
    assert data["columns"]["count"] == 2 * 15
    groups = [["resnet-000", "vgg-001"], ["vit-002", "mlp-003"]]
    expected = [
        row.score
        for row in results.rows
        if row.label == "cka" and row.a_model in groups[0] and row.b_model in groups[1]
    ]
    np.testing.assert_allclose(
        decoded(data["columns"]["score"])[0], np.mean(np.array(expected, dtype=float))
    )
    assert decoded(data["columns"]["pairs"])[0] == len(expected) == 36


def test_text_from_files_is_escaped_in_html_and_json() -> None:
    nasty = [
        "</script><script>alert(1)</script>",
        HOSTILE,
        '"><img src=x onerror=alert(1)>',
    ]
    x = np.random.default_rng(0).normal(size=(4, 30, 3))
    reps = [
        sim.Representation(name, x[i], model=name, meta={HOSTILE: name})
        for i, name in enumerate(nasty)
    ]
    twins = {name: x[3] for name in nasty}
    results = sim.compare(reps, "cka", baselines={HOSTILE: twins}, permutations=0)
    results = replace(results, notes=(HOSTILE, "a\x1b[31mb"))
    text = page(results, title=HOSTILE)
    assert "<script>alert" not in text
    assert "<img" not in text
    assert "\x1b" not in text
    assert [tag for tag, _ in Tags(text).tags].count("script") == 2
    assert data_of(text)["items"]["name"] == nasty  # readable in the browser


def test_infinite_values_do_not_damage_the_data() -> None:
    """JSON has no infinity; the browser could not read the page."""
    x = np.random.default_rng(0).normal(size=(3, 20, 3))
    reps = [
        sim.Representation(f"r{i}", x[i], model=f"r{i}", meta={"lr": np.inf, "k": i})
        for i in range(3)
    ]
    results = sim.compare(reps, "cka", permutations=0)
    rows = tuple(replace(row, score=np.inf) for row in results.rows)
    fields = data_of(page(replace(results, rows=rows)))["items"]["fields"]
    assert fields == {"model": ["r0", "r1", "r2"], "k": [0, 1, 2]}
    other = replace(results.representations[0], meta={"lr": 0.1})
    text = page(replace(results, representations=(other, *results.representations[1:])))
    assert "Infinity" not in json.dumps(data_of(text))
    assert data_of(text)["items"]["fields"]["lr"] == [0.1, "inf", "inf"]


def test_one_pair_shows_its_interval_and_too_few_permutations() -> None:
    x = np.random.default_rng(0).normal(size=(2, 40, 4))
    text = page(
        sim.compare({"a": x[0], "b": x[0] + x[1]}, "procrustes", permutations=9)
    )
    assert "too few permutations" in text
    assert "score, 95 % CI" in text
    assert "lowest" not in text.split("<script")[0]


def test_the_page_says_that_findings_were_chosen(layered: Results) -> None:
    """Three measures, each with a baseline, a layer and extreme pairs, at least."""
    text = page(layered)
    (count,) = re.findall(r"Chosen from (\d+) contrasts", text)
    assert int(count) >= 9
    assert "The choice is not a test" in text


def test_a_map_needs_most_pairs() -> None:
    x = np.random.default_rng(0).normal(size=(6, 20, 3))
    reps = {f"r{i}": x[i] for i in range(6)}
    results = sim.compare(reps, "cka", reference="r0", permutations=0)
    assert "Most pairs have no score, so a map is not determined." in page(results)


def test_page_names_what_to_install_without_jinja(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(sim.MissingExtra, match="pip install 'jinja2"):
        page(Results(()))


def test_summary_and_provenance_state_statistics_and_citations(
    layered: Results,
) -> None:
    text = page(layered)
    assert (
        "12 representations of 2 models (66 pairs) were compared on 60 samples" in text
    )
    assert "next to the baseline untrained" in text
    assert "barannikov2022representation" in text
    assert "6 of 6" in text
    assert text.count('<th scope="row">cka</th>') >= 2
