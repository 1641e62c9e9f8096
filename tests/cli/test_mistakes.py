"""Mistakes give one line on stderr and exit code 2, and nothing is written."""

import os
import sys
from pathlib import Path

import pytest

from cli.command import run, start

# Common mistakes in the shell.
MISTAKES = {
    "wrong suffix": (
        ["a.npy", "notes.txt"],
        "notes.txt: files ending in '.txt' cannot be read. Use one of .npy,",
    ),
    "unequal rows": (
        ["a.npy", "short.npy"],
        "a.npy has 40 rows and short.npy has 30. Rows must be the same stimuli",
    ),
    "ids": (
        ["i.npz", "j.npz"],
        "0, 1, 2 are only in i.npz, and 40, 41, 42 are only in j.npz.",
    ),
    "nan": (["a.npy", "nan.npy"], "nan.npy: row 7, column 3 is NaN (1 of 200 values)."),
    "unknown measure": (
        ["a.npy", "b.npy", "-m", "cak"],
        "there is no measure 'cak'. Did you mean 'cka'? `similitude measures` lists",
    ),
}
PATHS = {
    "no file": (["a.npy", "nothere.npy"], "nothere.npy does not exist."),
    "no folder": (["nothere"], "nothere does not exist."),
    "one file": (["a.npy"], "got 1 representation; give two or more"),
    "no files": ([], "give files, folders or stores to compare, or --outputs."),
    "damaged": (["a.npy", "broken.npy"], "broken.npy cannot be read: "),
    "a text": (
        ["a.npy", "text.npy"],
        "it is not a NumPy file; save it with numpy.save",
    ),
    "a text as .pt": (["a.npy", "text.pt"], "Save a tensor or a dict of tensors"),
    "empty": (["a.npy", "empty.npy"], "empty.npy cannot be read: it is empty."),
    "broken header": (["a.npy", "header.npy"], "header.npy cannot be read: "),
    "half of .npz": (["a.npy", "cut-m1.npz"], "cut-m1.npz cannot be read: "),
    "half of .safetensors": (["a.npy", "cut-c.safetensors"], "cannot be read: "),
    "half of .pt": (["a.npy", "cut-t.pt"], "cut-t.pt is damaged, or is not a file of"),
    "complex": (["a.npy", "complex.npy"], "complex.npy must hold real numbers"),
    "objects": (
        ["a.npy", "objects.npy"],
        "objects.npy cannot be read: it holds Python",
    ),
    "flat": (["a.npy", "flat.npy"], "flat.npy: the array has shape (40,)"),
    "ids in bytes": (["a.npy", "bytes.npz"], "ids are bytes that are not UTF-8"),
    "ids twice": (["a.npy", "twice.npz"], "the sample id 0 occurs 2 times"),
    "blocks": (["by2.npz", "by4.npz"], "have different blocks of rows"),
    "the same file": (["a.npy", "b.npy", "./a.npy"], "a.npy is given twice"),
    "an empty folder": (["nothing"], "nothing contains no representations"),
    "a device": (["a.npy", "/dev/null"], "/dev/null: files ending in ''"),
}
OPTIONS = {
    "unknown option": (["--permutation", "3"], "--permutations"),
    "seed below 0": (["--seed", "-1"], "'--seed'"),
    "not a number": (["--seed", "x"], "'--seed'"),
    "permutations": (
        ["--permutations", "-3"],
        "--permutations=-3; it must be at least 0.",
    ),
    "workers": (["--workers", "0"], "workers is 0"),
    "measure": (["-m", "CKAA"], "Did you mean 'cka'? `similitude measures` lists all"),
    "option": (["-m", "cka(kernal=rbf)"], "has no option 'kernal'. Did you mean"),
    "no measure": (["-m", ","], "-m is empty"),
    "reference": (["--reference", "z"], "--reference z is not among a, b."),
    "rows": (["--rows", "0:50"], "--rows 0:50: a.npy has rows 0 to 39"),
    "no rows": (["--rows", ""], "--rows '': write a slice"),
    "no reference": (["--reference", ""], "--reference '' is not among a, b."),
    "rows in words": (["--rows", "few"], "write a slice as 0:300"),
    "rows twice": (["--rows", "3,3,4,5,6"], "names a row twice"),
    "rows of a file with NaN": (
        ["nan.npy", "--rows", "5:"],
        "nan.npy (--rows 5:): row 2, column 3 is NaN",
    ),
    "baseline": (["--baseline", "x"], "write NAME=PATH"),
    "baseline without a match": (
        ["--baseline", "untrained=m1.npz"],
        "none of its twins (of m1/layer0, ...) matches a compared representation "
        "(a, b)",
    ),
    "outputs": (
        ["-m", "disagreement"],
        "disagreement compares outputs, but no representation is of that kind.",
    ),
    "inputs": (["--inputs", "m1.npz"], "contains 3 arrays"),
    "config": (["--config", "no.toml"], "no.toml does not exist."),
    "config in latin-1": (["--config", "latin.toml"], "latin.toml is not TOML"),
    "config twice": (["--config", "pair.toml"], "cka is given twice"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_common_mistakes_give_one_line_and_write_nothing(
    mistake: str, files: Path, tmp_path: Path
) -> None:
    arguments, message = MISTAKES[mistake]
    result = start("compare", *arguments, "-o", str(tmp_path / "out"), cwd=files)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mistake", [*PATHS, *OPTIONS])
def test_other_mistakes_give_one_line_and_write_nothing(
    mistake: str, files: Path, tmp_path: Path, capsys
) -> None:
    """In this process, because starting Python for each case is slow."""
    if mistake in PATHS:
        arguments, message = PATHS[mistake]
    else:
        options, message = OPTIONS[mistake]
        arguments = ["a.npy", "b.npy", *options]
    said = run(capsys, "compare", *arguments, "-o", str(tmp_path / "out"))
    said.assert_one_line(message)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[measure]\n", "run.toml is not TOML: "),
        ('[[measure]]\nname = "cak"', "Did you mean 'cka'?"),
        ("[[measure]]\nas = 'x'", "run.toml: measure.0.name: Field required."),
        ("[[measures]]\nname = 'cka'", "run.toml: measures: Extra inputs"),
        (
            "[[measure]]\nname = 'cka'\noptions = {form = 'angular', width = 2}",
            "cka has no option 'width'. Its options are kernel, estimator",
        ),
        (
            "[[measure]]\nname = 'cka'\noptions = {kernel = 'rfb'}",
            "kernel='rfb' is not offered; choose from 'linear'",
        ),
        (
            '[[measure]]\nname = "cka"\nas = "a\\nb"',
            "must be printable text on one line",
        ),
        ("rows = 5", "run.toml: rows: Input should be a valid string."),
        ("[[measure]]\nname = 'cka'\n" * 2, "two measures have the label 'cka'"),
    ],
)
def test_errors_in_config_files_name_the_key(
    files: Path, tmp_path: Path, capsys, text: str, message: str
) -> None:
    (tmp_path / "run.toml").write_text(text)
    config = ("--config", str(tmp_path / "run.toml"), "-o", str(tmp_path / "out"))
    run(capsys, "compare", "a.npy", "b.npy", *config).assert_one_line(message)
    assert not (tmp_path / "out").exists()


