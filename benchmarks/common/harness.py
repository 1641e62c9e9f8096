"""The command line of the benchmarks, and timing in processor seconds.

Processor seconds of this process exclude the time of other processes, unlike wall-clock
time. Caches and memory are still shared with other processes.
"""

import argparse
import json
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_STATUS = Path("/proc/self/status")


def command(doc: str | None) -> argparse.ArgumentParser:
    """The argument parser of a script, with its docstring as help, and --json."""
    sentence, _, rest = (doc or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        description=" ".join(sentence.split()),
        epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def report(found: Any, show: Callable[[Any], None], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(found, indent=2))
    else:
        show(found)


def cost(func: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of one run, and its result."""
    start = time.process_time()
    result = func()
    return time.process_time() - start, result


def seconds(func: Callable[[], Any], repeats: int = 5) -> list[float]:
    """Processor seconds of `repeats` runs, after a warm-up run."""
    func()
    return [cost(func)[0] for _ in range(repeats)]


def medians(*funcs: Callable[[], Any], repeats: int = 5) -> list[float]:
    """Median seconds of each function over interleaved runs, after a warm-up run."""
    for func in funcs:
        func()
    runs = [[cost(func)[0] for func in funcs] for _ in range(repeats)]
    return [statistics.median(times) for times in zip(*runs, strict=True)]


def interleaved(funcs: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """The best time of each function over interleaved runs."""
    best = dict.fromkeys(funcs, float("inf"))
    for _ in range(repeats):
        for name, func in funcs.items():
            best[name] = min(best[name], cost(func)[0])
    return best


def peak_gib() -> float:
    """Peak memory of this process; on Linux `getrusage` may report the parent's."""
    if not _STATUS.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return _status_gib("VmHWM")


def peak_over(func: Callable[[], Any]) -> tuple[float, Any]:
    """Peak memory during a call, minus the memory before it (GiB), and its result.

    Only on Linux; elsewhere the memory is NaN.
    """
    if not _STATUS.exists():
        return float("nan"), func()
    Path("/proc/self/clear_refs").write_text("5")  # start a new peak
    before = _status_gib("VmRSS")
    result = func()
    return _status_gib("VmHWM") - before, result


def _status_gib(name: str) -> float:
    lines = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
    return int(lines[name].split()[0]) / 2**20
