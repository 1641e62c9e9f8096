"""Progress output, and output that fits a terminal of 80 columns."""

import fcntl
import os
import pty
import re
import struct
import termios
from pathlib import Path

import numpy as np
import pytest

from cli.command import START, lines_fit, run, start
from similitude.cli._progress import _Bar, _Lines

NAMES = ("cka", "rsa")


def test_piped_progress_is_plain_lines_on_stderr(
    files: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.setattr("similitude.cli._progress.SECONDS", 0.0)
    monkeypatch.setattr("similitude.cli._progress.PATIENCE", -1.0)
    options = ("-m", "cka,rsa", "-o", str(tmp_path / "out"))
    said = run(capsys, "compare", "a.npy", "b.npy", *options)
    assert said.code == 0
    assert "scores: cka (1 of 2): 0/1 pairs\n" in said.err
    assert "statistics: rsa (2 of 2): 0/1 pairs\n" in said.err
    assert "\x1b" not in said.err
    assert "\r" not in said.err
    # Each score is printed once, before other measures and the statistics.
    first, second = (re.search(rf"{name}: a - b +0\.\d+\n", said.err) for name in NAMES)
    assert first.start() < said.err.index("scores: rsa (2 of 2): 0/1")
    assert second.start() < said.err.index("statistics: cka (1 of 2): 0/1")
    assert said.err.count("a - b") == 2
    assert "pairs" not in said.out
    assert " 95 % CI " in said.out
    assert " 95 % CI " not in said.err


def test_progress_on_a_terminal_is_a_bar(files: Path, tmp_path: Path) -> None:
    options = ("-m", "cka", "--permutations", "0", "-o", str(tmp_path / "out"))
    terminal = {"SIMILITUDE_PROGRESS": "on", "TTY_COMPATIBLE": "1"}
    result = start("compare", "a.npy", "b.npy", *options, cwd=files, **terminal)
    assert "\x1b" not in result.stdout
    assert "━" in result.stderr
    assert result.returncode == 0


@pytest.mark.parametrize("total", [10, 1128, 124_750, 10**8])
@pytest.mark.parametrize("rate", [0.0, 0.00012, 214.0, 98765.4])
def test_the_progress_bar_fits_one_line(total: int, rate: float) -> None:
    progress = _Bar("pairs", 0.0)
    bars = progress.bars
    bars.console.width = 80
    progress.show("statistics", total // 3, total, rate)
    options = bars.console.options.update(width=80)
    lines = bars.console.render_lines(bars.get_renderable(), options)
    progress.close()
    assert len(lines) == 1


def test_scores_shown_during_the_statistics_disappear_from_a_terminal() -> None:
    progress = _Bar("pairs", 0.0)
    progress.show("statistics", 1, 3, 1.0)
    progress.say("a - b  0.5 \x1b[31m")
    bars = progress.bars
    options = bars.console.options.update(width=80)
    lines = bars.console.render_lines(bars.get_renderable(), options)
    progress.close()
    shown = ["".join(part.text for part in line).rstrip() for line in lines]
    assert shown[-1] == "a - b  0.5 \\x1b[31m"
    assert bars.live.transient  # it is erased at the end
    assert len(lines) == 3


def terminal(cwd: Path, *arguments: str, columns: int = 80) -> tuple[int, list[str]]:
    """Run a command in a terminal; return its exit code and all lines."""
    child, descriptor = pty.fork()
    if child == 0:
        os.chdir(cwd)
        os.environ.pop("COLUMNS", None)
        os.execve(START[0], [*START, *arguments], os.environ | {"TERM": "xterm"})
    size = struct.pack("HHHH", 24, columns, 0, 0)
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, size)
    text = b""
    try:
        while part := os.read(descriptor, 65536):
            text += part
    except OSError:
        pass  # the other end is closed
    os.close(descriptor)
    _, status = os.waitpid(child, 0)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode())
    return os.waitstatus_to_exitcode(status), re.split(r"[\r\n]+", plain)


@pytest.fixture(scope="module")
def many(tmp_path_factory) -> Path:
    """Forty representations with long names, and five with short names."""
    folder = tmp_path_factory.mktemp("many")
    rng = np.random.default_rng(0)
    for i in range(40):
        name = f"resnet152-has-a-very-long-name-with-many-words.layer4.2.conv3-{i:02d}"
        np.save(folder / f"{name}.npy", rng.normal(size=(30, 4)))
    for i in range(5):
        np.save(folder / f"r{i}.npy", rng.normal(size=(30, 4)))
    return folder


def test_rates_and_times_of_any_size_fit(capsys) -> None:
    shown = _Bar("pairs", 0.0)
    for rate in (0.0001234, 0.0, 3.2, 12_345.6):
        shown.show("statistics", 124_750, 1_247_500, rate)
        (task,) = shown.bars.tasks
        assert len(task.fields["text"]) <= 80 - len("statistics ") - 17
        assert "e+" not in task.fields["text"]
    shown.close()
    _Lines("pairs", 0.0).show("scores", 10, 124_750, 12_345.6)
    assert "scores: 10/124,750 pairs, 12,346/s, 0:00:10 left" in capsys.readouterr().err


def test_output_in_a_terminal_fits_80_columns(many: Path, tmp_path: Path) -> None:
    paths = sorted(str(path) for path in many.glob("resnet*"))
    options = ("-m", "cka,procrustes", "--permutations", "3", "-o", "o")
    code, lines = terminal(tmp_path, "compare", *paths, *options)
    assert code == 0
    assert max(map(len, lines)) <= 80
    assert any("━" in line for line in lines)


BASELINES = (
    "untrained",
    "seed",
    "another-seed",
    "one-with-a-name-of-its-own",
    "other",
)


@pytest.mark.parametrize("count", [2, 5, 15, 40])
def test_tables_fit_80_columns(many: Path, tmp_path: Path, capsys, count: int) -> None:
    paths = sorted(str(path) for path in many.glob("resnet*"))[:count]
    twins = [f"--baseline={baseline}={many / 'r0.npy'}" for baseline in BASELINES]
    options = ("--permutations", "3", "-o", str(tmp_path / "out"))
    measures = ("-m", "cka" if count == 40 else "cka,linear_regression,mean_cca")
    for more in ((), twins[:2], twins):
        said = run(capsys, "compare", *paths, *measures, *options, *more)
        assert said.code == 0, said.err
        assert lines_fit(said.out)
        if count <= 5 and more:  # in a column, or in the text below
            assert all(baseline in said.out for baseline in BASELINES[: len(more)])


def test_advice_fits_80_columns(many: Path, capsys) -> None:
    paths = sorted(str(path) for path in many.glob("resnet*"))[:15]
    said = run(capsys, "advise", *paths, str(many / "r0.npy"))
    assert lines_fit(said.out)
    whole = said.out.replace("\n", "")  # long names are wrapped, but complete
    assert all(Path(path).stem in whole for path in paths)