def test_a_missing_extra_gives_a_one_line_error(files: Path, tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('no torch here')")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    out = tmp_path / "out"
    paths = ("a.npy", "t.pt", "-o", str(out))
    result = start("compare", *paths, cwd=files, PYTHONPATH=path)
    assert result.returncode == 2
    assert "pip install 'torch" in result.stderr
    assert result.stderr.count("\n") == 1
    assert not out.exists()


def test_a_missing_extra_of_a_measure_is_reported_before_writing(
    files: Path, tmp_path: Path, capsys, monkeypatch
) -> None:
    monkeypatch.setitem(sys.modules, "ot", None)
    out = tmp_path / "out"
    options = ("-m", "cka,soft_matching", "-o", str(out))
    said = run(capsys, "compare", "a.npy", "b.npy", *options)
    said.assert_one_line("pip install 'pot")
    assert not out.exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"mine": 1}', '{"schema": 2}', "\x00"])
def test_a_foreign_run_json_is_not_overwritten(
    files: Path, tmp_path: Path, capsys, text: str
) -> None:
    (tmp_path / "run.json").write_text(text)
    options = ("-m", "cka", "--permutations", "0", "-o", str(tmp_path))
    run(capsys, "compare", "a.npy", "b.npy", *options).assert_one_line("run.json")
    assert (tmp_path / "run.json").read_text() == text
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_an_unusable_out_folder_gives_a_one_line_error(files, tmp_path, capsys) -> None:
    (tmp_path / "taken").write_text("a file")
    options = ("-m", "cka", "-o", str(tmp_path / "taken"))
    run(capsys, "compare", "a.npy", "b.npy", *options).assert_one_line(
        "is a file; give"
    )
    options = ("-m", "cka", "-o", str(tmp_path / "taken" / "below"))
    run(capsys, "compare", "a.npy", "b.npy", *options).assert_one_line("below")


def test_errors_escape_line_breaks_in_file_names(tmp_path: Path, capsys) -> None:
    path = tmp_path / "a\nb\x1b[2J.npy"
    path.write_bytes(b"")
    for wrong in (path, path.with_name("gone\n.npy"), path.with_name("x\n.txt")):
        run(capsys, "compare", str(wrong), str(wrong)).assert_one_line("\\n")
    path.unlink()
    path.mkdir()
    run(capsys, "advise", str(path)).assert_one_line("contains no representations")


def test_out_of_memory_gives_a_one_line_error(
    files, tmp_path, capsys, monkeypatch
) -> None:
    def broken(*_: object) -> None:
        raise MemoryError("Unable to allocate 8 TiB")

    monkeypatch.setattr("similitude.cli._advise.read_paths", broken)
    run(capsys, "advise", "a.npy").assert_one_line("not enough memory (Unable to allo")
