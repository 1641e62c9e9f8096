"""The page in Chromium: choices, hover, keyboard, downloads, hostile names."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import similitude as sim
from report import chromium
from report.sample_results import checkpoints, many_models, one_pair, with_outputs
from similitude import Results

Open = Callable[..., Any]
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def file(layered: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    layered.report(path)
    return path


def colors(page: Any, chart: str) -> list[str]:
    """The shapes of all color levels of a heat-map, and of its baseline."""
    return page.eval_on_selector_all(
        f"#{chart} svg[role=img] > path[fill]",
        "all => all.map(one => one.getAttribute('fill') + one.getAttribute('d'))",
    )


def cell(page: Any, chart: str, i: int, j: int, size: int) -> tuple[float, float]:
    """The middle of a cell on the screen; `size` is the number of columns."""
    grid = page.locator(f"#{chart} svg[role=img]").first
    grid.scroll_into_view_if_needed()
    box = grid.locator("> rect.void").bounding_box()
    width, height = box["width"] / size, box["height"] / size
    return box["x"] + (j + 0.5) * width, box["y"] + (i + 0.5) * height


def download(page: Any, button: str) -> str:
    with page.expect_download() as waiting:
        page.click(button)
    return Path(waiting.value.path()).read_bytes().decode()


def test_pages_open_without_messages_or_requests(
    file: Path, tmp_path: Path, open_page: Open
) -> None:
    others = {"pair": one_pair(), "steps": checkpoints(), "outputs": with_outputs()}
    for name, results in others.items():
        results.report(tmp_path / f"{name}.html")
    Results(()).report(tmp_path / "empty.html")
    for path in [file, *sorted(tmp_path.iterdir())]:
        opened = open_page(path)
        assert opened.console == [], path
        assert opened.requests == [path.as_uri()]


def test_switching_measure_and_value_changes_the_heat_maps(
    file: Path, open_page: Open
) -> None:
    page = open_page(file).page
    seen = []
    for measure, value in (
        ("cka", "score"),
        ("procrustes", "score"),
        ("procrustes", "minus baseline_untrained"),
        ("procrustes", "calibrated"),
    ):
        page.select_option("#measure", label=measure)
        page.select_option("#value", value)
        seen.append((colors(page, "matrix-chart"), colors(page, "layers-chart")))
    for chart in (0, 1):
        assert len({json.dumps(one[chart]) for one in seen}) == 4
    assert "procrustes, calibrated" in page.inner_text("#matrix .shown")


def test_hover_shows_score_interval_p_and_n(
    file: Path, open_page: Open, layered: Results
) -> None:
    page = open_page(file).page
    page.mouse.move(*cell(page, "layers-chart", 2, 3, 6))
    tip = page.inner_text("#tip")
    (row,) = (
        row
        for row in layered.rows
        if (row.label, row.a, row.b) == ("cka", "seed0/layer3", "seed1/layer4")
    )
    assert "seed0/layer3 - seed1/layer4" in tip
    assert f"cka: {row.score:.3f}" in tip
    assert f"95 % CI [{row.low:.3f}, {row.high:.3f}]" in tip
    assert "p = " in tip
    assert "q = " in tip
    assert "n = 60" in tip
    assert f"untrained {row.baselines['untrained']:.3f}" in tip


def test_the_sections_below_follow_a_clicked_cell(file: Path, open_page: Open) -> None:
    page = open_page(file).page
    page.mouse.click(*cell(page, "matrix-chart", 1, 9, 12))
    assert page.inner_text("#pair-table caption") == "seed0/layer2 and seed1/layer4"
    assert page.inner_text("#topology-words").startswith(
        "seed0/layer2 and seed1/layer4"
    )
    assert page.locator("#bars-xy path[stroke]").count() == 1
    assert "trees" in page.inner_text("#topology-parts")
    assert "loops" in page.inner_text("#topology-parts")


def test_the_keyboard_reaches_cells_and_speaks_them(
    file: Path, open_page: Open
) -> None:
    page = open_page(file).page
    page.focus("#layers-chart svg[role=img] >> nth=0")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    spoken = page.inner_text("#layers-chart [aria-live] >> nth=0")
    assert spoken.startswith("seed0/layer2 - seed1/layer2; cka: ")
    page.keyboard.press("Enter")
    assert page.inner_text("#pair-table caption") == "seed0/layer2 and seed1/layer2"
    unnamed = page.evaluate(
        "[...document.querySelectorAll('select, svg[role=img]')].filter(one =>"
        " !(one.getAttribute('aria-label') || one.closest('label'))).length"
    )
    assert unnamed == 0


def test_cells_at_chance_are_hatched(tmp_path: Path, open_page: Open) -> None:
    results = many_models(count=8, measures=1)
    for level, hatched in ((0.001, 0), (0.9, 56)):
        rows = tuple(replace(row, q=level, p=level) for row in results.rows)
        replace(results, rows=rows).report(tmp_path / "q.html")
        page = open_page(tmp_path / "q.html").page
        paths = page.locator("#matrix-chart svg[role=img] > path.hatch")
        drawn = paths.get_attribute("d") if paths.count() else ""
        assert drawn.count("M") == 3 * hatched  # three lines in each cell


def test_small_grids_use_the_width_next_to_their_baseline(
    file: Path, open_page: Open
) -> None:
    page = open_page(file, viewport={"width": 1100, "height": 900}).page
    for chart in ("matrix-chart", "layers-chart"):
        titles = page.locator(f"#{chart} figcaption").all_inner_texts()
        assert titles == ["score", "untrained"]
        score, base = (
            page.locator(f"#{chart} svg[role=img] >> nth={i}").bounding_box()
            for i in (0, 1)
        )
        assert (score["y"], score["width"]) == (base["y"], base["width"])
        assert base["x"] + base["width"] > 0.75 * 1100
        assert base["x"] + base["width"] < 1100
    page.select_option("#value", "calibrated")
    assert page.locator("#layers-chart svg[role=img]").count() == 1
    phone = open_page(file, viewport={"width": 400, "height": 800}).page
    score, base = (
        phone.locator(f"#layers-chart svg[role=img] >> nth={i}").bounding_box()
        for i in (0, 1)
    )
    assert base["y"] > score["y"] + score["height"]
    assert max(score["width"], base["width"]) < 400


def test_csv_and_json_downloads_have_all_rows(
    file: Path, open_page: Open, layered: Results
) -> None:
    page = open_page(file).page
    lines = list(csv.DictReader(io.StringIO(download(page, "#download-csv"))))
    rows = json.loads(download(page, "#download-json"))["rows"]
    assert len(lines) == len(rows) == len(layered.rows)
    for line, entry, row in zip(lines, rows, layered.rows, strict=True):
        assert (line["a"], line["b"], line["measure"]) == (row.a, row.b, row.label)
        assert float(line["score"]) == entry["score"] == row.score
        assert entry["low"] == row.low
        assert (float(line["p"]) if line["p"] else None) == row.p
        assert entry["baseline_untrained"] == row.baselines["untrained"]
        assert int(line["n"]) == row.n


def test_hostile_names_are_inert_in_every_sink(tmp_path: Path, open_page: Open) -> None:
    names = [HOSTILE, "=HYPERLINK(1)", '"><img src=x onerror=alert(1)>', "\u202eabc"]
    x = np.random.default_rng(0).normal(size=(8, 30, 3))
    reps = [
        sim.Representation(
            f"{name}/{layer}",
            x[2 * i + layer],
            model=name,
            layer=HOSTILE + str(layer),
            meta={HOSTILE: name},
            step=i,
        )
        for i, name in enumerate(names[:3])
        for layer in (0, 1)
    ]
    twins = {rep.name: x[7] for rep in reps}
    path = tmp_path / "hostile.html"
    sim.compare(
        reps, ["cka", "procrustes"], baselines={HOSTILE: twins}, permutations=19
    ).report(path, title=HOSTILE)
    opened = open_page(path)
    page = opened.page
    for select in ("#measure", "#value", "#grouping", "#order", "#field", "#model-a"):
        for choice in page.eval_on_selector_all(
            f"{select} option", "all => all.map(one => one.value)"
        ):
            page.select_option(select, choice)
    page.mouse.move(*cell(page, "layers-chart", 0, 0, 2))
    page.mouse.click(*cell(page, "agreement-chart", 0, 1, 2))
    for summary in page.locator("summary").all():
        summary.click()
    lines = list(csv.reader(io.StringIO(download(page, "#download-csv"))))
    assert opened.console == []
    assert opened.requests == [path.as_uri()]
    assert page.title() == HOSTILE
    assert page.locator("script").count() == 2
    assert page.locator("img").count() == 0
    assert page.inner_text("h1") == HOSTILE
    cells = [text for line in lines for text in line]
    assert any(text.startswith("'=HYPERLINK(1)") for text in cells)
    assert not any(text.startswith("=") for text in cells)


def test_100_models_have_a_bounded_number_of_elements(
    hundred_page: str, tmp_path: Path, open_page: Open
) -> None:
    (tmp_path / "hundred.html").write_text(hundred_page)
    opened = open_page(tmp_path / "hundred.html")
    count = "document.querySelectorAll('*').length"
    assert opened.page.evaluate(count) < 5000
    opened.page.select_option("#measure", label="rtd_lite")
    opened.page.select_option("#order", "similar")
    assert opened.page.evaluate(count) < 5000
    assert opened.console == []


@pytest.mark.parametrize("width", [390, 1100])
def test_the_page_does_not_scroll_sideways(
    width: int, file: Path, open_page: Open
) -> None:
    page = open_page(file, viewport={"width": width, "height": 800}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_dark_and_print_have_readable_colors(file: Path, open_page: Open) -> None:
    page = open_page(file, color_scheme="dark").page
    paper = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(paper) == "rgb(20, 24, 29)"
    page.emulate_media(media="print")
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    assert page.locator("#controls").is_hidden()
    assert len(page.pdf(format="A4")) > 10_000


def test_a_missing_browser_skips_and_fails_in_continuous_integration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="make system-deps"):
        chromium.check_installed()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="make system-deps"):
        chromium.check_installed()
