"""The command line for tests: in this process, which is fast, or as a user runs it."""

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
        """Of `--json`, if all went well."""
        assert self.code == 0, self.err
        return json.loads(self.out)["rows"]

    def assert_one_line(self, message: str) -> None:
        """A refusal: exit 2, nothing on stdout, one line that says what to do."""
        assert (self.code, self.out) == (2, ""), self
        assert self.err.startswith("error: "), self.err
        assert message in self.err
        assert self.err.count("\n") == 1
        assert self.err.rstrip("\n").isprintable()
        assert "bug" not in self.err


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    """A command in this process."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        main([*arguments])
    said = capsys.readouterr()
    return Said(int(stop.value.code or 0), said.out, said.err)


def start(
    *arguments: str, cwd: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    env = os.environ | {"COLUMNS": "80"} | environment
    return subprocess.run(
        [*START, *arguments], capture_output=True, text=True, env=env, cwd=cwd
    )


def lines_fit(text: str) -> bool:
    return max(map(len, text.splitlines())) <= 80
