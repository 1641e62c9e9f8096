"""Lists of suffixes in help texts and documents are those of the readers."""

import re
from pathlib import Path

import pytest

from cli.leaves import leaf_commands
from similitude.latent._commands._relative import FILES
from similitude.store import COLUMN_FILES, READABLE

ROOT = Path(__file__).parents[2]
LISTS = (
    READABLE,
    COLUMN_FILES,
    FILES,
    (".png", ".pdf", ".svg"),
    (".safetensors", ".pt"),
)
SUFFIX = r"\.(?:npy|npz|safetensors|pt|csv|parquet|arrow|feather|h5|txt|png|pdf|svg)\b"


@pytest.mark.parametrize("words", leaf_commands())
def test_help_lists_the_suffixes_of_a_reader(words: str) -> None:
    command = leaf_commands()[words]
    texts = [
        command.help or "",
        *(getattr(p, "help", "") or "" for p in command.params),
    ]
    for text in texts:
        listed = re.findall(r"\.[a-z][a-z0-9]+", " ".join(re.findall(SUFFIX, text)))
        assert len(listed) < 2 or any(set(listed) <= set(each) for each in LISTS), text
        if len(listed) > 3:
            assert ", ".join(READABLE) in text or ", ".join(COLUMN_FILES) in text, text


def test_the_documentation_of_compare_lists_all_suffixes() -> None:
    text = (ROOT / "docs" / "compare.md").read_text("utf-8")
    (sentence,) = re.findall(r"`compare` takes files \(([^)]*)\)", text)
    assert re.findall(r"`(\.\w+)`", sentence) == list(READABLE)


def test_wrong_suffixes_name_all_that_are_read(tmp_path: Path) -> None:
    from similitude import InvalidInput, load

    path = tmp_path / "x.doc"
    path.write_text("")
    with pytest.raises(InvalidInput, match=re.escape(", ".join(READABLE))):
        load(path)
