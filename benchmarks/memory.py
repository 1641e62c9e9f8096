"""Peak memory of `compare` under a budget, in mixes of sizes and measures.

    python benchmarks/memory.py [--json] [--quick] [--seed S] [--mixes M] [--only I ...]

A seed draws the number of representations, their shapes, the budget and three measures
of each mix. The representations are in a store. Each mix runs in a new process, with
one worker and with two; these have the smallest multiple of the budget that is enough
for two processes. The peak is that of the sum over all processes of the memory
that is not backed by files (RssAnon in /proc), read every few milliseconds. The bound
is the budget, and 150 MiB per process for Python and its libraries.

Measures that need an extra, and measures of which a pair would take over a minute, are
not drawn. --quick runs two small mixes.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from common.harness import command, report

MIB = 2**20
ALLOWED = 150  # MiB per process
BUDGETS = (128, 256, 512, 1024)  # MiB
MOST_BUDGET = 8192  # MiB, of two workers
# Measures whose time grows with the square or the cube of the rows are drawn up to
# these rows.
ROWS = {"rows": 40_000, "squares": 4_000, "cubes": 1_000}
SQUARES = (
    *("rsa", "rsm_norm_difference", "mutual_knn", "cknna", "cycle_knn", "knn_jaccard"),
    *("lcs_knn", "rank_similarity", "retrieval_mrr", "second_order_cosine"),
    *("distance_correlation", "uniformity_difference"),
)
CUBES = (
    *("g_relu_cka", "imd", "matching_accuracy", "max_rtd", "nts_e", "nts_m"),
    *("rips_wasserstein", "srtd"),
)


def drawn(seed: int, *, quick: bool) -> dict[str, Any]:
    """The sizes, the budget and the measures of a mix."""
    from similitude import MEASURES

    rng = np.random.default_rng([seed, 32])
    names = [m.name for m in MEASURES.values() if m.domain == "points" and not m.extra]
    names = [name for name in names if name != "deconfounded_cka"]
    measures = [str(name) for name in rng.choice(names, 3, replace=False)]
    limit = "rows"
    if any(name in SQUARES for name in measures):
        limit = "squares"
    if any(name in CUBES for name in measures):
        limit = "cubes"
    budget = int(rng.choice(BUDGETS[:1] if quick else BUDGETS))
    n = int(math.exp(rng.uniform(math.log(200), math.log(ROWS[limit]))))
    # At most a twelfth of the budget in double precision, so that a pair is loaded.
    widest = min(1024, budget * MIB // (12 * 8 * n))
    count = int(rng.integers(3, 5 if quick else 13))
    widths = np.exp(rng.uniform(math.log(8), math.log(max(9, widest)), count))
    return {
        "budget": budget,
        "n": n if not quick else min(n, 1000),
        "widths": [int(d) for d in widths],
        "measures": measures,
    }


def budget_of_two(mix: dict[str, Any]) -> int:
    """The smallest multiple of the budget, in MiB, at which two processes compare.

    The budget itself if there is none: blocks of n x n numbers take a quarter of it in
    each process.
    """
    import similitude as sim
    from similitude.engine._memory import Memory

    n, d = mix["n"], max(mix["widths"])
    budget = int(mix["budget"])
    while budget <= MOST_BUDGET:
        with sim.config(memory_budget=budget * MIB, workers=2):
            if Memory(n, d).workers(8 * n * d) == 2:
                return budget
        budget *= 2
    return int(mix["budget"])


def write_store(mix: dict[str, Any], path: Path) -> None:
    import similitude as sim
    from similitude.store import open_store

    store, rng = open_store(path, create=True), np.random.default_rng(0)
    shared = rng.standard_normal((mix["n"], 8))
    for i, d in enumerate(mix["widths"]):
        noise = rng.standard_normal((mix["n"], d))
        rows = shared @ rng.standard_normal((8, d)) + noise
        store.put(sim.Representation(f"r{i:02d}", rows.astype(np.float32)))


SCRIPT = """
import sys
import similitude as sim
measures = sys.argv[2].split(",")
found = sim.compare(sys.argv[1], measures, progress=None)
print(sum(row.complete for row in found.rows), found.unfinished)
"""


def anonymous(pid: int) -> int:
    """Anonymous memory of a process in bytes; 0 if it has ended."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    found = re.search(r"RssAnon:\s+(\d+) kB", text)
    return 1024 * int(found[1]) if found else 0


