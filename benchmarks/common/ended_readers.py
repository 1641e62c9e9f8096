"""A pytest plugin of branches.py: programs that read files end before they are killed.

The library kills such a program as soon as it has the values. Then coverage.py cannot
write which lines the program ran.
"""

import contextlib
import subprocess

_kill = subprocess.Popen.kill


def _end(process: subprocess.Popen[bytes]) -> None:
    if isinstance(process.args, list) and str(process.args[2:3]).endswith(
        "_child.py']"
    ):
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
    _kill(process)


def pytest_configure() -> None:
    subprocess.Popen.kill = _end  # type: ignore[method-assign]
