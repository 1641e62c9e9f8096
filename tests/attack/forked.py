"""Commands in copies of this process: starting Python takes longer than most of them.

A copy has all modules that earlier copies imported. Its files, locks, limits and
signals are its own, as those of a new process.
"""

import contextlib
import os
import select
import signal
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import TracebackType

from attack.command import Said
from similitude.cli import main


class Forked:
    """A running command, with its own group of processes."""

    def __init__(
        self, *arguments: object, before: Callable[[], object] = lambda: None
    ) -> None:
        self.code: int | None = None
        pipes = [os.pipe() for _ in range(3)]
        self.pid = os.fork()
        if not self.pid:
            _command([str(argument) for argument in arguments], pipes, before)
        for _, written in pipes:
            os.close(written)
        self._read = [read for read, _ in pipes]

    def __enter__(self) -> "Forked":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.kill()

    def wait(self) -> Said:
        """What it said; later copies begin with its modules."""
        texts: dict[int, bytes] = dict.fromkeys(self._read, b"")
        for file in texts:
            os.set_blocking(file, False)
        while self.running():
            for file in select.select(list(texts), [], [], 0.01)[0]:
                texts[file] += _content(file)
        self._end_group()  # idle workers
        for file in texts:
            texts[file] += _content(file)
        out, err, modules = (text.decode(errors="replace") for text in texts.values())
        for name in modules.split():
            with contextlib.suppress(ImportError):  # made by the command itself
                import_module(name)
        assert self.code is not None
        return Said(self.code, out, err)

    def running(self) -> bool:
        if self.code is None:
            self._reap(os.WNOHANG)
        return self.code is None

    def processor_seconds(self) -> float:
        """Of the process and of its children, which a busy machine does not change."""
        path = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        with contextlib.suppress(OSError):
            pids = [self.pid, *map(int, path.read_text().split())]
            files = [Path(f"/proc/{pid}/schedstat") for pid in pids]
            return sum(int(file.read_text().split()[0]) for file in files) / 1e9
        return 0.0

    def kill(self) -> None:
        """End it with all its processes, and close its pipes."""
        self._end_group()
        if self.code is None:
            self._reap(0)
        for file in self._read:
            os.close(file)
        self._read = []

    def _end_group(self) -> None:
        if self.code is None:  # it may not have its group yet
            os.kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def _reap(self, how: int) -> None:
        pid, status = os.waitpid(self.pid, how)
        if pid:
            self.code = os.waitstatus_to_exitcode(status)


def forked(*arguments: object, before: Callable[[], object] = lambda: None) -> Said:
    with Forked(*arguments, before=before) as process:
        return process.wait()


def _content(file: int) -> bytes:
    """All that can be read now."""
    parts = []
    with contextlib.suppress(BlockingIOError):
        while parts[-1:] != [b""]:
            parts.append(os.read(file, 2**16))
    return b"".join(parts)


def _command(
    arguments: list[str], pipes: list[tuple[int, int]], before: Callable[[], object]
) -> None:
    code = 1
    os.setsid()
    try:
        known = set(sys.modules)
        for number, (_, written) in zip((1, 2), pipes, strict=False):
            os.dup2(written, number)
        for pipe in pipes[:2]:
            os.close(pipe[1])
        before()
        try:
            main(arguments)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(pipes[2][1], "\n".join(sys.modules.keys() - known).encode())
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)
