"""Read a file in a child process, which a damaged file may crash.

The child is isolated (-I): it must not import Python files from the current folder,
which may come with the data. It first sends what the file has, and reads values only
after the parent has checked the limits. The limit of its address space holds for files
that expand to more than they say.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .._shards import read_into
from ._limits import ReadLimits

_PROGRAMS = Path(__file__).parent
_MAX_REPLY = 2**28
_COPIES = 3  # the columns, their table, and the parent's table


class Child:
    def __init__(self, process: Any, limits: ReadLimits) -> None:
        self._process, self._limits = process, limits

    def reply(self, crashed: str = "it is damaged") -> dict[str, Any]:
        """One line from the child, or the error that it wrote."""
        line = self._process.stdout.readline(_MAX_REPLY)
        if line.endswith(b"\n"):
            return json.loads(line)
        self._process.stdout.close()
        message = self._process.stderr.read(4096).decode(errors="replace").strip()
        if self._process.wait() == 3:
            raise ValueError(message)
        raise ValueError(crashed)

    def ask(self, order: Mapping[str, Any], *, size: int | None) -> dict[str, Any]:
        """Send an order of `size` bytes of values; None: as many as the limits allow.

        The reply has the shapes of all arrays.
        """
        if size is not None:
            self._limits.admit(_COPIES * size)
        more = self._limits.remaining() if size is None else _COPIES * size
        text = json.dumps({**order, "bytes": more}).encode()
        self._process.stdin.write(text + b"\n")
        self._process.stdin.close()
        reply = self.reply("it is damaged, or needs more memory than it announces")
        if size is None:
            sizes = (np.dtype(d).itemsize * n * w for _, d, (n, w) in reply["arrays"])
            self._limits.admit(_COPIES * sum(sizes))
        return reply

    def arrays(self, reply: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """The arrays that follow a reply."""
        found = {}
        for name, dtype, shape in reply["arrays"]:
            found[name] = values = np.empty(shape, np.dtype(dtype))
            data = values.reshape(-1).view(np.uint8).data
            if not read_into(self._process.stdout, data):
                raise ValueError("it is damaged")
        return found


@contextmanager
def child(
    program: str, files: Sequence[Path], module: Any, limits: ReadLimits
) -> Iterator[Child]:
    """Run a program of this folder; `module` is the library that it may import."""
    packages = Path(module.__file__).parents[1]
    command = [sys.executable, "-I", str(_PROGRAMS / program)]
    with subprocess.Popen(
        [*command, str(packages), *map(str, files)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield Child(process, limits)
        finally:
            process.kill()
