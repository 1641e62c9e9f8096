"""Commands print what they printed in 0.1.0; intended differences are listed."""

from pathlib import Path

import pytest

from old_files import transcripts
from old_files.transcripts import GOLDEN, SCENES


@pytest.mark.parametrize("name", SCENES)
def test_a_command_prints_its_golden_transcript(name: str) -> None:
    found = transcripts.difference(name, transcripts.transcript(name))
    if found:
        pytest.fail(
            f"{found}\nIf this is intended, run `python tests/old_files/transcripts.py "
            f"write`, and list it in {GOLDEN.name}/CHANGES.md.",
            pytrace=False,
        )


def test_every_transcript_has_a_scene() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == {*SCENES}
    codes = {p.read_text().splitlines()[1] for p in GOLDEN.glob("*.txt")}
    assert codes == {f"exit code {code}" for code in (0, 1, 2, 4)}


def test_a_changed_digit_is_a_difference() -> None:
    golden = (GOLDEN / "cite.txt").read_text("utf-8")
    assert transcripts.difference("cite", golden) == ""
    changed = golden.replace("exit code 0", "exit code 1")
    assert "-exit code 0\n+exit code 1\n" in transcripts.difference("cite", changed)


def test_rules_replace_only_what_differs_between_machines(tmp_path: Path) -> None:
    text = f"{tmp_path}/a 0123456789abcdef 0.348 took 1.2 s\n"
    assert transcripts.normalized(text, tmp_path) == (
        "<FOLDER>/a <HASH> 0.348 took <TIME>\n"
    )
    document = '{"seconds": 0.25, "score": 0.12345678901, "zero": 1e-17, "n": 120}'
    assert transcripts.normalized(document, tmp_path) == (
        '{\n "seconds": <NUMBER>,\n "score": 0.123457,\n "zero": 0.0,\n "n": 120\n}\n'
    )
