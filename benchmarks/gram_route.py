"""Errors of whitening by Gram matrices and by QR, against 50-digit arithmetic.

    python benchmarks/gram_route.py [--json] [--quick] [--figure FILE.png]

First, mean_cca of 60 x 6 and 60 x 5 columns with condition numbers from 1 to 1e12. The
exact value is computed with mpmath in 50 digits. The errors are the largest of several
draws: for one Cholesky factor, for two, for QR, and for the route that the package
chooses. Then, for up to 10,000 rows, the difference of Z'Z from I after one factor, in
extended precision, relative to eps k^2 for the condition number k. The constant
`ROUNDING` must exceed these ratios.
"""

from math import nan
from pathlib import Path
from typing import Any
from unittest import mock

import mpmath
import numpy as np
from threadpoolctl import threadpool_limits

import similitude as sim
from common.harness import command, report
from common.routes import least_work
from similitude import _linalg
from similitude._base._validate import points
from similitude._linalg.bases import _gram_route

EPS = float(np.finfo(np.float64).eps)
LIMITS = {
    "one factor": (_gram_route.MOST_ERROR / (_gram_route.ROUNDING * EPS)) ** 0.5,
    "two factors": _gram_route.MOST_ERROR / (_gram_route.ROUNDING * EPS),
}


def conditioned(
    rng: np.random.Generator, n: int, d: int, condition: float, spectrum: str
) -> np.ndarray:
    """Centered rows with this condition number, up to the scaling of columns."""
    u = rng.standard_normal((n, d))
    u = np.linalg.qr(u - u.mean(axis=0))[0]
    v = np.linalg.qr(rng.standard_normal((d, d)))[0]
    s = np.geomspace(1.0, 1.0 / condition, d)
    if spectrum == "one weak":
        s = np.append(np.ones(d - 1), 1.0 / condition)
    elif spectrum == "one strong":
        s = np.append(1.0, np.full(d - 1, 1.0 / condition))
    x = (u * s) @ v.T
    return x / np.linalg.norm(x, axis=0)


def exact_mean_cca(x: np.ndarray, y: np.ndarray) -> Any:
    """By the symmetric eigenproblem of whitened covariances, in 50 digits."""
    with mpmath.workdps(50):
        a, b = (_centered(mpmath.matrix(v.tolist())) for v in (x, y))
        left, right = (_inverse_factor(v.T * v) for v in (a, b))
        across = left * (a.T * b) * right.T
        values = mpmath.eigsy(across.T * across, eigvals_only=True)
        count = min(x.shape[1], y.shape[1])
        roots = sorted((mpmath.sqrt(abs(v)) for v in values), reverse=True)[:count]
        return mpmath.fsum(roots) / count


def _centered(x: Any) -> Any:
    for j in range(x.cols):
        mean = mpmath.fsum(x[:, j]) / x.rows
        for i in range(x.rows):
            x[i, j] -= mean
    return x


def _inverse_factor(square: Any) -> Any:
    return mpmath.inverse(mpmath.cholesky(square))


