"""Folders of Hugging Face with their own tokenizers."""

import shutil
from pathlib import Path

import pytest

from cli.command import run
from shared.language_models import TEXTS, write_bert, write_gpt
from similitude.store import open_store

pytest.importorskip("transformers")


@pytest.fixture(scope="session")
def written(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("language")
    write_bert(folder / "bert")
    write_bert(folder / "other_bert", seed=1)
    for name in ("tokenizer.json", "tokenizer_config.json"):  # training it is random
        shutil.copy(folder / "bert" / name, folder / "other_bert" / name)
    write_gpt(folder / "gpt")
    (folder / "texts.txt").write_text("\n".join(TEXTS))
    return folder


@pytest.fixture
def folders(written: Path, tmp_path: Path, monkeypatch) -> Path:
    for path in written.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def extracted(capsys, folder: str, layer: str, *options: str):
    said = run(capsys, "extract", f"hf:{folder}", "--data", "texts.txt", "--layers",
               layer, "-o", "reps", *options)  # fmt: skip
    assert said.code == 0, said.err
    found = [rep for rep in open_store("reps").select() if rep.model == folder]
    return found[-1]


def test_tokens_of_two_tokenizers_are_refused(folders, capsys) -> None:
    """Tokens at the same place of a text are not the same tokens."""
    rows = [extracted(capsys, "bert", "encoder.layer.1", "--reducer", "positions").n,
            extracted(capsys, "gpt", "h.1", "--reducer", "positions").n]  # fmt: skip
    assert min(rows) > 40
    for options in ((), ("--common-ids",)):
        said = run(capsys, "compare", "reps", "-m", "cka", *options)
        said.assert_one_line("tokens of different tokenizers")
        assert "--common-ids" not in said.err


def test_two_models_with_one_tokenizer_share_their_tokens(folders, capsys) -> None:
    for name in ("bert", "other_bert"):
        extracted(capsys, name, "encoder.layer.1", "--reducer", "positions")
    said = run(capsys, "compare", "reps", "-m", "cka")
    assert said.code == 0, said.err


def test_words_of_two_tokenizers_are_compared(folders, capsys) -> None:
    for name, layer in (("bert", "encoder.layer.1"), ("gpt", "h.1")):
        extracted(capsys, name, layer, "--reducer", "words", "--untrained")
    said = run(capsys, "compare", "reps", "-m", "cka", "--permutations", "0", "--json")
    assert said.code == 0, said.err
    (row,) = said.rows()
    assert row["n"] == sum(len(text.split()) for text in TEXTS)
    assert "untrained" in row["baselines"]


def test_long_texts_are_cut_only_if_asked(folders, capsys) -> None:
    (folders / "long.txt").write_text("a red fox\n" + "sea " * 100 + "\n")
    words = ("extract", "hf:gpt", "--data", "long.txt", "--layers", "lm_head", "-o",
             "long", "--reducer", "last_token")  # fmt: skip
    said = run(capsys, *words)
    assert (said.code, "or cut long texts with --truncate" in said.err) == (2, True)
    assert run(capsys, *words, "--truncate").code == 0
