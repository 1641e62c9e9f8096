"""The examples with real encoders run, and docs/encoders.md shows their output."""

from pathlib import Path

import pytest

from repository.encoder_transcripts import PAGE, SCENES, WIDTHS, Scene, blocks, output
from shared.printed_numbers import assert_same_text, words_and_numbers


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.title)
def test_the_page_has_both_widths_and_fits_them(scene: Scene) -> None:
    found = blocks(scene)
    assert list(found) == list(WIDTHS)
    for width, text in found.items():
        assert max(map(len, text.splitlines())) <= width
        assert "by 7 nearest neighbors" in text
    assert f"python {scene.script}" in PAGE.read_text()


@pytest.mark.data
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.title)
def test_the_page_is_current(scene: Scene, tmp_path: Path) -> None:
    """Words are equal. Numbers are close: processors and Debian's texts differ."""
    if reason := scene.missing():
        pytest.skip(reason)
    for width, shown in blocks(scene).items():
        assert_same_text(output(scene, width, tmp_path), shown)


def test_words_and_numbers_of_transcripts_are_separated() -> None:
    words, numbers = words_and_numbers("rank2: 0.52 -0.1 <1e-6; n = 2,000 rows")
    assert words == ["rank2:", "#", "#", "<#;", "n", "=", "#", "rows"]
    assert numbers == [0.52, -0.1, 1e-6, 2000]
