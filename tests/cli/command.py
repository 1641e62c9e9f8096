"""Helpers that run the command line, in this process or in a new one."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from similitude.cli import main

START = [sys.executable, "-c", "from similitude_start import main; main()"]


class Said(NamedTuple):
    code: int
    out: str
    err: str

    def rows(self) -> list[dict[str, Any]]:
        """The rows of `--json`; asserts exit code 0."""
        assert self.code == 0, self.err
        return json.loads(self.out)["rows"]

    def assert_one_line(self, message: str) -> None:
        """Assert exit code 2, an empty stdout and a one-line error."""
        assert (self.code, self.out) == (2, ""), self
        assert self.err.startswith("error: "), self.err
        assert message in self.err
        assert self.err.count("\n") == 1
        assert self.err.rstrip("\n").isprintable()
        assert "bug" not in self.err


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    """Run a command in this process."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        main([*arguments])
    said = capsys.readouterr()
    return Said(int(stop.value.code or 0), said.out, said.err)


def start(
    *arguments: str, cwd: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command in a new process."""
    env = os.environ | {"COLUMNS": "80"} | environment
    return subprocess.run(
        [*START, *arguments], capture_output=True, text=True, env=env, cwd=cwd
    )


def lines_fit(text: str) -> bool:
    return max(map(len, text.splitlines())) <= 80
