"""Runs the cases of an attack in child processes, with a watchdog.

An attack is a module of this folder with

- `cases(full)`: the names of its cases, all of them or the subset of `make test`
- `check(case, folder)`: raises an error if the case did not survive. `folder` is empty
  at first, belongs to one child, and keeps its files from case to case.
- `SECONDS`: after this time, a case hangs; time in which other programs held the
  processors does not count, up to nine times as much
- `ENVIRONMENT`: environment variables of the children
"""

import contextlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue

TESTS = Path(__file__).parents[1]
MEMORY = 2**35  # bytes of address space of a child: an allocation beyond it fails


@dataclass(frozen=True)
class Tally:
    """The result of an attack; `failures` maps cases to problems."""

    name: str
    tried: int
    failures: dict[str, str]
    seconds: float
    processor: float  # seconds, which a busy machine does not change

    @property
    def survived(self) -> int:
        return self.tried - len(self.failures)

    @property
    def silent(self) -> int:
        """Cases with a wrong answer and without a word about it."""
        return sum(problem.startswith("Silent") for problem in self.failures.values())


def attack(
    name: str, *, full: bool, children: int = 1, only: Sequence[str] = ()
) -> Tally:
    """Try the cases of an attack in this number of child processes."""
    module = import_module(f"attack.{name}")
    waiting: SimpleQueue[str] = SimpleQueue()
    cases = list(only) or list(module.cases(full))
    assert len(set(cases)) == len(cases), "two cases have the same name"
    for case in cases:
        waiting.put(case)
    start, used = time.monotonic(), _processor_seconds()
    with (
        tempfile.TemporaryDirectory(prefix=f"attack-{name}-") as folder,
        ThreadPoolExecutor(children) as pool,
    ):
        folders = [Path(folder) / str(i) for i in range(children)]
        parts = list(pool.map(lambda own: _work(module, own, waiting), folders))
    failures = {case: problem for part in parts for case, problem in part.items()}
    seconds, processor = time.monotonic() - start, _processor_seconds() - used
    return Tally(name, len(cases), failures, seconds, processor)


def _processor_seconds() -> float:
    """Of all processes that this one started, and that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _work(module: object, folder: Path, waiting: SimpleQueue[str]) -> dict[str, str]:
    folder.mkdir()
    failures: dict[str, str] = {}
    child: _Child | None = None
    while True:
        try:
            case = waiting.get_nowait()
        except Empty:
            break
        if child is None:
            child = _Child(module, folder)
        if problem := child.check(case):
            failures[case] = problem
        if child.process.poll() is not None:
            child = None
    if child is not None:
        child.stop()
    return failures


class _Child:
    """A process that tries one case after the other."""

    def __init__(self, module: object, folder: Path) -> None:
        name = vars(module)["__name__"]
        self.seconds: float = vars(module)["SECONDS"]
        # A relative or empty entry would stand for a folder of the case.
        given = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
        path = os.pathsep.join([str(TESTS), *map(os.path.abspath, given)])
        # On a busy machine, lines of progress would come before the error.
        common = {"PYTHONPATH": path, "SIMILITUDE_PROGRESS": "off"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "attack.sandbox", name, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | common | vars(module)["ENVIRONMENT"],
            start_new_session=True,  # so that its own children can be ended with it
        )

    def check(self, case: str) -> str:
        """The problem of a case; empty if it survived."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{case}\n".encode())
        self.process.stdin.flush()
        start, waiting = time.monotonic(), _Waiting(self.process.pid)
        while not select.select([self.process.stdout], [], [], 0.5)[0]:
            most = min(waiting.seconds(), 9 * self.seconds)
            if time.monotonic() - start - most > self.seconds:
                self.stop()
                return f"hang: no answer within {self.seconds} s"
        line = self.process.stdout.readline()
        if not line:
            self.stop()
            return f"crash: exit code {self.process.returncode}"
        return json.loads(line)

    def stop(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.communicate()


class _Waiting:
    """How long a process or one of its children was ready, and had no processor.

    Between two calls, that of the process that waited longest. Processes wait at the
    same time: their sum would excuse two that loop forever on a busy machine.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.total = 0.0
        self.before = self._of_each()

    def seconds(self) -> float:
        now = self._of_each()
        longer = [now[pid] - self.before.get(pid, 0.0) for pid in now]
        self.total, self.before = self.total + max(longer, default=0.0), now
        return self.total

    def _of_each(self) -> dict[int, float]:
        pids, found = [self.pid], {}
        for pid in pids:  # grows
            with contextlib.suppress(OSError):
                text = Path(f"/proc/{pid}/schedstat").read_text()
                found[pid] = int(text.split()[1]) / 1e9
                for task in Path(f"/proc/{pid}/task").iterdir():
                    pids += map(int, (task / "children").read_text().split())
        return found


def _answer_cases(name: str, folder: Path) -> None:
    """In a child: read cases from stdin, and write problems to the original stdout.

    What a case prints goes to two files.
    """
    from attack import command

    answers = os.fdopen(os.dup(1), "w")
    command.redirect(folder)
    os.chdir(folder)  # some commands write to the current folder
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    for kind in (RuntimeWarning, UserWarning, FutureWarning):
        warnings.simplefilter("always", kind)  # not only once per line of code
    module = import_module(name)
    for line in sys.stdin:
        try:
            module.check(line.rstrip("\n"), folder)
            problem = ""
        except BaseException as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}:{place.lineno}"
            problem = f"{type(error).__name__} at {where}: {error}"
        answers.write(json.dumps(problem) + "\n")
        answers.flush()


if __name__ == "__main__":
    _answer_cases(sys.argv[1], Path(sys.argv[2]))
