"""Time `similitude.compare` with many pairs, and its statistics.

    python benchmarks/compare.py [--json] [--quick] [--full] [--only PART ...]

One thread, processor seconds, since wall-clock time includes other processes.

* All pairs of K = 60 representations (1000 x 256) under CKA, Procrustes and CCA, by
  `compare(permutations=0)`, with intervals and every row saved to a folder. This is
  compared with calling the functions pair by pair, extrapolated from a sample.
* Linear CKA only: `compare_all` with its preparation, compared with pair by pair.
* Many representations in files: 100, or 500 with --full (124,750 pairs). A separate
  process does everything that `compare FOLDER -m cka` does by default, including the
  null distribution. The result has seconds and peak memory.
* 200 permutations of linear CKA at n = 2000, d = 512, and the closed moments of all
  permutations, compared with one evaluation.

--quick uses smaller sizes, to check that the script runs.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import similitude as sim
from common.harness import command, peak_gib
from similitude import stats
from similitude.store import read_files

MEASURES = ("cka", "procrustes", "mean_cca")


def representations(count: int, n: int, d: int) -> Iterator[np.ndarray]:
    """Noisy linear images of 16 latent variables."""
    rng = np.random.default_rng(0)
    z = rng.standard_normal((n, 16))
    for _ in range(count):
        yield z @ rng.standard_normal((16, d)) + rng.standard_normal((n, d))


def cpu(work: Callable[[], Any], repeats: int = 1) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def all_pairs(count: int, n: int, d: int) -> dict[str, Any]:
    """Three measures with the engine, compared with one call per pair."""
    xs = list(representations(count, n, d))
    reps = {f"r{i:03d}": x for i, x in enumerate(xs)}
    pairs = count * (count - 1) // 2
    sim.compare(dict(list(reps.items())[:3]), MEASURES, permutations=0)  # warm up

    def with_engine() -> None:
        with tempfile.TemporaryDirectory() as out:
            sim.compare(reps, MEASURES, permutations=0, out=out)

    apart = {}
    sample = min(pairs, 20)
    for name in MEASURES:
        function = getattr(sim, name)
        function(xs[0], xs[1])  # warm up
        start = time.process_time()
        for i in range(sample):
            function(xs[0], xs[1 + i % (count - 1)])
        apart[name] = (time.process_time() - start) / sample * pairs
    cka = sim.measures.CKA()
    together = cpu(lambda: cka.compare_all([cka.prepare(x) for x in xs]), repeats=3)
    engine = cpu(with_engine)
    return {
        "representations": count,
        "pairs": pairs,
        "engine_seconds": engine,
        "pair_by_pair_seconds": apart,
        "times_faster": sum(apart.values()) / engine,
        "cka_compare_all_seconds": together,
        "cka_times_faster": apart["cka"] / together,
    }


def many(count: int, n: int, d: int) -> dict[str, Any]:
    """A run on files in a separate process, to measure its memory."""
    with tempfile.TemporaryDirectory() as folder:
        for i, x in enumerate(representations(count, n, d)):
            np.save(Path(folder) / f"r{i:03d}.npy", x)
        command = [sys.executable, __file__, "--in-folder", folder]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    inputs = count * n * d * 8 / 2**20
    return {"representations": count, "inputs_mib": inputs} | found


def in_folder(folder: Path) -> dict[str, Any]:
    """The same work as `similitude compare FOLDER -m cka`."""
    before = 1024 * peak_gib()
    reps = [rep for path in sorted(folder.glob("*.npy")) for rep in read_files(path)]
    stages: dict[str, float] = {}
    first: dict[str, float] = {}

    def watch(stage: str, done: int, total: int) -> None:
        phase = stage.partition(":")[0]
        stages[phase] = time.process_time()
        if done:
            first.setdefault(phase, stages[phase])

    start, clock = time.process_time(), time.perf_counter()
    out = folder / "out"
    found = sim.compare(reps, "cka", out=out, progress=watch)
    took, passed = time.process_time() - start, time.perf_counter() - clock
    loading = cpu(lambda: sim.Results.load(out))
    return {
        "pairs": len(found),
        "seconds": took,
        "clock_seconds": passed,
        "scores_seconds": stages["scores"] - start,
        "until_first_score_seconds": first["scores"] - start,
        "until_first_statistics_seconds": first["statistics"] - stages["scores"],
        "intervals": sum(row.low is not None for row in found.rows),
        "nulls": sum(row.p is not None for row in found.rows),
        "null_by": sorted({row.p_method or "none" for row in found.rows}),
        "load_seconds": loading,
        "results_mib": sum(f.stat().st_size for f in out.rglob("*.*")) / 2**20,
        "peak_mib": 1024 * peak_gib(),
        "import_mib": before,
        "budget_mib": sim.Config().memory_budget / 2**20,
    }


def nulls(n: int, d: int, count: int = 200) -> dict[str, Any]:
    """Cost of permutations and of closed moments, in units of one evaluation."""
    x, y = representations(2, n, d)
    measure, orders = sim.measures.CKA(), stats.orders(n, count, 0)

    def permuted() -> np.ndarray:
        p, q = measure.prepare(x), measure.prepare(y)
        return stats.null_scores(measure, p, q, orders, y=y)

    def moments() -> tuple[float, float, float]:
        return measure.null_moments(measure.prepare(x), measure.prepare(y))

    scores = permuted()  # compiles
    one = cpu(lambda: sim.cka(x, y), repeats=5)
    mean, variance, _ = moments()
    return {
        "n": n,
        "d": d,
        "evaluation_seconds": one,
        "permutations": count,
        "permutations_in_evaluations": cpu(permuted, repeats=2) / one,
        "moments_in_evaluations": cpu(moments, repeats=3) / one,
        "mean_off_by_standard_errors": (scores.mean() - mean)
        / (variance / count) ** 0.5,
        "sd_ratio": scores.std() / variance**0.5,
    }


PARTS = ("all_pairs", "nulls", "many")


def arguments() -> argparse.Namespace:
    parser = command(__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, as a check")
    parser.add_argument("--full", action="store_true", help="500 representations")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--in-folder", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    if options.in_folder is not None:
        print(json.dumps(in_folder(options.in_folder)))
        return
    quick = options.quick
    found: dict[str, Any] = {}
    with threadpool_limits(1):
        if "all_pairs" in options.only:
            found["all_pairs"] = all_pairs(
                *((8, 200, 64) if quick else (60, 1000, 256))
            )
        if "nulls" in options.only:
            found["nulls"] = nulls(*((300, 100) if quick else (2000, 512)))
    if "many" in options.only:
        count = 500 if options.full else 100
        found["many"] = many(*((30, 200, 64) if quick else (count, 1000, 256)))
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for part, values in found.items():
        print(SHOWN[part](values))


def show_all_pairs(a: dict[str, Any]) -> str:
    apart = sum(a["pair_by_pair_seconds"].values())
    return (
        f"K = {a['representations']}, {' + '.join(MEASURES)}, {a['pairs']:,} pairs "
        f"each: {a['engine_seconds']:.1f} s, pair by pair {apart:.1f} s: "
        f"{a['times_faster']:.1f}x\n"
        f"cka alone by compare_all: {a['cka_compare_all_seconds']:.2f} s, pair by pair "
        f"{a['pair_by_pair_seconds']['cka']:.1f} s: {a['cka_times_faster']:.1f}x"
    )


def show_many(m: dict[str, Any]) -> str:
    return (
        f"K = {m['representations']}, cka, {m['pairs']:,} pairs: {m['seconds']:.1f} s "
        f"({m['clock_seconds']:.1f} s wall-clock): {m['scores_seconds']:.1f} s for "
        f"scores, the rest for {m['intervals']:,} intervals and {m['nulls']:,} null "
        f"distributions ({', '.join(m['null_by'])}). Peak memory "
        f"{m['peak_mib']:,.0f} MiB (inputs {m['inputs_mib']:,.0f}, budget "
        f"{m['budget_mib']:,.0f}). First scores saved after "
        f"{m['until_first_score_seconds']:.1f} s, first statistics "
        f"{m['until_first_statistics_seconds']:.1f} s after the scores. Loaded in "
        f"{m['load_seconds']:.1f} s from {m['results_mib']:.0f} MiB"
    )


def show_nulls(p: dict[str, Any]) -> str:
    return (
        f"{p['permutations']} permutations of cka, {p['n']} x {p['d']}: "
        f"{p['permutations_in_evaluations']:.1f} evaluations "
        f"({p['evaluation_seconds']:.3f} s each); closed moments "
        f"{p['moments_in_evaluations']:.1f}. They differ by "
        f"{p['mean_off_by_standard_errors']:.1f} standard errors in the mean and by a "
        f"factor of {p['sd_ratio']:.2f} in the standard deviation"
    )


SHOWN = {"all_pairs": show_all_pairs, "many": show_many, "nulls": show_nulls}


if __name__ == "__main__":
    main()
