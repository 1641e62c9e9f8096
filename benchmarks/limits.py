"""Measure the rates of this machine, which bound the times of other benchmarks.

    python benchmarks/limits.py [--json]

One thread. Rates are the best of several runs.
"""

import platform
import statistics
import subprocess
import sys

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from common.harness import command, report, seconds


def gemm_rate(dtype: str, size: int = 2048) -> float:
    """Operations per second of a square matrix product."""
    a = np.random.default_rng(0).normal(size=(size, size)).astype(dtype)
    return 2 * size**3 / min(seconds(lambda: a @ a))


def read_rate(size: int = 2**26) -> float:
    """Bytes per second of one pass over an array larger than the caches."""
    a = np.ones(size, dtype=np.float32)
    return a.nbytes / min(seconds(lambda: a @ a))


def sort_rate(size: int = 2**23) -> float:
    """Values per second that numpy sorts."""
    a = np.random.default_rng(0).normal(size=size)
    return size / min(seconds(lambda: np.sort(a), repeats=3))


def start_seconds(repeats: int = 7) -> dict[str, float]:
    """Processor seconds of imports and of `similitude --help`, each in a new process.

    Medians of interleaved runs. The start of Python counts for help, not for imports.
    """
    scripts = {
        "import_numpy": "import numpy",
        "import_similitude": "import similitude",
        "import_measures": "import similitude.measures",
        "help": "from similitude_start import main; sys.argv[1:] = ['--help']; main()",
    }
    runs: dict[str, list[float]] = {name: [] for name in scripts}
    for _ in range(repeats):
        for name, script in scripts.items():
            start = "0.0" if name == "help" else "time.process_time()"
            code = (
                "import atexit, sys, time; atexit.register(lambda: print("
                f"time.process_time() - start, file=sys.stderr)); start = {start}; "
            )
            done = subprocess.run(
                [sys.executable, "-c", code + script],
                capture_output=True,
                text=True,
                check=True,
            )
            runs[name].append(float(done.stderr))
    return {name: statistics.median(found) for name, found in runs.items()}


def limits() -> dict[str, float | str]:
    with threadpool_limits(1):
        blas = threadpool_info()[0]
        return {
            "machine": platform.processor() or platform.machine(),
            "blas": f"{blas['internal_api']} {blas['version']} {blas['architecture']}",
            "gemm_float32": gemm_rate("float32"),
            "gemm_float64": gemm_rate("float64"),
            "read_bytes": read_rate(),
            "sort_values": sort_rate(),
            **start_seconds(),
        }


def main() -> None:
    options = command(__doc__).parse_args()
    report(limits(), show, as_json=options.json)


def show(found: dict[str, float | str]) -> None:
    print(f"{found['machine']}, {found['blas']}, one thread")
    print(f"GEMM float32     {found['gemm_float32'] / 1e9:8.1f} GFLOP/s")
    print(f"GEMM float64     {found['gemm_float64'] / 1e9:8.1f} GFLOP/s")
    print(f"read             {found['read_bytes'] / 1e9:8.1f} GB/s")
    print(f"sort float64     {found['sort_values'] / 1e6:8.1f} million/s")
    print(f"import numpy     {found['import_numpy']:8.3f} s")
    for name, bound in (("similitude", " (bound: 1.4 x)"), ("measures", "")):
        taken = found[f"import_{name}"]
        ratio = taken / found["import_numpy"]
        print(f"import {name:<10}{taken:8.3f} s, {ratio:.2f} x numpy{bound}")
    print(f"similitude --help{found['help']:8.3f} s (bound: 0.4 s)")


if __name__ == "__main__":
    main()
