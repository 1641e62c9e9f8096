"""Identities between measures, and conventions in which packages differ."""

from dataclasses import dataclass
from typing import Any

import numpy as np

import similitude as sim

from .cases import pair
from .formulas.blocks import center, rank
from .tolerance import delta

scores: Any = sim  # scores of numpy arrays are numpy numbers


@dataclass(frozen=True)
class Fact:
    """One sentence with its numbers, and whether it holds."""

    text: str
    holds: bool = True


def facts() -> dict[str, list[Fact]]:
    """By title of the section; each is computed when the page is written."""
    x, y = pair("points", "n > d", 0, small=False)
    found = {"Identities": identities(x, y), "Conventions": conventions(x, y)}
    return {title: list(part) for title, part in found.items()}


def identities(x: np.ndarray, y: np.ndarray) -> list[Fact]:
    """Each is an equation between two scores of the library, on the case n > d."""
    wide = pair("points", "unequal d", 0, small=False)
    angle = scores.procrustes(x, y)
    similarity = scores.procrustes(x, y, form="similarity")
    squared = scores.mean_cca(*wide, form="squared")
    ranks = [rank(center(v)) for v in wide]
    few = pair("points", "n > d", 0, small=True)
    parts = {name: _details(name, *few)["mst_part"] for name in _RTD}
    one = x[:, :1], y[:, :1]
    size = float(np.sqrt(x.shape[1]))
    pairs = {
        "`rtd(x, x)` = 0": (scores.rtd(few[0], few[0]), 0.0),
        "cos `procrustes` = `procrustes(form=similarity)`": (np.cos(angle), similarity),
        "`procrustes(form=euclidean)`^2 = `procrustes(form=squared)` = 2 - 2 "
        "`procrustes(form=similarity)`": (
            scores.procrustes(x, y, form="euclidean") ** 2,
            2 - 2 * similarity,
        ),
        "`shape_metric(alpha=1)` = `procrustes`": (
            scores.shape_metric(x, y, alpha=1.0),
            angle,
        ),
        "cos `shape_metric(alpha=0)` = `mean_cca` for equal ranks": (
            np.cos(scores.shape_metric(x, y, alpha=0.0)),
            scores.mean_cca(x, y),
        ),
        "`cka(estimator=biased)` of one column each = squared Pearson correlation": (
            scores.cka(*one, estimator="biased"),
            np.corrcoef(x[:, 0], y[:, 0])[0, 1] ** 2,
        ),
        "`cka(estimator=biased)` = `rsa(inner=sqeuclidean, outer=whitened_cosine)`": (
            scores.cka(x, y, estimator="biased"),
            scores.rsa(x, y, inner="sqeuclidean", outer="whitened_cosine"),
        ),
        "`minibatch_cka` of one batch = `cka`": (
            scores.minibatch_cka(x, y),
            scores.cka(x, y),
        ),
        "`gulp(ridge=0, form=squared)` = r1 + r2 - 2 min(r) `mean_cca(form=squared)`": (
            scores.gulp(*wide, ridge=0.0, form="squared"),
            sum(ranks) - 2 * min(ranks) * squared,
        ),
        "max(r) `eigenspace_overlap(center=True)` = min(r) `mean_cca(form=squared)`": (
            max(ranks) * scores.eigenspace_overlap(*wide, center=True),
            min(ranks) * squared,
        ),
        "`soft_matching`^2 = 2 - 2 `hard_correlation_match` for equal widths": (
            scores.soft_matching(x, y) ** 2,
            2 - 2 * scores.hard_correlation_match(x, y),
        ),
        "`g_relu_procrustes` = 1 - `permutation_procrustes(normalize=columns)` / "
        "2 sqrt(d)": (
            scores.g_relu_procrustes(x, y),
            1 - scores.permutation_procrustes(x, y, normalize="columns") / (2 * size),
        ),
        "`sqnr` = -20 log10 `relative_error`": (
            scores.sqnr(x, y),
            -20 * np.log10(scores.relative_error(x, y)),
        ),
        "the spanning-tree part of `srtd` = that of `rtd` + that of `max_rtd`": (
            parts["srtd"],
            parts["rtd"] + parts["max_rtd"],
        ),
    }
    return [_equation(text, float(a), float(b)) for text, (a, b) in pairs.items()]


