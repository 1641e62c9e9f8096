"""Time linear CKA by features, by Gram matrices, and by the automatic choice.

    python benchmarks/cka_routes.py [--json]

One thread, float32, processor seconds. The best of seven interleaved runs counts. The
Gram matrix of 10,000 rows takes seconds, so it runs once.
"""

import functools
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import similitude as sim
from common.harness import command, cost, interleaved, report
from similitude import _linalg
from similitude._base._validate import points
from similitude.measures.kernel_alignment._kernel_functions import products


def data(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, d), dtype=np.float32) + 1
    return x, x + rng.standard_normal((n, d), dtype=np.float32)


def routes() -> list[dict[str, Any]]:
    rows = []
    for n in (1_000, 10_000):
        for d in (64, 512, 2048):
            x, y = data(n, d)
            funcs = {"automatic": sim.cka, "features": _by_features, "gram": _by_gram}
            calls = {name: functools.partial(f, x, y) for name, f in funcs.items()}
            if n > 1_000:  # one run is enough, since it takes seconds
                times = {"gram": cost(calls.pop("gram"))[0]}
            else:
                times = {}
            times |= interleaved(calls, 7)
            best = min(times["features"], times["gram"])
            rows.append(
                {"n": n, "d": d} | times | {"over_best": times["automatic"] / best}
            )
    return rows


def _by_features(x: np.ndarray, y: np.ndarray) -> Any:
    return _cka(
        *(_linalg.features(_linalg.center(points(v)), unbiased=True) for v in (x, y))
    )


def _by_gram(x: np.ndarray, y: np.ndarray) -> Any:
    linear = products
    return _cka(
        *(
            _linalg.gram(_linalg.center(points(v)), linear, unbiased=True)
            for v in (x, y)
        )
    )


def _cka(p: Any, q: Any) -> Any:
    return _linalg.inner(p, q) / (_linalg.norm(p) * _linalg.norm(q))


def main() -> None:
    options = command(__doc__).parse_args()
    with threadpool_limits(1), sim.config(memory_budget=8 * 2**30):
        rows = routes()
    report(rows, show, as_json=options.json)


def show(rows: list[dict[str, Any]]) -> None:
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
