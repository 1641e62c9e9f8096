"""Compare two stores that do not fit into the memory budget, and time it.

    python benchmarks/out_of_core.py [--rows N] [--columns D] [--folder DIR] [--json]

Two stores of float32 are written to a temporary folder, by default 1,000,000 x 512,
2 GB each, and compared by unbiased linear CKA, mean_cca and procrustes in one call. The
rows are read once, in parts, and the sha256 of every shard is verified. The baseline
reads the same files without verification, and computes X'X, Y'Y and X'Y in float32
with the same number of threads, in the same run. Its time is the sum of both. The
largest anonymous memory (RssAnon) of the process is sampled every 10 ms during the
comparison. Wall-clock seconds depend on other processes, so processor seconds are
printed as well.
"""

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import similitude as sim
from common.harness import command, report
from similitude.store import open_store

MEASURES = ("cka", "mean_cca", "procrustes")
BATCH = 2**15
MOST_GIB, LEAST_RATE = 1.5, 0.5


def write_stores(folder: Path, rows: int, columns: int) -> list[Path]:
    """Two representations with 16 common directions, and noise."""
    store = open_store(folder / "reps", create=True)
    maps = np.random.default_rng(0).normal(size=(2, 16, columns)).astype(np.float32)
    for name, to in zip("ab", maps, strict=True):
        noise = np.random.default_rng(ord(name))
        common = np.random.default_rng(1)
        with store.writer(name) as writer:
            step = 2**17  # 256 MB and a shard of 512 columns
            for start in range(0, rows, step):
                n = min(step, rows - start)
                z = common.standard_normal((n, 16), dtype=np.float32)
                x = noise.standard_normal((n, columns), dtype=np.float32)
                x += z @ to
                writer.append(x)
            writer.commit()
    return [store.folder(element) for element in store.ids()]


@contextmanager
def anonymous_memory() -> Iterator[list[int]]:
    """The largest RssAnon of this process so far, in bytes."""
    largest, stop = [0], threading.Event()

    def sample() -> None:
        while not stop.wait(0.01):
            largest[0] = max(largest[0], rss_anon())

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield largest
    finally:
        stop.set()
        thread.join()


def rss_anon() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return 0


def both_times(func: Callable[[], Any]) -> tuple[float, float]:
    """Wall-clock and processor seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    func()
    return time.perf_counter() - wall, time.process_time() - cpu


def read(elements: list[Path]) -> None:
    space = bytearray(2**23)
    for element in elements:
        for path in sorted(element.glob("rows-*.npy")):
            with path.open("rb", buffering=0) as file:
                while file.readinto(space):
                    pass


def multiply(rows: int, columns: int) -> None:
    """X'X, Y'Y and X'Y of this many rows; the values do not matter."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, BATCH, columns), dtype=np.float32)
    for start in range(0, rows, BATCH):
        a, b = x[: rows - start], y[: rows - start]
        _ = a.T @ a, b.T @ b, a.T @ b


def measure(rows: int, columns: int, threads: int, folder: Path) -> dict[str, Any]:
    elements = write_stores(folder, rows, columns)
    read(elements)  # into the page cache, as for the comparison
    with threadpool_limits(threads):
        reading, products = (
            both_times(lambda: read(elements)),
            both_times(lambda: multiply(rows, columns)),
        )
    baseline = np.add(reading, products)
    budget = min(2**31, 4 * rows * columns)  # smaller than the rows in float64
    with sim.config(threads=threads, memory_budget=budget), anonymous_memory() as most:
        results: list[sim.Results] = []
        found = both_times(
            lambda: results.append(sim.compare(folder / "reps", list(MEASURES)))
        )
    assert all(row.details["streamed"] for row in results[0].rows)
    return {
        "rows": rows,
        "columns": columns,
        "threads": threads,
        "scores": {row.label: row.score for row in results[0].rows},
        "seconds": {"compare": found, "read": reading, "multiply": products},
        "rate": dict(zip(("wall", "processor"), baseline / found, strict=True)),
        "gib": most[0] / 2**30,
    }


def show(found: dict[str, Any]) -> None:
    print(f"{found['rows']:,} x {found['columns']}, {found['threads']} threads")
    print("scores:", ", ".join(f"{k} {v:.6f}" for k, v in found["scores"].items()))
    for name, (wall, cpu) in found["seconds"].items():
        print(f"{name:<9} {wall:6.2f} s, {cpu:6.2f} processor seconds")
    rates = ", ".join(f"{v:.2f} ({k} seconds)" for k, v in found["rate"].items())
    print(f"rate, of reading plus products: {rates}; target {LEAST_RATE}")
    print(f"anonymous memory: {found['gib']:.2f} GiB; target below {MOST_GIB}")


if __name__ == "__main__":
    parser = command(__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=512)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where 4 GB are free")
    arguments = parser.parse_args()
    place = Path(tempfile.mkdtemp(dir=arguments.folder))
    try:
        result = measure(arguments.rows, arguments.columns, arguments.threads, place)
    finally:
        shutil.rmtree(place)
    report(result, show, as_json=arguments.json)
