"""Outputs of classifiers: stimulus by stimulus, and by scikit-learn and scipy."""

from typing import Any

import numpy as np

from .. import conditions
from ..tolerance import Law
from .routes import NotDefined, Route, Routes, quotient


def probabilities(side: Any) -> np.ndarray:
    """Rows sum to 1, also if the logarithms were rounded."""
    p = np.exp(side.log_probs)
    return p / p.sum(axis=1, keepdims=True)


def accuracy(side: Any) -> float:
    hits = [a == b for a, b in zip(side.labels, side.targets, strict=True)]
    return sum(hits) / len(hits)


def accuracy_by_package(side: Any) -> float:
    from sklearn.metrics import accuracy_score

    return float(accuracy_score(side.targets, side.labels))


def share(m: Any, x: Any, y: Any) -> float:
    differ = [a != b for a, b in zip(x.labels, y.labels, strict=True)]
    value = sum(differ) / len(differ)
    if m.form == "share":
        return value
    return quotient(value, 1 - (accuracy(x) + accuracy(y)) / 2)


def share_by_package(m: Any, x: Any, y: Any) -> float:
    from sklearn.metrics import hamming_loss

    value = float(hamming_loss(x.labels, y.labels))
    if m.form == "share":
        return value
    mean = (accuracy_by_package(x) + accuracy_by_package(y)) / 2
    return quotient(value, 1 - mean)


def consistency(m: Any, x: Any, y: Any) -> float:
    a, b = accuracy(x), accuracy(y)
    both = [
        (i == t) == (j == t)
        for i, j, t in zip(x.labels, y.labels, x.targets, strict=True)
    ]
    chance = a * b + (1 - a) * (1 - b)
    return quotient(sum(both) / len(both) - chance, 1 - chance)


def consistency_by_package(m: Any, x: Any, y: Any) -> float:
    from sklearn.metrics import cohen_kappa_score

    right = [side.labels == side.targets for side in (x, y)]
    if all(map(np.all, right)) or not any(map(np.any, right)):
        raise NotDefined("both always right, or both always wrong")
    return float(cohen_kappa_score(*right))


def capa(m: Any, x: Any, y: Any) -> float:
    agree, p_true, q_true, n = 0.0, 0.0, 0.0, len(x.labels)
    p, q = probabilities(x), probabilities(y)
    for i in range(n):
        agree += sum(a * b for a, b in zip(p[i], q[i], strict=True)) / n
        p_true, q_true = (
            p_true + p[i, x.targets[i]] / n,
            q_true + q[i, x.targets[i]] / n,
        )
    chance = p_true * q_true + (1 - p_true) * (1 - q_true) / (p.shape[1] - 1)
    return quotient(agree - chance, 1 - chance)


def capa_by_matrices(m: Any, x: Any, y: Any) -> float:
    """Traces of P'Q and of one-hot targets; (c - c0) / (1 - c0) = 1 - (1-c)/(1-c0)."""
    p, q = probabilities(x), probabilities(y)
    n, k = p.shape
    hot = np.eye(k)[x.targets]
    agree = np.trace(p @ q.T) / n
    a, b = np.trace(hot.T @ p) / n, np.trace(hot.T @ q) / n
    return 1 - quotient(1 - agree, 1 - a * b - (1 - a) * (1 - b) / (k - 1))


def jensen_shannon(m: Any, x: Any, y: Any) -> float:
    total = 0.0
    p, q = probabilities(x), probabilities(y)
    for a, b in zip(p, q, strict=True):
        for u, v in zip(a, b, strict=True):
            middle = (u + v) / 2
            total += sum(w * np.log(w / middle) / 2 for w in (u, v) if w > 0)
    return in_form(m, total / len(p))


def jensen_shannon_by_scipy(m: Any, x: Any, y: Any) -> float:
    from scipy.spatial.distance import jensenshannon

    rows = jensenshannon(probabilities(x), probabilities(y), axis=1)
    return in_form(m, float(np.mean(np.nan_to_num(rows) ** 2)))


def in_form(m: Any, value: float) -> float:
    return float(np.sqrt(max(value, 0.0))) if m.form == "distance" else float(value)


def kl(m: Any, x: Any, y: Any) -> float:
    total = 0.0
    p, q = probabilities(x), probabilities(y)
    for u, v in zip(p.ravel(), q.ravel(), strict=True):
        if u > 0:
            if v == 0:
                raise NotDefined("y excludes a class of x")
            total += u * np.log(u / v)
    return total / len(p)


def kl_by_scipy(m: Any, x: Any, y: Any) -> float:
    from scipy.special import rel_entr

    return float(np.mean(np.sum(rel_entr(probabilities(x), probabilities(y)), axis=1)))


def _pair(first: Any, label: str, second: Any, name: str) -> tuple[Route, Route]:
    package = "sklearn" if "scikit" in name else "scipy" if "scipy" in name else None
    return Route(label, first), Route(name, second, package)


BY_STIMULUS = "stimulus by stimulus"
ROUTES = {
    "accuracy_difference": Routes(
        Law(conditions.one),
        _pair(
            lambda m, x, y: abs(accuracy(x) - accuracy(y)),
            BY_STIMULUS,
            lambda m, x, y: abs(accuracy_by_package(x) - accuracy_by_package(y)),
            "scikit-learn accuracy_score",
        ),
    ),
    "disagreement": Routes(
        Law(conditions.one),
        _pair(share, BY_STIMULUS, share_by_package, "scikit-learn hamming_loss"),
    ),
    "error_consistency": Routes(
        Law(conditions.one),
        _pair(
            consistency,
            BY_STIMULUS,
            consistency_by_package,
            "scikit-learn cohen_kappa_score",
        ),
    ),
    "capa": Routes(
        Law(conditions.one), _pair(capa, BY_STIMULUS, capa_by_matrices, "traces")
    ),
    "jensen_shannon": Routes(
        Law(conditions.one, lambda m: "root" if m.form == "distance" else "plain"),
        _pair(
            jensen_shannon, BY_STIMULUS, jensen_shannon_by_scipy, "scipy jensenshannon"
        ),
    ),
    "kl_divergence": Routes(
        Law(conditions.one), _pair(kl, BY_STIMULUS, kl_by_scipy, "scipy rel_entr")
    ),
}
