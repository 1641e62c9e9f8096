"""Compare many representations on two Dask workers with little memory.

    python benchmarks/cluster.py [--json] [--quick] [--count K] [--rows N] [--columns D]
                                 [--limit MIB] [--folder PATH]

K representations of N x D values in float32, cka and procrustes, without permutations.
Two workers of a real scheduler have a memory limit. After a quarter of the rows one is
killed, and after half of them a third one joins. The table must equal that of one
process with the same budget. The script also counts the bytes that workers read (rchar
in /proc, after their imports), and compares them with the plan: two workers take the
tasks in turns, and read the representations that their last task did not have. The
kernel keeps the count of the killed worker, so its bytes are part of the sum.

By default K, N, D are 200, 20,000 and 256, and the limit is 1,024 MiB, which takes
hours. --quick has 12, 8,000, 128 and 400. With --folder, the store, the results and
the counts are kept there, and the run resumes.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

import similitude as sim
from common.harness import command, report
from similitude.engine import Folder
from similitude.engine.machines import _dask
from similitude.store import open_store

MEASURES = ["cka", "procrustes"]
OPTIONS = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory"]
DASK = str(Path(sys.executable).parent / "dask")
MIB = 2**20
FIELDS = ("read", "used", "peak", "workers")
PLANNED = ("tasks", "planned")


def write_store(path: Path, count: int, rows: int, columns: int) -> None:
    store, rng = open_store(path, create=True), np.random.default_rng(0)
    shared = rng.standard_normal((rows, 8)).astype(np.float32)
    for i in range(count):
        rng = np.random.default_rng(i + 1)
        noise = rng.standard_normal((rows, columns), np.float32)
        mixed = shared @ rng.standard_normal((8, columns), np.float32) + noise
        store.put(sim.Representation(f"r{i:03d}", mixed))


def load_library() -> None:
    """Import on a worker all that tasks need, before bytes are counted."""
    sim.compare({k: np.random.default_rng(0).random((50, 3)) for k in "ab"}, MEASURES)


class Worker:
    """A process of `dask worker`, and the bytes that it has read since its imports."""

    def __init__(self, folder: Path, address: str, limit: int, client: Any) -> None:
        before = set(client.nthreads())
        self.process = subprocess.Popen(
            [
                DASK,
                "worker",
                address,
                *OPTIONS,
                str(folder),
                "--memory-limit",
                f"{limit}MiB",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while not (new := set(client.nthreads()) - before):
            time.sleep(0.1)
        client.run(load_library, workers=list(new))
        self.start = self._now() or 0
        self.read, self.peak, self.used = 0, 0, 0.0

    def _now(self) -> int | None:
        try:
            text = Path(f"/proc/{self.process.pid}/io").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return int(text.split()[1]) if text else None

    def look(self) -> None:
        now = self._now()
        self.read = self.read if now is None else now - self.start
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text()
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().split()
        except (FileNotFoundError, ProcessLookupError):
            return
        ticks = int(fields[13]) + int(fields[14])
        self.used = max(self.used, ticks / os.sysconf("SC_CLK_TCK"))
        if "VmHWM" in status:
            high = int(status.split("VmHWM:")[1].split()[0])
            self.peak = max(self.peak, high // 1024)


def planned_bytes(parts: list[Any], each: int) -> int:
    """Bytes that two workers read if they take the tasks in turns."""
    last, total = [frozenset[Any](), frozenset[Any]()], 0
    for k, jobs in enumerate(parts):
        members = frozenset((id(j.measure), i) for j in jobs for i in (j.a, j.b))
        total += each * len(members - last[k % 2])
        last[k % 2] = members
    return total


class Counts:
    """Counts of all calls for one folder; each call writes its own file as it goes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.own = folder / f"counts-{time.time_ns()}.json"

    def write(self, workers: list[Worker], parts: list[Any], planned: int) -> None:
        read, used = (sum(getattr(w, name) for w in workers) for name in FIELDS[:2])
        peak = max((worker.peak for worker in workers), default=0)
        values = (read, used, peak, len(workers), len(parts), planned)
        text = json.dumps(dict(zip((*FIELDS, *PLANNED), values, strict=True)))
        self.own.with_suffix(".new").write_text(text)
        self.own.with_suffix(".new").replace(self.own)

    def total(self) -> dict[str, Any]:
        """Sums over all calls; the plan is that of the first one, which was whole."""
        files = sorted(self.folder.glob("counts-*.json"))
        calls = [json.loads(file.read_text()) for file in files]
        sums = {name: sum(call[name] for call in calls) for name in FIELDS}
        sums["peak"] = max(call["peak"] for call in calls)
        return sums | {name: calls[0][name] for name in PLANNED} | {"calls": len(calls)}