def by_route(x: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """mean_cca by each route, also where the package would not use it.

    Beyond a condition number of about 1e7 the Gram matrix is singular after rounding.
    """
    found = {}
    for name, count in (("one factor", 1), ("two factors", 2)):
        chosen = mock.patch.object(
            _linalg.bases._whiten, "passes", lambda *_, count=count: count
        )
        with least_work(0.0), chosen:
            if _linalg.whiten(points(x)).coefficients is not None:
                found[name] = float(sim.mean_cca(x, y))
    with least_work(np.inf):
        found["QR"] = float(sim.mean_cca(x, y))
    with least_work(0.0):
        found["chosen"] = float(sim.mean_cca(x, y))
    return found


def errors(conditions: np.ndarray, draws: int) -> list[dict[str, Any]]:
    rows = []
    for condition in conditions:
        worst: dict[str, float] = {}
        for seed in range(draws):
            rng = np.random.default_rng(seed)
            spectrum = ("geometric", "one weak", "one strong")[seed % 3]
            x = conditioned(rng, 60, 6, condition, spectrum)
            shared = x @ rng.standard_normal((6, 5))
            y = conditioned(rng, 60, 5, 3.0, "geometric")
            y = y + 0.5 * shared / np.linalg.norm(shared, axis=0)
            exact = exact_mean_cca(x, y)
            for name, value in by_route(x, y).items():
                error = float(abs(value - exact) / exact)
                worst[name] = max(worst.get(name, 0.0), error)
        rows.append({"condition": float(condition), **worst})
    return rows


def defects(shapes: list[tuple[int, int]]) -> list[dict[str, Any]]:
    """|Z'Z - I| / (eps k^2) after one factor, the largest of three spectra."""
    rows = []
    for n, d in shapes:
        for condition in (1.0, 10.0, 100.0, 1e3, 1e4):
            ratios = []
            for spectrum in ("geometric", "one weak", "one strong"):
                rng = np.random.default_rng(n)
                x = points(conditioned(rng, n, d, condition, spectrum))
                found = _gram_route.gram_columns(
                    x, x.values, None, x.values.T @ x.values
                )
                assert found is not None
                white = _gram_route.whitened_by_gram(x.values, found, 1)
                wide = np.asarray(white.columns, np.longdouble)
                z = wide @ np.asarray(white.coefficients, np.longdouble)
                off = (z.T @ z - np.eye(d)).astype(np.float64)
                ratios.append(np.linalg.norm(off, 2) / (EPS * found.condition**2))
            rows.append({"n": n, "d": d, "condition": condition, "ratio": max(ratios)})
    return rows


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    k = [row["condition"] for row in rows]
    figure, axes = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
    styles = {
        "one factor": ("C1", "o-", "Gram matrix, one Cholesky factor"),
        "two factors": ("C2", "s-", "Gram matrix, two Cholesky factors"),
        "QR": ("C0", "^-", "QR"),
    }
    for name, (color, marker, label) in styles.items():
        values = [max(row.get(name, np.nan), 1e-17) for row in rows]
        axes.loglog(k, values, marker, color=color, ms=4, lw=1, label=label)
    chosen = [max(row["chosen"], 1e-17) for row in rows]
    axes.loglog(k, chosen, "ko", ms=9, mfc="none", label="route that is chosen")
    for name, limit in LIMITS.items():
        axes.axvline(limit, color=styles[name][0], ls=":", lw=1)
    axes.axhline(_gram_route.MOST_ERROR, color="0.5", ls="--", lw=1)
    limit = _gram_route.MOST_ERROR
    text = "largest accepted error by Gram matrices"
    axes.text(1e12, 0.25 * limit, text, size=8, ha="right")
    axes.set(xlabel="condition number of the columns of x", ylim=(5e-18, 10))
    axes.set_ylabel("relative error of mean_cca")
    axes.legend(fontsize=8, loc="lower right")
    figure.savefig(path, dpi=130)
    plt.close(figure)


def show(found: dict[str, Any]) -> None:
    print("relative error of mean_cca     one factor  two factors       QR   chosen")
    for r in found["errors"]:
        print(
            f"condition {r['condition']:<20.0e}{r.get('one factor', nan):>11.0e}"
            f"{r.get('two factors', nan):>13.0e}{r['QR']:>9.0e}{r['chosen']:>9.0e}"
        )
    print(f"\nlimits: {', '.join(f'{k} {v:.0f}' for k, v in found['limits'].items())}")
    print("|Z'Z - I| / (eps k^2) after one factor")
    for r in found["defects"]:
        print(f"{r['n']:>8,} x {r['d']:<5} k {r['condition']:<8.0e}{r['ratio']:.2f}")


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--quick", action="store_true", help="few cases, as a check")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="draw the errors")
    options = parser.parse_args()
    quick = options.quick
    with threadpool_limits(1):
        found = {
            "errors": errors(10.0 ** np.arange(0, 13, 4 if quick else 1), 3),
            "defects": defects([(300, 20)] if quick else [(300, 20), (10_000, 64)]),
            "limits": LIMITS,
        }
    if options.figure is not None:
        draw(found["errors"], options.figure)
    report(found, show, as_json=options.json)


if __name__ == "__main__":
    main()
