"""Time all RTD computations of the studies rtd/clusters and rtd/rings.

    python benchmarks/rtd_studies.py [--json]

One thread, kernels already compiled, the best of three runs, in processor seconds. The
point clouds are the tables of the studies themselves. The computations are, as in the
studies: RTD as the authors compute it (two barcodes per cloud), the barcodes of the
figures, and `rtd` of this library at its defaults. The scores must be equal to those of
the studies. The paper reports 164 s on a GPU for RTD of both experiments.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import similitude as sim
from common.harness import command, cost, report
from similitude_lab.study import Config, Parts, StudyResult, find_study

BASES = {"rtd/clusters": 0, "rtd/rings": 1}  # the cloud that is compared with the rest
PUBLISHED_S, TARGET_S = 164.0, 1.0

Cloud = np.ndarray


def result_of(name: str) -> StudyResult:
    study = find_study(name)
    setting = study.settings["smoke"]
    config = Config(scale="smoke", setting=setting, parts=Parts(None))
    return study.run(config, np.random.default_rng(0))


def clouds_of(name: str, result: StudyResult) -> tuple[Cloud, dict[int, Cloud]]:
    """The base cloud, and the other clouds by the number of clusters or rings."""
    columns = {k: np.asarray(v) for k, v in result.tables["clouds"].items()}
    points = np.stack([columns["x"], columns["y"]], axis=1)
    scored = next(iter(result.tables["scores"].values()))
    base = points[columns["cloud"] == BASES[name]]
    return base, {k: points[columns["cloud"] == k] for k in scored}


def authors_rtd(x: Cloud, y: Cloud) -> float:
    pairs = (x, y), (y, x)
    bars = [sim.topology.r_cross_barcode(*p, compat="reference")[1] for p in pairs]
    return float(sum(h1.total_persistence for h1 in bars) / 2)


def figures(x: Cloud, clouds: list[Cloud]) -> None:
    for y in clouds:
        sim.topology.r_cross_barcode(x, y, compat="reference")
        sim.topology.r_cross_barcode(y, x, compat="reference")


def library(x: Cloud, clouds: dict[int, Cloud]) -> None:
    for y in clouds.values():
        sim.rtd(x, y, rng=0)


def best(func: Callable[[], Any]) -> tuple[float, Any]:
    runs = [cost(func) for _ in range(3)]
    return min(seconds for seconds, _ in runs), runs[0][1]


def study(name: str) -> dict[str, Any]:
    result = result_of(name)
    base, clouds = clouds_of(name, result)
    drawn = [clouds[k] for k in np.unique(result.tables["barcodes"]["cloud"])]
    rtd_s, scores = best(lambda: [authors_rtd(base, y) for y in clouds.values()])
    np.testing.assert_array_equal(scores, result.tables["scores"]["rtd"])
    return {
        "study": name,
        "points": len(base),
        "clouds": len(clouds),
        "rtd_s": rtd_s,
        "figures_s": best(lambda: figures(base, drawn))[0],
        "library_s": best(lambda: library(base, clouds))[0],
    }


def main() -> None:
    options = command(__doc__).parse_args()
    with threadpool_limits(1), sim.config(threads=1):
        found = [study(name) for name in BASES]
    report(found, show, as_json=options.json)


def show(found: list[dict[str, Any]]) -> None:
    print("study         points  clouds  as published s  figures s  library s")
    for r in found:
        print(
            f"{r['study']:12} {r['points']:7} {r['clouds']:7} {r['rtd_s']:15.3f} "
            f"{r['figures_s']:10.3f} {r['library_s']:10.3f}"
        )
    total = sum(r["rtd_s"] + r["figures_s"] + r["library_s"] for r in found)
    print(
        f"all RTD computations: {total:.2f} s (target {TARGET_S:.0f} s; published "
        f"{PUBLISHED_S:.0f} s with a GPU)"
    )


if __name__ == "__main__":
    main()
