"""Exit codes of all commands: 2 for a mistake, 70 for a bug; 1 is for a verdict."""

import errno
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cli.command import run
from cli.leaves import leaf_commands
from similitude import cli
from similitude.cli import _commands
from similitude.errors import InvalidInput

COMMANDS = leaf_commands()
RAISED = {
    "bug": (RuntimeError("planted"), 70, "error: this is a bug in similitude (Runtime"),
    "assertion": (AssertionError(), 70, "error: this is a bug in similitude (Assert"),
    "mistake": (InvalidInput("x is wrong."), 2, "error: x is wrong."),
    "file": (
        OSError(errno.EACCES, "Permission denied", "f"),
        2,
        "error: f: Permission",
    ),
    "memory": (MemoryError("8 GiB"), 2, "error: not enough memory (8 GiB)."),
    "memory of an import": (
        ImportError("x.so: failed to map segment from shared object"),
        2,
        "error: not enough memory (x.so: failed to map segment from shared object).",
    ),
    "memory of C++": (
        ImportError("std::bad_alloc"),
        2,
        "error: not enough memory (std::bad_alloc).",
    ),
    "interrupt": (KeyboardInterrupt(), 130, "stopped"),
}


def failing(monkeypatch: pytest.MonkeyPatch, words: str, error: BaseException) -> None:
    """Let the function of a command raise, and make all its parameters optional."""

    def raise_error(**arguments: Any) -> None:
        raise error

    load = _commands.load

    def load_failing(name: str) -> Any:
        loaded = load(name)
        command = loaded
        for word in words.split()[1:]:
            command = command.commands[word]
        command.callback = raise_error
        for parameter in command.params:
            parameter.required = False
        return loaded

    monkeypatch.setattr(_commands, "load", load_failing)


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_exits_with_the_code_of_its_error(
    words: str, raised: str, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    error, code, message = RAISED[raised]
    failing(monkeypatch, words, error)
    said = run(capsys, *words.split())
    assert (said.code, said.out) == (code, ""), said
    assert said.err.startswith(message), said.err
    assert said.err.count("\n") == 1


def test_no_memory_for_the_text_of_an_error_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def no_memory(*arguments: object, **options: object) -> None:
        raise MemoryError

    failing(monkeypatch, "measures", MemoryError())
    monkeypatch.setattr(cli, "say", no_memory)
    with pytest.raises(SystemExit) as stop:
        cli.main(["measures"])
    assert stop.value.code == 2
    assert capfd.readouterr() == ("", "error: not enough memory.\n")


@pytest.mark.parametrize("words", [w for w in COMMANDS if w not in _commands.HIDDEN])
def test_every_command_refuses_an_unknown_option_with_code_2(
    words: str, capsys
) -> None:
    run(capsys, *words.split(), "--no-such-option").assert_one_line("no-such-option")


@pytest.mark.parametrize("words", COMMANDS)
def test_the_help_of_every_command_exits_with_code_0(words: str, capsys) -> None:
    said = run(capsys, *words.split(), "--help")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"Usage: similitude {words} ")


@pytest.fixture
def place(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with data, a network and a results folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.npy", "b.npy"):
        (tmp_path / name).symlink_to(files / name)
    (tmp_path / "net.py").write_text(
        "import torch\n"
        "def net():\n"
        "    return torch.nn.Sequential(torch.nn.Linear(5, 2))\n"
        "def conv():\n"
        "    return torch.nn.Sequential(torch.nn.Conv2d(3, 2, 3), torch.nn.Flatten())\n"
        "def ends():\n"
        "    raise SystemExit(1)\n"
    )
    np.save("x.npy", np.load("a.npy").astype(np.float32))
    np.save("labels.npy", np.arange(40) % 2)
    return tmp_path


# One command line per option that names a file or folder to write.
COMPARE = ["compare", "a.npy", "b.npy", "-m", "cka", "--permutations", "0"]
STITCH = ["latent", "stitch", "a.npy", "b.npy", "--labels", "labels.npy"]
WRITERS = {
    "compare --out": COMPARE,
    "compare --csv": COMPARE,
    "compare --plot": COMPARE,
    "compare --report": COMPARE,
    "diff --plot": ["diff", "a.npy", "b.npy"],
    "diff --report": ["diff", "a.npy", "b.npy"],
    "migrate fit --out": ["migrate", "a.npy", "b.npy"],
    "migrate apply --out": ["migrate", "apply", "map", "a.npy"],
    "advise --csv": ["advise", "a.npy"],
    "show --csv": ["show", "results"],
    "show --plot": ["show", "results"],
    "report --output": ["report", "results"],
    "extract --out": ["extract", "net.py:net", "--data", "x.npy"],
    "latent relative --out": ["latent", "relative", "a.npy", "-a", "uniform:4"],
    "latent align --out": ["latent", "align", "a.npy", "b.npy", "-m", "affine"],
    "latent stitch --out": [*STITCH, "-t", "cosine", "--seeds", "0"],
}
LIBRARY = {words for words in COMMANDS if not words.startswith(("study", "closeness"))}
WRITING = ("--out", "--output", "--csv", "--plot", "--report")


def test_all_options_that_write_are_known() -> None:
    found = {
        f"{words} {option}"
        for words in LIBRARY - set(_commands.HIDDEN)
        for parameter in COMMANDS[words].params
        for option in parameter.opts
        if option in WRITING
    }
    assert found == WRITERS.keys()


def unwritable(option: str, kind: str) -> str:
    suffix = {"--plot": ".svg", "--csv": ".csv"}.get(option.split()[-1], "")
    suffix = ".npy" if option.startswith("migrate apply") else suffix
    return {"kernel": "/proc/x", "file": "x.npy/x"}[kind] + suffix


@pytest.mark.parametrize("kind", ["kernel", "file"])
@pytest.mark.parametrize("option", WRITERS)
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    option: str, kind: str, place: Path, capsys
) -> None:
    if WRITERS[option][1] == "results":
        assert run(capsys, *COMPARE, "-o", "results").code == 0
    path = unwritable(option, kind)
    said = run(capsys, *WRITERS[option], option.split()[-1], path)
    assert (said.code, said.out) == (2, ""), said
    (line,) = said.err.splitlines()
    assert line.startswith("error: ")
    assert path in line
    assert "cannot be written" in line or "does not exist" in line
    assert "kept" not in line  # nothing was computed


