"""Linear CKA by either route, and by the one that is chosen.

python benchmarks/cka_routes.py [--json]
"""

import json
import sys
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import similitude as sim
from limits import seconds
from similitude import _linalg
from similitude._validate import points
from similitude.measures._kernels import Kernel


def data(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, d), dtype=np.float32) + 1
    return x, x + rng.standard_normal((n, d), dtype=np.float32)


def routes() -> list[dict[str, Any]]:
    rows = []
    for n in (1_000, 10_000):
        for d in (64, 512, 2048):
            x, y = data(n, d)
            ways = {"automatic": sim.cka, "features": _by_features, "gram": _by_gram}
            times = dict.fromkeys(ways, float("inf"))
            # In turns, so that a busy neighbour disturbs all of them alike.
            for turn in range(7):
                for name, func in ways.items():
                    if name == "gram" and n > 1_000 and turn:
                        continue  # once is enough to see that it takes seconds
                    took = min(seconds(lambda: func(x, y), repeats=1))  # noqa: B023
                    times[name] = min(times[name], took)
            best = min(times["features"], times["gram"])
            rows.append(
                {"n": n, "d": d} | times | {"over_best": times["automatic"] / best}
            )
    return rows


def _by_features(x: np.ndarray, y: np.ndarray) -> Any:
    return _cka(
        *(_linalg.features(_linalg.centre(points(v)), unbiased=True) for v in (x, y))
    )


def _by_gram(x: np.ndarray, y: np.ndarray) -> Any:
    linear = Kernel("linear")
    return _cka(
        *(
            _linalg.gram(_linalg.centre(points(v)), linear, unbiased=True)
            for v in (x, y)
        )
    )


def _cka(p: Any, q: Any) -> Any:
    return _linalg.inner(p, q) / (_linalg.norm(p) * _linalg.norm(q))


def main() -> None:
    with threadpool_limits(1), sim.config(memory_budget=8 * 2**30):
        rows = routes()
    if "--json" in sys.argv[1:]:
        print(json.dumps(rows, indent=2))
        return
    print("linear CKA, unbiased, float32: milliseconds by route")
    print("       n     d   features       gram  automatic  over best")
    for r in rows:
        print(
            f"{r['n']:>8,}{r['d']:>6}{1e3 * r['features']:>11.1f}"
            f"{1e3 * r['gram']:>11.1f}{1e3 * r['automatic']:>11.1f}"
            f"{r['over_best']:>11.2f}"
        )


if __name__ == "__main__":
    main()
