"""`similitude report`, `compare --report` and `show` in the shell."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cli.command import Said, run
from report.sample_results import many_models, write_folder

PAGE = "<!doctype html>"


Run = Callable[..., Said]


@pytest.fixture
def command(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """Run a command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: run(capsys, *arguments)


def test_report_writes_a_page_and_says_where(tmp_path: Path, command: Run) -> None:
    write_folder(many_models(count=4, measures=1), tmp_path / "results").close()
    done = command("report", "results", "-o", "out.html", "--title", "A & B")
    assert (done.code, done.out) == (0, "Report: out.html\n"), done.err
    text = (tmp_path / "out.html").read_text()
    assert text.startswith(PAGE)
    assert "<h1>A &amp; B</h1>" in text


def test_compare_writes_a_page(tmp_path: Path, command: Run) -> None:
    rng = np.random.default_rng(0)
    for name in "ab":
        np.save(tmp_path / f"{name}.npy", rng.normal(size=(20, 3)))
    done = command("compare", "a.npy", "b.npy", "-m", "cka", "--report", "page.html")
    assert done.code == 0, done.err
    assert "Report: page.html" in done.err
    assert (tmp_path / "page.html").read_text().startswith(PAGE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("report", "nothing"), "nothing is not a results folder: run.json is missing"),
        (
            ("report", "results", "-o", "results"),
            "-o results is a folder; give a file.",
        ),
        (
            ("compare", "a.npy", "--report", "no/page.html"),
            "--report no/page.html: the folder no does not exist.",
        ),
    ],
)
def test_mistakes_are_one_sentence(
    arguments: tuple[str, ...], message: str, tmp_path: Path, command: Run
) -> None:
    write_folder(many_models(count=3, measures=1), tmp_path / "results").close()
    done = command(*arguments)
    done.assert_one_line(message)


def test_stitching_folder_is_shown_and_reported(tmp_path: Path, command: Run) -> None:
    rng = np.random.default_rng(0)
    labels = np.arange(90) % 3
    x = rng.normal(size=(90, 4)) + 4 * np.eye(4)[labels]
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", x[:, ::-1])
    np.save(tmp_path / "labels.npy", labels)
    stitch = ("latent", "stitch", "x.npy", "y.npy", "--labels", "labels.npy")
    made = command(*stitch, "-t", "cosine", "--seeds", "0", "-o", "cells")
    assert made.code == 0, made.err
    shown = command("show", "cells")
    assert (shown.code, shown.out) == (0, made.out), shown.err
    refused = command("show", "cells", "--long")
    assert refused.code == 2
    assert "use --json for all cells" in refused.err
    done = command("report", "cells")
    assert done.code == 0, done.err
    text = (tmp_path / "report.html").read_text()
    assert '<section id="stitching">' in text
    write_folder(many_models(count=3, measures=1), tmp_path / "results").close()
    plain = command("report", "results", "--spaces", "x.npy", "--spaces", "y.npy")
    assert plain.code == 0, plain.err
    text = (tmp_path / "report.html").read_text()
    section = text.partition('<section id="spaces">')[2].partition("</section>")[0]
    assert section.count('<th scope="row">') == 2
    both = command("report", "results", "--stitching", "cells")
    assert both.code == 0, both.err
    text = (tmp_path / "report.html").read_text()
    assert '<section id="stitching">' in text
    assert '<section id="matrix">' in text
    assert "Each space by itself: no representations were given" in text
