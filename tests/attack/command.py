"""The command line in this process, with everything that the process prints."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from similitude.cli import main

START = [sys.executable, "-c", "from similitude_start import main; main()"]
WRONG = ("Traceback", "this is a bug", "Warning", "panicked", "\x1b")


class Said(NamedTuple):
    code: int
    out: str
    err: str


def redirect(folder: Path) -> None:
    """Send everything that this process and its children print to two files."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        file = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        os.dup2(file, number)


def run(*arguments: object) -> Said:
    """Run a command in this process."""
    for number in (1, 2):
        os.ftruncate(number, 0)
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    sys.stdout.flush()
    sys.stderr.flush()
    out, err = (
        os.pread(number, 2**24, 0).decode(errors="replace") for number in (1, 2)
    )
    return Said(code, out, err)


def start(*arguments: object, **options: object) -> Said:
    """Run a command in a new process."""
    done = subprocess.run(
        [*START, *map(str, arguments)],
        capture_output=True,
        check=False,
        **options,  # type: ignore[call-overload]
    )
    out, err = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
    return Said(done.returncode, out, err)


def survived(said: Said) -> Said:
    """Assert that a command finished, or refused its input in one line."""
    assert said.code in {0, 2}, said
    for wrong in WRONG:
        assert wrong not in said.err + said.out, said
    if said.code == 2:
        assert said.err.startswith("error: "), said
        assert said.err.count("\n") == 1, said
        assert said.err.rstrip("\n").isprintable(), said
        # `compare` describes the representations before it computes scores.
        assert said.out == "" or " representations; n = " in said.out, said
        assert not re.search(r"^\s*measure\b", said.out, re.MULTILINE), said
    return said
