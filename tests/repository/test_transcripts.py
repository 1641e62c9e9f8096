"""The transcripts in the documents are the current output."""

import re

import pytest

from repository.transcripts import PAGE, SCENES, WIDTHS, Scene, transcripts


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.title)
def test_transcripts_are_current_and_fit_the_terminal(scene: Scene) -> None:
    """If this fails after an intended change: run `make transcripts`, and read it."""
    section = PAGE.read_text().split(f"## {scene.title}\n")[1].split("\n## ")[0]
    for width, text in transcripts(scene):
        block = section.split(f"\n{width} columns:\n\n")[1]
        block = re.split(r"\n\d+ columns:\n", block)[0]
        shown = [line.removeprefix("    ") for line in block.strip("\n").splitlines()]
        assert shown == [f"$ {scene.command}", *text.splitlines()]
        one_line_error = text.startswith("error: ") and "\n" not in text
        assert one_line_error or max(map(len, shown)) <= width
        assert len(shown) <= 66


def test_the_page_has_all_transcripts() -> None:
    text = PAGE.read_text()
    assert re.findall(r"^## (.*)$", text, re.M) == [scene.title for scene in SCENES]
    assert len(re.findall(r"^\d+ columns:$", text, re.M)) == len(SCENES) * len(WIDTHS)
