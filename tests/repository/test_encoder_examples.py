"""The examples with real encoders run, and docs/encoders.md shows their output."""

from pathlib import Path

import pytest

from repository.encoder_transcripts import PAGE, SCENES, WIDTH, Scene, output, printed
from shared.printed_numbers import assert_same_text, words_and_numbers


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.title)
def test_the_page_has_each_transcript_once_and_it_fits(scene: Scene) -> None:
    text = printed(scene)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "by 7 nearest neighbors" in text
    page = PAGE.read_text()
    assert f"python {scene.script}" in page
    assert all(page.count(line) == 1 for line in text.splitlines() if "$ " in line)


@pytest.mark.data
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.title)
def test_the_page_is_current(scene: Scene, tmp_path: Path) -> None:
    """Words are equal. Numbers are close: processors and Debian's texts differ."""
    if reason := scene.missing():
        pytest.skip(reason)
    assert_same_text(output(scene, tmp_path), printed(scene))


def test_words_and_numbers_of_transcripts_are_separated() -> None:
    words, numbers = words_and_numbers("rank2: 0.52 -0.1 <1e-6; n = 2,000 rows")
    assert words == ["rank2:", "#", "#", "<#;", "n", "=", "#", "rows"]
    assert numbers == [0.52, -0.1, 1e-6, 2000]
