"""Ctrl-C, SIGTERM and closed pipes at any time: no traceback, and the exit code."""

import gc
import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from cli.command import START, run
from similitude import Results
from similitude.cli import _stopping

# When to send a signal, as a share of the time of a complete run.
KILLS = int(os.environ.get("SIMILITUDE_KILLS", "3"))
MOMENTS = [(signal.SIGINT, share) for share in np.linspace(0.02, 0.8, KILLS)]
MOMENTS += [(signal.SIGTERM, 0.6)]


@pytest.fixture(scope="module")
def reps(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("reps")
    rng = np.random.default_rng(0)
    for i in range(6):
        np.save(folder / f"r{i}.npy", rng.normal(size=(200, 10)))
    return folder


def command(reps: Path, out: Path, *options: str) -> list[str]:
    measures = ("-m", "cka,procrustes,rsa", "--permutations", "9")
    return [*START, "compare", str(reps), *measures, "-o", str(out), *options]


class Whole(NamedTuple):
    """A run that no signal disturbs."""

    results: Results
    table: str
    seconds: float


@pytest.fixture(scope="module")
def undisturbed(reps: Path, tmp_path_factory) -> Whole:
    out = tmp_path_factory.mktemp("whole") / "out"
    began = time.monotonic()
    done = subprocess.run(
        command(reps, out, "--workers", "2"), check=True, capture_output=True, text=True
    )
    return Whole(Results.load(out), done.stdout, time.monotonic() - began)


# A busy machine may need long to start Python, which prints its own traceback for a
# signal before the first line of `main`.
STARTED = [
    *(sys.executable, "-c"),
    "from similitude_start import main; print('started', flush=True); main()",
]
HANGS = 300  # seconds; no test of a process that ends comes near


@pytest.mark.parametrize(("number", "share"), MOMENTS)
def test_signals_to_a_run_with_workers_give_one_line_and_keep_rows(
    number: int, share: float, reps: Path, undisturbed: Whole, tmp_path: Path
) -> None:
    """A terminal also sends Ctrl-C to the workers; they must not print."""
    out = tmp_path / "out"
    arguments = command(reps, out, "--workers", "2")[len(START) :]
    process = subprocess.Popen(
        [*STARTED, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"SIMILITUDE_PROGRESS": "off"},  # a busy machine shows it
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    time.sleep(0.05 + share * undisturbed.seconds)
    if process.poll() is None:
        os.killpg(process.pid, number)
    table, said = process.communicate(timeout=HANGS)
    assert "Traceback" not in said
    assert "leaked" not in said  # joblib has cleaned up
    if table == undisturbed.table:  # it finished before the signal
        assert process.returncode in {0, 130}
        return
    assert undisturbed.table.startswith(table)  # nothing, or the header
    assert process.returncode == 130, said
    assert said.splitlines()[-1].startswith("stopped")
    assert said.count("\n") == 1
    if out.exists():
        done = {row.job: row for row in Results.load(out).rows}
        known = {row.job: row.score for row in undisturbed.results.rows}
        assert all(row.score == known[job] for job, row in done.items())


WAIT = """
import time
import similitude.cli._advise as advise
def wait(paths):
    print("reading", flush=True)
    {body}
advise.read_paths = wait
from similitude_start import main
main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_repeated_signals_while_reading_files_print_one_line(
    number: int, reps: Path
) -> None:
    """Also for other commands than `compare`."""
    slowly = """
    import similitude.cli as cli
    cli.printable = lambda text, longest: time.sleep(0.2) or text
    time.sleep(60)
    """
    code = WAIT.format(body=slowly)
    command_ = [sys.executable, "-c", code, "advise", str(reps)]
    with subprocess.Popen(
        command_, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "reading\n"
        others = itertools.cycle([number, *_stopping.SIGNALS])
        while process.poll() is None:
            process.send_signal(next(others))
            time.sleep(0.002)
        _, said = process.communicate(timeout=HANGS)
    assert (process.returncode, said) == (130, "stopped\n")


def test_a_second_signal_exits_if_the_first_was_swallowed(reps: Path) -> None:
    """Code of other packages may catch a KeyboardInterrupt."""
    body = """
    from similitude.cli import _stopping
    _stopping.PATIENCE = 0.0
    for i in range(2):
        try:
            print(i, flush=True)
            time.sleep(60)
        except KeyboardInterrupt:
            pass
    """
    command_ = [sys.executable, "-c", WAIT.format(body=body), "advise", str(reps)]
    with subprocess.Popen(
        command_, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        for line in ("reading\n", "0\n", "1\n"):
            assert process.stdout.readline() == line
            if line != "reading\n":
                process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=HANGS)
    assert (process.returncode, said) == (130, "stopped\n")


SLOW = """
import sys, time
class Slow:
    def find_spec(self, name, path, target=None):
        if name == "similitude.cli._advise":
            print("loading", flush=True)
            try:
                time.sleep(60)
            except KeyboardInterrupt:  # as other packages do
                raise ImportError("the C extensions failed") from None
sys.meta_path.insert(0, Slow())
from similitude_start import main
main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_during_imports_print_one_line(number: int, reps: Path) -> None:
    command_ = [sys.executable, "-c", SLOW, "advise", str(reps)]
    with subprocess.Popen(
        command_, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "loading\n"
        process.send_signal(number)
        _, said = process.communicate(timeout=HANGS)
    assert (process.returncode, said) == (130, "stopped\n")


SWALLOWED = """
    class Slow:
        def __set_name__(self, owner, name):
            print("reading", flush=True)
            try:
                time.sleep(60)
            except KeyboardInterrupt:  # as Python 3.11 does
                raise RuntimeError("Error calling __set_name__") from None
    class Owner:
        slow = Slow()
"""


@pytest.mark.parametrize("name", ["_advise", "_compare"])
def test_an_error_that_a_signal_causes_in_other_code_is_a_stop(
    name: str, reps: Path, tmp_path: Path
) -> None:
    code = WAIT.format(body=SWALLOWED).replace("_advise", name)
    if name == "_compare":
        code = code.replace("advise.read_paths", "advise.engine.compare")
        code = code.replace("def wait(paths)", "def wait(*paths, **options)")
    out = ["-o", str(tmp_path / "out")] if name == "_compare" else []
    command_ = [sys.executable, "-c", code, name[1:], str(reps), *out]
    with subprocess.Popen(
        command_, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        for _ in range(2):
            assert process.stdout.readline() == "reading\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=HANGS)
    assert process.returncode == 130
    assert said.startswith("stopped")
    assert said.count("\n") == 1


def test_an_ignored_ctrl_c_stays_ignored(reps: Path, tmp_path: Path) -> None:
    """`nohup`, and `&` in a script, start processes that ignore it."""
    process = subprocess.Popen(
        [*START, "measures"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    for _ in range(30):
        process.send_signal(signal.SIGINT)
        time.sleep(0.03)
    out, said = process.communicate()
    assert (process.returncode, said) == (0, b"")
    assert out


def test_signal_handlers_are_restored(files: Path, capsys) -> None:
    before = [signal.getsignal(number) for number in _stopping.SIGNALS]
    assert run(capsys, "advise", "a.npy").code == 0
    assert run(capsys, "advise", "nan.npy").code == 2
    assert [signal.getsignal(number) for number in _stopping.SIGNALS] == before


def failing_import() -> None:
    with _stopping.exit_at_once_on_signal():
        assert not gc.isenabled()
        raise ImportError


@pytest.mark.parametrize("enabled", [True, False])
def test_imports_of_a_command_leave_garbage_collection_as_it_was(
    enabled: bool,  # noqa: FBT001
) -> None:
    """Nothing is collected during imports, even if one of them fails."""
    try:
        (gc.enable if enabled else gc.disable)()
        with pytest.raises(ImportError):
            failing_import()
        assert gc.isenabled() is enabled
    finally:
        gc.enable()


def closed(process: subprocess.Popen[str], lines: int) -> tuple[int, str]:
    """Exit code and stderr after the reader closes the pipe after some lines."""
    for _ in range(lines):
        process.stdout.readline()
    process.stdout.close()
    with process:
        return process.wait(), process.stderr.read()


@pytest.mark.parametrize(
    ("arguments", "lines"), [("measures", 0), ("measures", 1), ("cite cka", 0)]
)
def test_a_closed_pipe_gives_exit_code_141_without_a_message(
    arguments: str, lines: int
) -> None:
    process = subprocess.Popen(
        [*START, *arguments.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    code, said = closed(process, lines)
    assert said == ""
    assert code in (
        {141} if lines == 0 else {0, 141}
    )  # the output may have been complete


def test_results_are_kept_if_the_pipe_is_closed(reps: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(
        command(reps, tmp_path / "out", "--permutations", "0"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    code, said = closed(process, 0)
    assert code == 141
    # Scores come first if the statistics take long, as on a busy machine.
    assert said == "" or said.endswith("statistics follow.\n")
    assert len(Results.load(tmp_path / "out")) == 45


def test_closed_stdout_is_ignored_and_a_full_disk_is_an_error() -> None:
    start_ = " ".join(f"'{part}'" for part in START)
    nothing = subprocess.run(
        ["sh", "-c", f"{start_} measures >&-"], capture_output=True, check=False
    )
    assert (nothing.returncode, nothing.stderr) == (0, b"")
    full = subprocess.run(
        ["sh", "-c", f"{start_} measures >/dev/full"], capture_output=True, check=False
    )
    assert full.returncode == 2
    assert full.stderr.startswith(b"error: No space left")
    assert full.stderr.count(b"\n") == 1