def family(pid: int) -> list[int]:
    """A process and its descendants."""
    found = [pid]
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
    except FileNotFoundError:
        return found
    for task in tasks:
        try:
            children = (task / "children").read_text().split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        for child in children:
            found += family(int(child))
    return found


def peak(mix: dict[str, Any], store: Path, workers: int, budget: int) -> dict[str, Any]:
    """The largest sum over all processes, and the number of processes at that time."""
    environment = os.environ | {
        "SIMILITUDE_MEMORY_BUDGET": f"{budget}MiB",
        "SIMILITUDE_WORKERS": str(workers),
        "OMP_NUM_THREADS": "1",
    }
    run = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(store), ",".join(mix["measures"])],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    most, processes, together, start = 0, 1, 1, time.monotonic()
    while run.poll() is None:
        # Trackers of resources are small processes without numpy.
        each = [size for size in map(anonymous, family(run.pid)) if size > 20 * MIB]
        together = max(together, len(each))
        if sum(each) > most:
            most, processes = sum(each), len(each)
        time.sleep(0.004)
    output, errors = run.communicate()
    if run.returncode:
        sys.exit(errors)
    bound = budget + ALLOWED * processes
    return {
        "workers": workers,
        "budget": budget,
        "most processes": together,
        "peak": most / MIB,
        "processes": processes,
        "bound": bound,
        "holds": most / MIB <= bound,
        "rows": int(output.split()[0]),
        "unfinished": output.partition(" ")[2].strip(),
        "seconds": time.monotonic() - start,
    }


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--quick", action="store_true", help="two small mixes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mixes", type=int, default=10)
    parser.add_argument("--only", type=int, nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    count = 2 if options.quick else options.mixes
    found = []
    for i in options.only or range(count):
        mix = drawn(1000 * options.seed + i, quick=options.quick)
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "reps"
            write_store(mix, store)
            sizes = {1: mix["budget"], 2: budget_of_two(mix)}
            mix["runs"] = [peak(mix, store, w, size) for w, size in sizes.items()]
        found.append(mix)
        if not options.json:
            show_mix(i, mix)
    report(found, show, as_json=options.json)
    if not all(run["holds"] for mix in found for run in mix["runs"]):
        sys.exit(1)


def show_mix(i: int, mix: dict[str, Any]) -> None:
    low, high = min(mix["widths"]), max(mix["widths"])
    print(
        f"mix {i}: {len(mix['widths'])} x ({mix['n']:,} x {low}-{high}), "
        f"{', '.join(mix['measures'])}"
    )
    for run in mix["runs"]:
        verdict = "holds" if run["holds"] else "EXCEEDED"
        print(
            f"    {run['workers']} workers, budget {run['budget']} MiB: "
            f"{run['peak']:.0f} MiB in {run['processes']} processes (at most "
            f"{run['most processes']}), bound {run['bound']}: {verdict} "
            f"({run['rows']} rows, {run['seconds']:.0f} s) {run['unfinished']}",
            flush=True,
        )


def show(found: list[dict[str, Any]]) -> None:
    runs = [run for mix in found for run in mix["runs"]]
    worst = max(runs, key=lambda run: run["peak"] - run["bound"])
    print(
        json.dumps(
            {
                "runs": len(runs),
                "within the bound": sum(run["holds"] for run in runs),
                "closest": f"{worst['peak']:.0f} of {worst['bound']} MiB",
            }
        )
    )


if __name__ == "__main__":
    main()
