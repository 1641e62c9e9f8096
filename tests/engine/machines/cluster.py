"""A Dask scheduler and workers in processes of the command `dask`."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

DASK = str(Path(sys.executable).parent / "dask")
SIMILITUDE = [sys.executable, "-c", "from similitude_start import main; main()"]
SECONDS = 300.0  # until a process must have answered


def wait_until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


class Cluster:
    """Starts processes of Dask; ends those that are left."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.processes = folder, list[subprocess.Popen[bytes]]()
        self.logs = dict[int, Path]()

    def scheduler(self, *options: str) -> tuple[subprocess.Popen[bytes], str]:
        """A new scheduler, and its address."""
        file = self.folder / f"scheduler-{len(self.processes)}.json"
        line = ["--port", "0", "--host", "127.0.0.1", "--scheduler-file", str(file)]
        process = self._start("scheduler", *line)

        def written() -> bool:
            return file.exists() and file.read_text().rstrip().endswith("}")

        wait_until(written, "the scheduler does not start")
        return process, json.loads(file.read_text())["address"]

    def worker(
        self,
        address: str,
        cwd: Path | None = None,
        memory: str = "0",
        **environment: str,
    ) -> subprocess.Popen[bytes]:
        line = ["--nthreads", "1", "--no-nanny", "--memory-limit", memory]
        line += ["--local-directory", str(self.folder), "--death-timeout", "5"]
        process = self._start("worker", address, *line, cwd=cwd, **environment)
        log = self.logs[process.pid]
        wait_until(lambda: "Registered to" in log.read_text(), log.read_text())
        return process

    def _start(
        self, kind: str, *line: str, cwd: Path | None = None, **environment: str
    ) -> subprocess.Popen[bytes]:
        log = self.folder / f"{kind}-{len(self.processes)}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [DASK, kind, *line, "--no-dashboard"],
                stdout=output,
                stderr=output,
                cwd=cwd or self.folder,
                env=os.environ | environment,
            )
        self.processes.append(process)
        self.logs[process.pid] = log
        return process

    def close(self) -> None:
        for process in self.processes:
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a process at once, as the loss of its machine would."""
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
    process.wait()


def command(*arguments: str | Path) -> list[str]:
    return [*SIMILITUDE, *map(str, arguments)]
