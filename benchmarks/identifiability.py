"""Time all 40 pairs of the K = 4 checkpoints: batched forms and plain loops.

    python benchmarks/identifiability.py [--json] [--loops PAIRS]

Needs the authors' checkpoints, in ../shared/data or in SIMILITUDE_SHARED_DATA, and
torch to read them. CPU seconds of one thread. Both versions compute the same quantities
for each pair: d_LLV with its choices over 200 sets of inputs, d_f, d_g, KL, both m_CCA.

The loops are written by us in numpy and follow the definitions: float32
log-probabilities one label at a time; loops over pivots, left-out labels and sets; KL
input by input; scikit-learn for d_SVD and m_CCA. `--loops` sets the number of pairs (1
to 40) for the loops; the time for all 40 is extrapolated. The authors' code is not run.
"""

import functools
import itertools
import json
import os
import tracemalloc
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cross_decomposition import CCA, PLSSVD
from threadpoolctl import threadpool_limits

import similitude as sim
from common.harness import command, cost, report
from similitude.identifiability import SoftmaxModel, fg_distance, kl, m_cca
from similitude_lab.closeness.data import (
    find_close_dist_checkpoints,
    radial_classification,
    read_close_dist_checkpoint,
)

DEFAULT_FOLDER = Path(__file__).parents[2] / "shared" / "data"
FOLDER = (
    Path(os.environ.get("SIMILITUDE_SHARED_DATA", DEFAULT_FOLDER))
    / "close-dist-checkpoints"
)
WIDTHS = (16, 32, 64, 128)
PAIRS = [(w, *ab) for w in WIDTHS for ab in itertools.combinations(range(5), 2)]
SETS = np.random.RandomState(0).choice(2000, 600, replace=False).reshape(200, 3)


@functools.cache
def representations(width: int, seed: int) -> SoftmaxModel:
    from similitude_lab.closeness.networks import SoftmaxNetworks

    found = find_close_dist_checkpoints(FOLDER)
    (path,) = (
        path
        for name, path in found.items()
        if (name.stage, name.width, name.seed) == ("trained", width, seed)
    )
    checkpoint = read_close_dist_checkpoint(path)
    networks = SoftmaxNetworks(**checkpoint.name.architecture).load(checkpoint.state)
    return networks.softmax_model(radial_classification(classes=4, split="test").points)


def ours(p: SoftmaxModel, q: SoftmaxModel) -> dict[str, Any]:
    got = fg_distance(p, q, input_sets=SETS, compat=True)
    llv = got.llv
    return {
        "choice": (llv.pivot, llv.left_out, llv.inputs),
        "d": llv.value,
        "t1": llv.t1,
        "t2": llv.t2,
        "d_f": got.d_f.value,
        "d_g": got.d_g,
        "KL": kl(p, q),
        "m_cca_f": m_cca(p.embeddings, q.embeddings),
        "m_cca_g": m_cca(p.unembeddings, q.unembeddings),
    }


def loops(p: SoftmaxModel, q: SoftmaxModel) -> dict[str, Any]:
    """The same quantities by plain loops over the definitions."""
    a, b = loop_log_probs(p), loop_log_probs(q)
    labels, m = range(a.shape[0]), p.dimension
    best = np.inf
    for pivot in labels:
        others = [y for y in labels if y != pivot]
        for left_out in others:
            used = [y for y in others if y != left_out]
            t1 = max(max(loop_terms(a[y], a[pivot], b[y], b[pivot])) for y in used)
            if t1 < best:
                best, choice, chosen = t1, (pivot, left_out), used
    t2, inputs = 1.0, SETS[0]
    for row in SETS:
        x = row[0]
        value = max(
            max(loop_terms(a[:, j], a[:, x], b[:, j], b[:, x])) for j in row[1:]
        )
        if value < t2:
            t2, inputs = value, row
    divergence = 0.0
    for x in range(a.shape[1]):
        divergence += float(np.sum(np.exp(a[:, x]) * (a[:, x] - b[:, x])))
    d_f = max(
        loop_d_svd(*(s.f @ (s.g[list(j)] - s.g[choice[0]]).T for s in (p, q)))
        for j in itertools.combinations(chosen, m)
    )
    d_g = loop_d_svd(*(s.g @ (s.f[inputs[1:]] - s.f[inputs[0]]).T for s in (p, q)))
    return {
        "choice": (*choice, tuple(inputs.tolist())),
        "d": max(best, t2),
        "t1": best,
        "t2": t2,
        "d_f": d_f,
        "d_g": d_g,
        "KL": divergence / a.shape[1],
        "m_cca_f": loop_m_cca(p.f, q.f),
        "m_cca_g": loop_m_cca(p.g, q.g),
    }


def loop_log_probs(model: SoftmaxModel) -> np.ndarray:
    """K x n in float32, one label at a time."""
    f, g = model.embeddings, model.unembeddings
    u = np.zeros((g.shape[0], f.shape[0]), dtype=np.float32)
    for y in range(g.shape[0]):
        u[y] = f @ g[y]
    top = u.max(axis=0)
    return u - (top + np.log(np.exp(u - top).sum(axis=0)))


def loop_terms(a: np.ndarray, a0: np.ndarray, b: np.ndarray, b0: np.ndarray) -> tuple:
    psi, psi_ = np.std(a - a0, ddof=1), np.std(b - b0, ddof=1)
    r = np.std(a / psi - b / psi_, ddof=1)
    return r, np.std(a0 / psi - b0 / psi_, ddof=1)