def test_store_add_to_a_place_that_cannot_be_written(place: Path, capsys) -> None:
    said = run(capsys, "store", "add", "/proc/x", "a.npy")
    said.assert_one_line("/proc/x cannot be written")


@pytest.mark.skipif(torch.cuda.is_available(), reason="the machine has a GPU")
@pytest.mark.parametrize("device", ["cuda", "cuda:1", "mps", "gpu", ""])
def test_a_device_that_is_not_there(device: str, place: Path, capsys) -> None:
    arguments = ["extract", "net.py:net", "--data", "x.npy", "-o", "reps"]
    said = run(capsys, *arguments, "--device", device)
    said = said._replace(err=said.err.removeprefix("net\n"))  # the running model
    said.assert_one_line(f"--device {device!r}: PyTorch cannot use this device here")
    assert not Path("reps").exists()


def test_all_options_that_name_a_device_are_known() -> None:
    found = {
        words
        for words in LIBRARY
        for parameter in COMMANDS[words].params
        if {"--device", "--cuda"} & set(parameter.opts)
    } - set(_commands.HIDDEN)
    assert found == {"diff", "extract"}


def test_channels_last_are_named(place: Path, capsys) -> None:
    np.save("images.npy", np.ones((20, 8, 8, 3), np.float32))
    arguments = ["extract", "net.py:conv", "--data", "images.npy", "-o", "reps"]
    said = run(capsys, *arguments)
    said = said._replace(err=said.err.removeprefix("conv\n"))  # the running model
    said.assert_one_line("inputs have shape 20 x 8 x 8 x 3. If the channels are last")
    assert "resume" not in said.err
    remedy = ["--layout", "nchw", "--scale", "1"]
    assert " ".join(remedy) in said.err
    assert run(capsys, *arguments, *remedy, "--reducer", "flatten").code == 0


@pytest.mark.parametrize("whole", ["module", "script", "cut"])
def test_a_whole_model_is_not_called_damaged(whole: str, place: Path, capsys) -> None:
    net = torch.nn.Sequential(torch.nn.Linear(5, 2))
    if whole == "script":
        with warnings.catch_warnings(action="ignore"):
            torch.jit.script(net).save("w.pt")
    else:
        torch.save(net, "w.pt")
    if whole == "cut":
        Path("w.pt").write_bytes(Path("w.pt").read_bytes()[:900])
    said = run(capsys, "extract", "net.py:net", "w.pt", "--data", "x.npy", "-o", "reps")
    compared = run(capsys, "compare", "a.npy", "w.pt", "-o", "out")
    if whole == "cut":
        said.assert_one_line("w.pt is damaged")
        compared.assert_one_line("w.pt is damaged")
        return
    said.assert_one_line("w.pt holds a whole model")
    assert "torch.save(model.state_dict(), ...)" in said.err
    compressed = "is compressed, which torch.save does not do"
    compared.assert_one_line(
        "w.pt holds a whole model" if whole == "module" else compressed
    )
    assert "damaged" not in said.err + compared.err


def overflowed(large: int) -> np.ndarray:
    x = np.random.default_rng(0).normal(size=(40, 5))
    x[:large] *= 1e6
    with np.errstate(over="ignore"):
        return x.astype(np.float16)


@pytest.mark.parametrize("large", [1, 40])
def test_an_overflow_of_float16_is_named(large: int, place: Path, capsys) -> None:
    np.save("h.npy", overflowed(large))
    said = run(capsys, "compare", "a.npy", "h.npy", "-o", "out")
    said.assert_one_line("h.npy is float16, whose largest number is 65,504")
    assert ("--drop-nonfinite" in said.err) == (large == 1)
    if large == 40:
        dropped = run(capsys, "compare", "a.npy", "h.npy", "--drop-nonfinite")
        dropped.assert_one_line("h.npy is float16, whose largest number is 65,504")


@pytest.mark.parametrize("text", ["net.py:ends", "exits.py:net"])
def test_code_of_the_user_does_not_choose_the_exit_code(
    text: str, place: Path, capsys
) -> None:
    Path("exits.py").write_text("raise SystemExit(1)\ndef net(): ...\n")
    said = run(capsys, "extract", text, "--data", "x.npy", "-o", "reps")
    said.assert_one_line("SystemExit")
