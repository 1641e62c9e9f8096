"""Measures that whiten: times by QR and by Gram matrices, in the same run."""

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

import similitude as sim
from common.bounds import BOUNDS
from common.harness import cost
from similitude._linalg.bases import _gram_route

ROUTED = (
    "mean_cca",
    "svcca",
    "pwcca",
    "shape_metric",
    "linear_regression",
    "gulp",
    "eigenspace_overlap",
)


@contextlib.contextmanager
def least_work(value: float) -> Iterator[None]:
    """Gram matrices are tried from this number of multiplications on."""
    before, _gram_route._LEAST_WORK = _gram_route._LEAST_WORK, value
    try:
        yield
    finally:
        _gram_route._LEAST_WORK = before


def ill_conditioned(x: np.ndarray) -> np.ndarray:
    """The same rows, but the last tenth of the columns nearly repeats the first."""
    rng, count = np.random.default_rng(1), x.shape[1] // 10
    x = x.copy()
    x[:, -count:] = x[:, :count] + 1e-8 * rng.standard_normal((len(x), count))
    return x


def route_times(
    name: str, pairs: dict[str, Any], machine: dict[str, Any], repeats: int = 3
) -> dict[str, Any]:
    """Best times of interleaved runs on each pair, and the gap between the scores."""
    measure = sim.MEASURES[name]
    n, d = pairs["well"][0].shape
    found: dict[str, Any] = {"measure": name, "n": n, "d": d}
    found["bound"] = BOUNDS[name](n, d).seconds(machine)
    for label, (x, y) in pairs.items():
        best, scores = {"qr": np.inf, "gram": np.inf}, {}
        for _ in range(repeats):
            for route, least in (("qr", np.inf), ("gram", _gram_route._LEAST_WORK)):
                with least_work(least):
                    took, scores[route] = cost(lambda x=x, y=y: measure(x, y))
                best[route] = min(best[route], took)
        gap = abs(float(scores["gram"]) - float(scores["qr"]))
        found[label] = best | {"gap": gap / abs(float(scores["qr"]))}
    found["share_before"] = found["bound"] / found["well"]["qr"]
    found["share"] = found["bound"] / found["well"]["gram"]
    found["ill_ratio"] = found["ill"]["gram"] / found["ill"]["qr"]
    return found


def show_routes(rows: list[dict[str, Any]]) -> None:
    print(
        "well-conditioned columns                  ms: QR   now  bound   share: QR   "
        "now   gap   ill-conditioned: QR   now  ratio   gap"
    )
    for r in rows:
        well, ill = r["well"], r["ill"]
        print(
            f"{r['measure']:<22}{r['n']:>8,}{r['d']:>6}{1e3 * well['qr']:>13.0f}"
            f"{1e3 * well['gram']:>6.0f}{1e3 * r['bound']:>7.0f}"
            f"{r['share_before']:>12.0%}{r['share']:>6.0%}{well['gap']:>8.0e}"
            f"{1e3 * ill['qr']:>18.0f}{1e3 * ill['gram']:>6.0f}"
            f"{r['ill_ratio']:>7.2f}{ill['gap']:>8.0e}"
        )