def loop_d_svd(z: np.ndarray, w: np.ndarray) -> float:
    m = z.shape[1]
    scores = PLSSVD(n_components=m).fit_transform(z, w)
    return 1 - float(
        np.mean([np.cov(scores[0][:, k], scores[1][:, k])[0, 1] for k in range(m)])
    )


def loop_m_cca(x: np.ndarray, y: np.ndarray) -> float:
    m = x.shape[1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # with four labels it may not converge
        a, b = CCA(n_components=m, max_iter=1000).fit_transform(x, y)
    return float(np.mean([np.corrcoef(a[:, k], b[:, k])[0, 1] for k in range(m)]))


def all_pairs() -> dict[tuple[int, int, int], dict[str, Any]]:
    """All pairs of new model objects, without cached values of an earlier run."""
    models = {}
    for width, seed in itertools.product(WIDTHS, range(5)):
        cached = representations(width, seed)
        models[width, seed] = SoftmaxModel(cached.embeddings, cached.unembeddings)
    return {(w, a, b): ours(models[w, a], models[w, b]) for w, a, b in PAIRS}


def deviations(
    found: dict[tuple[int, int, int], dict[str, Any]],
) -> tuple[int, dict[str, float]]:
    """Number of choices equal to the reference, and the largest differences."""
    reference = json.loads((FOLDER / "distances_k4.json").read_text())
    same, largest = 0, dict.fromkeys(("d", "t1", "t2", "d_f", "d_g", "KL"), 0.0)
    largest |= {"m_cca_f": 0.0, "m_cca_g": 0.0}
    for (width, a, b), got in found.items():
        row = reference[f"4/{width}/{a}vs{b}"]
        row |= {"d_f": 1 - min(row["mSVD_f"]), "d_g": 1 - row["mSVD_g"]}
        row |= {"m_cca_f": row["mcca_f"], "m_cca_g": row["mcca_g"]}
        same += got["choice"] == (row["piv"], row["lo"], tuple(row["idx"]))
        for name in largest:
            gap = abs(float(got[name]) - row[name])
            largest[name] = max(largest[name], gap)
    return same, largest


def large_cases() -> list[dict[str, Any]]:
    """Time and peak memory, without inputs, for many subsets or many labels."""
    rng = np.random.default_rng(0)
    rows = []
    for name, n, k, m, options in (
        ("K = 100, M = 10", 5_000, 100, 10, {}),
        ("K = 32,000, 256 labels=", 2_000, 32_000, 16, {"labels": range(256)}),
    ):
        f, g = rng.normal(size=(n, m)), rng.normal(size=(k, m))
        p = SoftmaxModel(f, g)
        q = SoftmaxModel(f + 0.1 * rng.normal(size=f.shape), g)
        with sim.config(memory_budget=2**28):
            tracemalloc.start()
            took, got = cost(
                lambda: fg_distance(p, q, draws=100, rng=0, **options)  # noqa: B023
            )
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        rows.append(
            {
                "case": name,
                "n": n,
                "seconds": took,
                "peak_bytes": peak,
                "logits_bytes": 2 * 8 * n * k,
                "num_subsets": got.d_f.num_subsets,
                "total_subsets": got.d_f.total,
                "exact": got.exact,
            }
        )
    return rows


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--loops", type=int, default=40, metavar="PAIRS")
    options = parser.parse_args()
    if not 1 <= options.loops <= len(PAIRS):
        parser.error(f"--loops must be 1 to {len(PAIRS)}")
    found: dict[str, Any] = {}
    with threadpool_limits(1):
        if FOLDER.is_dir():
            found |= against_loops(options.loops)
        found["large"] = large_cases()
    report(found, show, as_json=options.json)


def show(found: dict[str, Any]) -> None:
    if "pairs" in found:
        print(f"{found['pairs']} pairs: {found['seconds']:.3f} s", end="; ")
        print(f"loops {found['loop_seconds']:.1f} s, {found['ratio']:.0f} times that")
        print(f"choices equal to the reference: {found['same_choices']}")
        for name, value in found["largest_differences"].items():
            print(f"  largest difference in {name:8} {value:.1e}")
    else:
        print(f"checkpoints not found in {FOLDER.parent.name}: only large cases")
    for row in found["large"]:
        peak, logits = row["peak_bytes"] / 2**20, row["logits_bytes"] / 2**20
        print(
            f"{row['case']}: {row['seconds']:.2f} s, peak {peak:.0f} MiB (logits would "
            f"need {logits:.0f}), "
            f"{row['num_subsets']:,} of {row['total_subsets']:,} subsets"
        )


def against_loops(count: int) -> dict[str, Any]:
    for width, seed in itertools.product(WIDTHS, range(5)):
        representations(width, seed)  # read files before timing
    took = min(cost(all_pairs)[0] for _ in range(3))
    step = max(1, len(PAIRS) // count)
    some = PAIRS[::step][:count]
    looped: dict[tuple[int, int, int], dict[str, Any]] = {}

    def run() -> None:
        for w, a, b in some:
            looped[w, a, b] = loops(representations(w, a), representations(w, b))

    loop_seconds = cost(run)[0] * len(PAIRS) / len(some)
    same, largest = deviations(all_pairs())
    return {
        "pairs": len(PAIRS),
        "seconds": took,
        "loop_pairs": len(some),
        "loop_seconds": loop_seconds,
        "ratio": loop_seconds / took,
        "same_choices": same,
        "largest_differences": largest,
        "largest_differences_of_loops": deviations(looped)[1],
    }


if __name__ == "__main__":
    main()
