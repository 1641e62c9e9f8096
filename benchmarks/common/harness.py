"""What the benchmarks share: their command line, and processor seconds.

Seconds are of this process, so that others on the machine do not count as they would by
the clock; caches and memory are still shared with them.
"""

import argparse
import json
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def command(doc: str | None) -> argparse.ArgumentParser:
    """The command line of a script: what it shows, in one sentence, and --json."""
    sentence, _, rest = (doc or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        description=" ".join(sentence.split()),
        epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="for machines")
    return parser


def report(found: Any, show: Callable[[Any], None], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(found, indent=2))
    else:
        show(found)


def cost(func: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of one run, and what it returns."""
    start = time.process_time()
    result = func()
    return time.process_time() - start, result


def seconds(func: Callable[[], Any], repeats: int = 5) -> list[float]:
    """Of `repeats` runs, after one that warms up."""
    func()
    return [cost(func)[0] for _ in range(repeats)]


def medians(*funcs: Callable[[], Any], repeats: int = 5) -> list[float]:
    """Of runs in turns, after one of each that warms up."""
    for func in funcs:
        func()
    runs = [[cost(func)[0] for func in funcs] for _ in range(repeats)]
    return [statistics.median(times) for times in zip(*runs, strict=True)]


def in_turns(ways: dict[str, Callable[[], Any]], turns: int) -> dict[str, float]:
    """The best run of each, of as many in turns."""
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(turns):
        for name, way in ways.items():
            best[name] = min(best[name], cost(way)[0])
    return best


def peak_gib() -> float:
    """Of this process alone: on Linux `getrusage` reports the parent's, if larger."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(lines["VmHWM"].split()[0]) / 2**20
