"""`compare --report` writes the page during a run, and the open page reloads itself."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import playwright.sync_api
import pytest

from report.sample_results import many_models, write_folder
from similitude import Results
from similitude.cli._pages import _during_run
from similitude.cli._pages._during_run import PageDuringRun

SAMPLE = many_models(count=6, measures=2)


def test_open_page_of_a_file_shows_new_rows_and_keeps_choices_and_place(
    open_page: Callable[..., Any],
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    folder, file = tmp_path / "results", tmp_path / "page.html"
    write_folder(SAMPLE, folder, rows=10).close()
    Results.load(folder).report(file, live=0.5)
    opened = open_page(file)
    page = opened.page
    # The policy of the page forbids `wait_for_function`, which evaluates text.
    expect = playwright.sync_api.expect
    expect(page.locator("#live")).to_contain_text("The comparison was running at ")
    expect(page.locator("main")).to_contain_text("10 of 30 rows have a score")
    assert page.locator("#measure option").count() == 1
    page.select_option("#order", "similar")
    place = 500
    page.evaluate("scrollTo({ top: 500, behavior: 'instant' })")

    written = write_folder(SAMPLE, folder, rows=0)
    request.addfinalizer(written.close)
    written.append(SAMPLE.rows[10:20])
    Results.load(folder).report(file, live=0.5)
    expect(page.locator("#measure option")).to_have_count(2, timeout=30_000)
    assert page.evaluate("scrollY") == place
    written.append(SAMPLE.rows[20:])
    Results.load(folder).report(file)
    expect(page.locator("#live")).to_be_hidden(timeout=30_000)
    assert page.input_value("#order") == "similar"
    assert page.evaluate("scrollY") == place
    assert "unfinished:" not in page.inner_text("main")
    assert opened.console == []
    assert set(opened.requests) == {file.as_uri()}
    loaded = len(opened.requests)
    page.wait_for_timeout(1500)  # the final page stays
    assert len(opened.requests) == loaded


def test_old_page_of_a_stopped_run_reloads_rarely(
    open_page: Callable[..., Any], tmp_path: Path
) -> None:
    folder, file = tmp_path / "results", tmp_path / "page.html"
    write_folder(SAMPLE, folder, rows=10).close()
    Results.load(folder).report(file, live=0.5)
    hour_ago = time.time() - 3600
    os.utime(file, (hour_ago, hour_ago))
    opened = open_page(file)
    opened.page.wait_for_timeout(2000)
    assert len(opened.requests) == 1


def test_page_is_written_a_tenth_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_folder(SAMPLE, tmp_path / "results", rows=10).close()
    file, now = tmp_path / "page.html", [0.0]
    monkeypatch.setattr(_during_run.time, "monotonic", lambda: now[0])
    stages: list[str] = []
    page = PageDuringRun(
        lambda stage, *_: stages.append(stage), tmp_path / "results", file
    )

    def slow(self: Results, path: Path, *, live: float) -> None:
        now[0] += 3.0
        path.write_text(f"{live}")

    monkeypatch.setattr(Results, "report", slow)
    written = []
    for second in range(60):
        now[0] = max(now[0], second)
        page("scores", 1, 2)
        if file.exists():
            file.unlink()
            written.append(second)
    assert stages == ["scores"] * 60
    assert written == [5, 38]


def test_full_disk_does_not_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_folder(SAMPLE, tmp_path / "results", rows=10).close()
    monkeypatch.setattr(_during_run, "SECONDS", 0.0)
    page = PageDuringRun(
        lambda *_: None, tmp_path / "results", tmp_path / "none" / "page.html"
    )
    page("scores", 1, 2)


def test_compare_writes_the_page_during_the_run_and_at_the_end(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for name in "abcd":
        np.save(tmp_path / f"{name}.npy", rng.normal(size=(300, 20)))
    start = (
        "from similitude.cli._pages import _during_run as page\n"
        "page.SECONDS = 0.1\n"
        "from similitude_start import main; main()"
    )
    options = ["-m", "procrustes", "--permutations", "3000", "--report", "page.html"]
    files = [f"{name}.npy" for name in "abcd"]
    page, seen = tmp_path / "page.html", set()
    with subprocess.Popen(
        [sys.executable, "-c", start, "compare", *files, *options],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        while running.poll() is None:
            if page.exists():
                text = page.read_text()
                assert text.rstrip().endswith("</html>")  # never a part of a page
                seen.add('"live":0.1' in text.replace(" ", ""))
            time.sleep(0.02)
        _, errors = running.communicate()
    assert running.returncode == 0, errors
    assert True in seen
    assert '"live":0,' in page.read_text().replace(" ", "")
