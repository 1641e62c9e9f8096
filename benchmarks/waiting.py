"""Time until the first score and until all results, as a user waits for them.

    python benchmarks/waiting.py [--json] [--quick] [--before SRC] [--only PART ...]

Each part runs in a new process, with two BLAS threads allowed and all defaults:

* pair: 10,000 x 768 and 10,000 x 512 in float32 under the six default measures.
* many: 30 representations (200 x 64) under the six default measures.
* stitch: `similitude latent stitch` of three spaces of 300 rows.
* spaces: the same for 24 spaces of 600 rows and 64 to 1,024 columns (24 x 24 x 12
  cells). By default 420 anchors, which are all training rows.
* procrustes: 80 representations (200 x 64), with the default statistics (3,160 pairs).
* rows: 300 representations (500 x 32) under cka, in a results folder (44,850 rows).
* tiles: 6 representations (20,000 x 256) under cka without permutations, with the
  budget of a Dask worker of 1 GiB (669 MiB), so that two of them fit at a time.
* rtd: the first `rtd` in a process of a machine that has compiled nothing yet.

The result has wall-clock and processor seconds, for the first score, all scores and
everything, the seconds of each stage, and the largest load of the machine. With
--before, the same parts run with the package in another `src` folder, such as a
checkout of an older commit, and the ratios of processor seconds are printed. The stage
with the most processor seconds bounds the result.

--quick uses smaller sizes, to check that the script runs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from common.harness import command

SOURCE = Path(__file__).resolve().parents[1] / "src"
START = "from similitude_start import main; main()"
PARTS = ("pair", "many", "stitch", "spaces", "procrustes", "rows", "tiles", "rtd")


def representations(widths: list[int], n: int) -> dict[str, np.ndarray]:
    """Noisy linear images of 32 latent variables."""
    rng = np.random.default_rng(0)
    z = rng.standard_normal((n, 32))
    return {
        f"r{i:02d}": (
            z @ rng.standard_normal((32, d)) + 2 * rng.standard_normal((n, d))
        ).astype(np.float32)
        for i, d in enumerate(widths)
    }


def processor_seconds() -> float:
    """Of this process, its threads, and its finished children."""
    times = os.times()
    return sum(times[:4])


def compared(
    widths: list[int],
    n: int,
    measures: str | None = None,
    *,
    out: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """`compare` with all defaults, watched through its progress."""
    import similitude as sim

    reps = representations(widths, n)
    start, clock = processor_seconds(), time.perf_counter()
    stages: dict[str, float] = {}
    found: dict[str, Any] = {}
    last = start

    def watch(stage: str, done: int, total: int) -> None:
        nonlocal last
        now, phase = processor_seconds(), stage.partition(":")[0]
        stages[stage] = stages.get(stage, 0.0) + now - last
        last = now
        passed = {"wall": time.perf_counter() - clock, "processor": now - start}
        if done:
            found.setdefault("first_score", passed)
        if phase == "scores":
            found["scores"] = passed

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out" if out else None
        rows = sim.compare(reps, measures, out=path, progress=watch, **options).rows
    now = processor_seconds()
    found["all"] = {"wall": time.perf_counter() - clock, "processor": now - start}
    nulls = {row.label: (row.p_method, row.permutations) for row in rows}
    return found | {"stages": stages, "nulls": nulls, "load": os.getloadavg()[0]}


def stitched(n: int, widths: list[int]) -> dict[str, Any]:
    """`similitude latent stitch` with all defaults."""
    rng = np.random.default_rng(0)
    z, labels = rng.standard_normal((n, 16)), rng.integers(5, size=n)
    z[np.arange(n), labels] += 3.0
    with tempfile.TemporaryDirectory() as folder:
        for i, d in enumerate(widths):
            x = z @ rng.standard_normal((16, d)) + rng.standard_normal((n, d))
            np.save(Path(folder) / f"r{i}.npy", x)
        np.save(Path(folder) / "labels.npy", labels)
        names = [f"r{i}.npy" for i in range(len(widths))]
        arguments = ["latent", "stitch", *names, "--labels", "labels.npy", "-o", "out"]
        start, clock = processor_seconds(), time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", START, *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            sys.exit(done.stderr)
        passed = {
            "wall": time.perf_counter() - clock,
            "processor": processor_seconds() - start,
        }
    return {"all": passed, "load": os.getloadavg()[0]}


def first_rtd() -> dict[str, Any]:
    """The first call in a process that finds no compiled kernels."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NUMBA_CACHE_DIR"] = cache
        import similitude as sim

        x = np.random.default_rng(0).normal(size=(2, 20, 3))
        start, clock = processor_seconds(), time.perf_counter()
        sim.rtd(*x)
        passed = {
            "wall": time.perf_counter() - clock,
            "processor": processor_seconds() - start,
        }
    return {"all": passed, "load": os.getloadavg()[0]}


