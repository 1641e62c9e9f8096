"""The section "Stimuli": table, pictures or texts, groups, neighbors of a stimulus."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import similitude as sim
from cli.command import start
from shared.seeds_of_one_population import seeds
from similitude import Representation, Results

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Two seeds; 20 rows of the second one are near each other."""
    from PIL import Image

    rng = np.random.default_rng(0)
    (x, y), labels = seeds(rng, 2)
    rows = rng.choice(len(x), 20, replace=False)
    y[rows] = 12 + rng.normal(size=(20, y.shape[1]))
    folder = tmp_path_factory.mktemp("images")
    paths = np.array([str(folder / f"{i}.png") for i in range(len(x))])
    for i in range(0, len(x), 2):  # the others are missing
        Image.new("RGB", (300, 200), (i % 256, 0, 0)).save(paths[i])
    fields = {"image": paths, "text": np.array([f"{HOSTILE} {i}" for i in labels])}
    reps = [Representation("a", x, fields=fields), Representation("b", y)]
    return sim.compare(reps, ["cka", "mutual_knn"], permutations=0)


@pytest.fixture(scope="module")
def file(found: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    found.report(path, stimuli=found.stimuli("a", "b"))
    return path


def test_the_page_has_a_table_of_stimuli_without_a_script(
    file: Path, found: Results
) -> None:
    listed, text = found.stimuli("a", "b"), file.read_text()
    section = text[text.index('<section id="stimuli">') :]
    section = section[: section.index("</section>")]
    shown = [int(row) for row in re.findall(r'data-row="(\d+)"', section)]
    assert shown == [*listed.order[:20], *listed.order[-5:]]
    assert HOSTILE not in text
    assert "This says nothing about a difference" in section
    assert "this is a ranking, not a test" in section
    assert "near each other in one network and far in the other" in section
    pictures = section.count("data:image/jpeg")
    assert pictures >= sum(row % 2 == 0 for row in shown)
    assert "img-src data:" in text
    plain = found.report(file.parent / "plain.html")
    assert plain is None
    absent = (file.parent / "plain.html").read_text()
    assert "no stimuli were listed" in absent


def test_a_click_shows_the_neighbors_in_both_networks(
    file: Path, found: Results, open_page: Callable[..., Any]
) -> None:
    listed = found.stimuli("a", "b")
    for options in ({}, {"viewport": {"width": 400, "height": 800}}):
        opened = open_page(file, **options)
        page = opened.page
        row = int(listed.order[3])
        page.click(f'#stimuli-table button[data-row="{row}"]')
        assert page.inner_text("#stimulus h3").startswith(f"{row}, mutual_knn")
        for side, view in enumerate(listed.views):
            items = page.locator("#stimulus ol").nth(side).locator("li")
            names = [int(text.split(":")[0]) for text in items.all_inner_texts()]
            assert names == view.neighbors[row].tolist()
        assert page.locator("#stimuli-a svg circle.chosen").count() == 1
        assert page.locator("#stimuli-b svg circle.cursor").count() == 10
        page.locator("#stimuli-b svg").click(position={"x": 5, "y": 5}, force=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= (
            page.evaluate("innerWidth")
        )
        assert opened.console == []
        assert len(opened.requests) == 1 + sum(
            url.startswith("data:") for url in opened.requests
        )


def test_compare_writes_the_section(tmp_path: Path, found: Results) -> None:
    for rep in found.sources:
        np.save(tmp_path / f"{rep.name}.npy", rep.values)
    arguments = ("compare", "a.npy", "b.npy", "-m", "mutual_knn", "--permutations", "0")
    done = start(*arguments, "--stimuli", "--report", "r.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert '<section id="stimuli">' in (tmp_path / "r.html").read_text()
