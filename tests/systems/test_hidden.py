"""The simulation of other systems hides what it says, from the package only."""

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
CODE = """
import sys
sys.path.insert(0, {tests!r})
from systems.hidden import hide
hide({system!r})
import os, pathlib, tempfile
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "file").touch()
source = {source!r}
outside, ours = {{"folder": folder}}, {{"folder": folder, "__name__": "similitude.x"}}
exec(source, outside)
try:
    exec(compile(source, {file!r}, "exec"), ours)
except BaseException as error:
    print(type(error).__name__)
"""
BOTH = (
    ("import os; os.sched_getaffinity(0)", "AttributeError"),
    ("open('/proc/self/statm').close()", "FileNotFoundError"),
    ("import pathlib; pathlib.Path('/proc/self/statm').read_text()", "FileNotFound"),
)
MACOS = (
    *BOTH,
    (
        "import resource as r; r.setrlimit(r.RLIMIT_AS, r.getrlimit(r.RLIMIT_AS))",
        "ValueError",
    ),
)
WINDOWS = (
    *BOTH,
    ("import resource", "ModuleNotFoundError"),
    ("import fcntl", "ModuleNotFoundError"),
    ("from signal import SIGKILL", "ImportError"),
    ("import signal; signal.pthread_sigmask", "AttributeError"),
    ("import os; os.pread", "AttributeError"),
    ("import os; os.open(folder, os.O_RDONLY)", "PermissionError"),
    (
        "import os; f = open(folder / 'file');"
        "os.replace(folder / 'file', folder / 'g');"
        "os.replace(folder / 'g', folder / 'file'); f.close()",
        "PermissionError",
    ),
)


@pytest.mark.parametrize(
    ("system", "source", "error"),
    [("macos", *case) for case in MACOS] + [("windows", *case) for case in WINDOWS],
)
def test_the_package_does_not_get_what_the_system_does_not_have(
    system: str, source: str, error: str
) -> None:
    """The same code works outside of the package."""
    code = CODE.format(tests=str(TESTS), system=system, source=source, file="ours.py")
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(error)
