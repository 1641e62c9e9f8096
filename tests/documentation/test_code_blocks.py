"""Every code block of the documents runs, or says why it does not."""

import contextlib
import glob
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

from documentation.pages import PAGES, ROOT, Block, blocks, commands
from documentation.surroundings import NAMES, arrays, write_files
from shared.printed_numbers import assert_same_text
from similitude.cli import main

TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
# Other tests use the layers, and run the recipes for clusters.
REASON = re.compile(r"not run: \S+ \S+ \S+|layers: the same as LAYERS|recipe: ")
# Commands that take minutes, download, or wait: only their options are checked.
SLOW = (("study", "run"), ("data", "fetch"))
# Readers type these pages into an empty folder: no file and no name is prepared.
AS_TYPED = ("README.md", "tutorial.md", "index.md", "from_disk.md", "report_these.md")
WITH_BLOCKS = [page for page in PAGES if blocks(page)]


def run_page(page: Path, found: list[Block], folder: Path) -> None:
    """Run the blocks in their order, in one namespace and one folder."""
    if page.name not in AS_TYPED:
        write_files(folder)
    prepared = dict if page.name in AS_TYPED else NAMES.get(page.name, arrays)
    names: dict[str, Any] = prepared()
    for block in found:
        if block.comment.startswith("content of "):
            (folder / block.comment.removeprefix("content of ")).write_text(block.text)
    printed = ""
    for block in found:
        if REASON.match(block.comment) or block.comment.startswith("content of "):
            continue
        if block.comment == "output":
            assert_same_text(printed, block.text)
            continue
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            if block.language == "python":
                exec(compile(block.text, str(block), "exec"), names)
            else:
                assert block.language == "shell", f"{block}: add a comment"
                lines = commands(block.text)
                for command in lines[:1] if lines[0].startswith("$ ") else lines:
                    run_command(command.removeprefix("$ "), block)
        printed = output.getvalue()
        if block.text.startswith("$ "):  # a transcript
            assert_same_text(printed, block.text.split("\n", 1)[1])


def run_command(command: str, block: Block) -> None:
    program, *words = shlex.split(command)
    if program == "make":
        assert words[0] in TARGETS, f"{block}: make {words[0]}"
    elif program == "python" and (words[0] == "-c" or Path(words[0]).exists()):
        subprocess.run([sys.executable, *words], check=True, timeout=1200)
    elif program == "python":
        assert (ROOT / words[0]).exists(), f"{block}: {words[0]}"
    else:
        assert program == "similitude", f"{block}: {program}"
        slow = next((name for name in SLOW if words[: len(name)] == list(name)), None)
        if slow:
            check_options([*slow], words, block)
        else:
            call([n for w in words for n in _expanded(w)], f"{block}: {command}")


def check_options(names: list[str], words: list[str], block: Block) -> None:
    """The command exists, and its help describes the options."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        call([*names, "--help"], f"{block}: {' '.join(names)}")
    for option in re.findall(r"(?<!\S)--?[a-z][a-z-]*", " ".join(words)):
        assert option in output.getvalue(), f"{block}: {option}"


def call(arguments: list[str], where: str) -> None:
    error = io.StringIO()
    code: Any = 0
    with contextlib.redirect_stderr(error):
        try:
            main(arguments)
        except SystemExit as end:
            code = end.code
    assert not code, f"{where}\n{error.getvalue()}"


def _expanded(word: str) -> list[str]:
    return sorted(glob.glob(word)) or [word] if "*" in word else [word]


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=lambda page: page.name)
def test_code_blocks_run(page: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("SIMILITUDE_PROGRESS", "off")
    try:
        run_page(page, blocks(page), tmp_path)
    finally:
        plt.close("all")


def test_pages_for_newcomers_use_files_that_they_write(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "    similitude compare a.npy b.npy\n"
    page = ROOT / "docs" / AS_TYPED[1]
    with pytest.raises(AssertionError, match=r"a\.npy does not exist"):
        run_page(page, blocks(page, text), tmp_path)


def test_commands_in_sentences_of_the_readme_run(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = ROOT / "README.md"
    found = re.findall(r"`((?:similitude|make) [^`]+)`", page.read_text())
    assert len(found) > 3
    for command in found:
        run_command(command, Block(page, 0, command, "", "shell"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("    similitude compare a.npy none.npy\n", "none.npy"),
        ("```python\nsim.none\n```\n", "sim"),
        ("    make nothing\n", "make nothing"),
        ("    similitude report results --no-option\n", "--no-option"),
        ("    pip install something\n", "pip"),
        ("    some text 1 2\n", "add a comment"),
        ("```python\nprint(1)\n```\n\n<!-- output -->\n\n    2\n", "2"),
        ("<!-- not run: lazy -->\n\n    some text\n", "add a comment"),
    ],
)
def test_wrong_blocks_are_detected(
    text: str, message: str, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "page.md"
    found = blocks(page, "\n\n" + text)
    assert found
    with pytest.raises((AssertionError, NameError), match=message):
        run_page(page, found, tmp_path)


def test_marked_blocks_and_items_of_lists_are_not_run(tmp_path: Path) -> None:
    text = (
        "<!-- not run: it needs a cluster -->\n\n    some text\n\n"
        "- an item\n\n    and its text\n\n```{toctree}\nno code\n```\n"
    )
    (block,) = blocks(ROOT / "docs" / "page.md", text)
    assert block.comment == "not run: it needs a cluster"
    run_page(ROOT / "docs" / "page.md", [block], tmp_path)


def test_most_pages_have_blocks_that_run() -> None:
    """The parser finds the blocks: a test of no blocks could not fail."""
    ran = [b for page in PAGES for b in blocks(page) if not REASON.match(b.comment)]
    assert len(ran) > 25
    assert {b.language for b in ran} >= {"python", "shell", "text"}