_RTD = ("rtd", "max_rtd", "srtd")


def _details(name: str, x: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    measure = scores.MEASURES[name]
    return measure.details(*measure.prepare_both(x, y))


def _equation(text: str, a: float, b: float) -> Fact:
    allowed = delta("float64", 40, 8, 100.0) * max(1.0, abs(a))
    holds = abs(a - b) <= allowed
    verdict = "" if holds else " **does not hold**"
    return Fact(f"{text}: {a:.12g}, difference {abs(a - b):.0e}.{verdict}", holds)


def conventions(x: np.ndarray, y: np.ndarray) -> list[Fact]:
    """What others compute under the same name, with both numbers."""
    import ot
    from scipy.spatial import procrustes
    from sklearn.metrics.pairwise import laplacian_kernel

    dead = pair("points", "dead units", 0, small=False)
    units = [
        center(v) / np.maximum(np.linalg.norm(center(v), axis=0), 1e-300) for v in dead
    ]
    costs = ot.dist(units[0].T.copy(), units[1].T.copy())
    with_dead = np.sqrt(ot.emd2([], [], costs))
    kernels = [laplacian_kernel(v, gamma=1.0) for v in (x, y)]
    h = np.eye(len(x)) - 1 / len(x)
    a, b = (h @ k @ h for k in kernels)
    by_sums = np.sum(a * b) / np.linalg.norm(a) / np.linalg.norm(b)
    grams = [v @ v.T for v in (x, y)]
    raw = np.sum(grams[0] * grams[1]) / np.prod([np.linalg.norm(g) for g in grams])
    texts = [
        f"Dead units in soft matching: dropped, {scores.soft_matching(*dead):.4f}; "
        f"kept as zero columns (POT on all columns), {with_dead:.4f}.",
        f"Centering: kernel alignment without it is {raw:.4f}, biased CKA "
        f"{scores.cka(x, y, estimator='biased'):.4f}, unbiased CKA (the default) "
        f"{scores.cka(x, y):.4f}.",
        f"Centering in eigenspace overlap: means kept, as published, "
        f"{scores.eigenspace_overlap(x, y):.4f}; removed, "
        f"{scores.eigenspace_overlap(x, y, center=True):.4f}.",
        _variants("cycle_knn", "starts in x at one neighbor", "in y at all k", x, y),
        _variants("lcs_knn", "length over k", "length", x, y),
        _variants("cknna", "centers, then masks", "masks, then HSIC_1", x, y),
        f"SVCCA: by the definition {scores.svcca(x, y):.4f}, as published with RTD "
        f"{scores.svcca(x, y, variant='as_published'):.4f}.",
        f"Procrustes: similarity {scores.procrustes(x, y, form='similarity'):.4f}; the "
        f"disparity of scipy, 1 minus its square, {procrustes(x, y)[2]:.4f}.",
        f"Distance correlation: unbiased and squared (the default) "
        f"{scores.distance_correlation(x, y):.4f}; biased root, dCor, "
        f"{scores.distance_correlation(x, y, estimator='biased', form='root'):.4f}.",
        f"Laplacian kernel: of the Euclidean distance, biased CKA with sigma 1 "
        f"{scores.cka(x, y, kernel='laplacian', sigma=1.0, estimator='biased'):.4f}; "
        f"scikit-learn sums absolute differences, {by_sums:.4f}.",
        "Ties in `matching_accuracy`: the score must be between the smallest and the "
        "largest share of correct rows over all best matchings.",
        "Jensen-Shannon divergence: natural logarithms, at most 0.6931; in base 2 at "
        "most 1.",
    ]
    return [Fact(text) for text in texts]


def _variants(name: str, paper: str, code: str, x: np.ndarray, y: np.ndarray) -> str:
    function = getattr(sim, name)
    return (
        f"`{name}`: the paper ({paper}) {function(x, y):.4f}; the published code "
        f"({code}) {function(x, y, variant='platonic'):.4f}."
    )