def part(name: str, *, quick: bool) -> dict[str, Any]:
    if name == "pair":
        return compared([96, 64] if quick else [768, 512], 600 if quick else 10_000)
    if name == "many":
        return compared([32] * 4 if quick else [64] * 30, 60 if quick else 200)
    if name == "spaces":
        widths = np.geomspace(64, 1024, 6 if quick else 24)
        return stitched(600, [int(d) for d in widths])
    if name == "procrustes":
        return compared([64] * (24 if quick else 80), 200, name)
    if name == "rows":
        return compared([32] * (60 if quick else 300), 500, "cka", out=True)
    if name == "tiles":
        import similitude as sim

        with sim.config(memory_budget=669 * 2**20):
            return compared([256] * (3 if quick else 6), 20_000, "cka", permutations=0)
    if name == "rtd":
        return first_rtd()
    return stitched(60 if quick else 300, [24] * 3)


def measured(source: Path, name: str, *, quick: bool) -> dict[str, Any]:
    """The part in a new process, with the package in `source`."""
    environment = os.environ | {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "2"}
    options = ["--quick"] if quick else []
    done = subprocess.run(
        [sys.executable, __file__, "--part", name, *options],
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode:  # an older commit may fail; the other parts still run
        return {"error": done.stderr.strip().splitlines()[-1]}
    return json.loads(done.stdout)


def show(found: dict[str, dict[str, Any]]) -> None:
    for name, runs in found.items():
        for when, run in runs.items():
            if "error" in run:
                print(f"{name}, {when}: {run['error']}", flush=True)
                continue
            times = {
                key: run[key] for key in ("first_score", "scores", "all") if key in run
            }
            text = ", ".join(
                f"{key.replace('_', ' ')} {t['wall']:.1f} s ({t['processor']:.1f} s)"
                for key, t in times.items()
            )
            print(f"{name}, {when}: {text}; load {run['load']:.1f}", flush=True)
            stages = sorted(run.get("stages", {}).items(), key=lambda item: -item[1])
            for stage, seconds in stages[:4]:
                print(f"    {stage}: {seconds:.1f} s")
        if "before" in runs and not any("error" in run for run in runs.values()):
            ratio = (
                runs["before"]["all"]["processor"] / runs["after"]["all"]["processor"]
            )
            print(f"    {ratio:.1f} times fewer processor seconds than before")


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, as a check")
    parser.add_argument("--before", type=Path, metavar="SRC", help="another src folder")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part is not None:
        print(json.dumps(part(options.part, quick=options.quick)))
        return
    sources = {"after": SOURCE}
    if options.before is not None:
        sources = {"before": options.before.resolve(), "after": SOURCE}
    found: dict[str, dict[str, Any]] = {}
    for name in options.only:
        found[name] = {
            when: measured(source, name, quick=options.quick)
            for when, source in sources.items()
        }
        if not options.json:
            show({name: found[name]})
    if options.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