def measured(options: Any, folder: Path) -> dict[str, Any]:
    from distributed import Client

    store, out = folder / "reps", folder / "out"
    if not store.exists():
        write_store(store, options.count, options.rows, options.columns)
    total = len(MEASURES) * options.count * (options.count - 1) // 2
    file = folder / "scheduler.json"
    file.unlink(missing_ok=True)
    line = [DASK, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = subprocess.Popen([*line, "--scheduler-file", str(file)], **quiet)
    while not file.exists() or not file.read_text().rstrip().endswith("}"):
        time.sleep(0.1)
    address = json.loads(file.read_text())["address"]
    client = Client(address, set_as_default=False)
    workers: list[Worker] = []
    parts: list[Any] = []
    each, counts = 4 * options.rows * options.columns, Counts(folder)
    planned = 0
    send = _dask.Crew._round

    def recorded(self: Any, run: Any, sent: Any, given: Any) -> None:
        nonlocal planned
        parts.extend(given)
        planned = planned_bytes(parts, each)
        send(self, run, sent, given)

    def look() -> None:
        for worker in workers:
            worker.look()
        if parts:
            counts.write(workers, parts, planned)

    over = threading.Event()

    def disturb() -> None:
        """Kill a worker, start another one, and watch all of them."""
        known = Folder(out)
        count, killed = 0, False
        while not over.wait(0.2):
            look()
            count += len(known.new_rows()) if (out / "parts").exists() else 0
            if count > total // 2 and not killed:  # each row is written twice
                workers[0].process.kill()
                killed = True
            if count > total and len(workers) == 2:
                workers.append(Worker(folder, address, options.limit, client))

    watcher = threading.Thread(target=disturb)
    try:
        workers += [Worker(folder, address, options.limit, client) for _ in range(2)]
        _dask.Crew._round = recorded  # type: ignore[method-assign]
        budget = _dask.Crew(client, lambda *_: None).budget
        watcher.start()
        start = time.monotonic()
        with sim.config(memory_budget=budget):
            found = sim.compare(
                *(store, MEASURES),
                permutations=0,
                out=out,
                dask=client,
                progress=None,
            )
        seconds = time.monotonic() - start
    finally:
        over.set()
        watcher.join()
        look()
        client.close(timeout=2)
        for process in (*(worker.process for worker in workers), scheduler):
            process.kill()
            process.wait()
    start = time.process_time()
    with sim.config(memory_budget=budget):
        alone = sim.compare(
            store, MEASURES, permutations=0, out=folder / "alone", progress=None
        )
    sums = counts.total()
    return {
        "representations": [options.count, options.rows, options.columns],
        "budget of a worker, MiB": budget / MIB,
        "calls": sums["calls"],
        "workers": sums["workers"],
        "rows": len(found.rows),
        "equal to one process": found == alone and not found.unfinished,
        "tasks": sums["tasks"],
        "planned, MB": sums["planned"] / 1e6,
        "read, MB": sums["read"] / 1e6,
        "read / planned": sums["read"] / sums["planned"],
        "peak of a worker, MiB": sums["peak"],
        "limit of a worker, MiB": options.limit,
        "seconds": seconds,
        "processor seconds of workers": sums["used"],
        "processor seconds of one process": time.process_time() - start,
        "workers that did not compute": [n for n in found.notes if "not used" in n],
    }


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--quick", action="store_true", help="a small version")
    parser.add_argument("--count", type=int, help="representations")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--columns", type=int)
    parser.add_argument("--limit", type=int, help="memory limit of a worker in MiB")
    parser.add_argument("--folder", type=Path, help="keep the store and the results")
    options = parser.parse_args()
    sizes = (12, 8_000, 128, 400) if options.quick else (200, 20_000, 256, 1024)
    for name, size in zip(("count", "rows", "columns", "limit"), sizes, strict=True):
        if getattr(options, name) is None:
            setattr(options, name, size)
    with tempfile.TemporaryDirectory() as folder:
        if options.folder is not None:
            options.folder.mkdir(parents=True, exist_ok=True)
        found = measured(options, (options.folder or Path(folder)).absolute())
    report(found, show, as_json=options.json)
    if not found["equal to one process"] or found["read / planned"] > 2:
        sys.exit(1)


def show(found: dict[str, Any]) -> None:
    for name, value in found.items():
        print(f"{name}: {round(value, 2) if isinstance(value, float) else value}")


if __name__ == "__main__":
    main()
