"""Definitions of the distances in plain loops, as references for tests."""

import itertools

import numpy as np

from similitude import SoftmaxModel


def random_model(rng, n: int, k: int, m: int, scale: float = 1.0) -> SoftmaxModel:
    return SoftmaxModel(rng.normal(size=(n, m)), scale * rng.normal(size=(k, m)))


def near(rng, model: SoftmaxModel, noise: float) -> SoftmaxModel:
    f, g = model.embeddings, model.unembeddings
    return SoftmaxModel(
        f + noise * rng.normal(size=f.shape), g + noise * rng.normal(size=g.shape)
    )


def sd(values: np.ndarray) -> float:
    return np.std(values, ddof=1)


def entries(a, b, pivot: int, others) -> list[tuple[float, float, float]]:
    """(r, s, ``|psi - psi'|``) of each of `others`; rows of a and b are functions."""
    found = []
    for i in others:
        psi, psi_ = sd(a[i] - a[pivot]), sd(b[i] - b[pivot])
        r = sd(a[i] / psi - b[i] / psi_)
        s = sd(a[pivot] / psi - b[pivot] / psi_)
        found.append((r, s, abs(psi - psi_)))
    return found


def term_1_or_2(found, reduce: str) -> float:
    values = [value for r, s, _ in found for value in (r, s)]
    return max(values) if reduce == "max" else float(np.mean(values))


def term_3_or_4(found, reduce: str) -> float:
    values = [gap for _, _, gap in found]
    return max(values) if reduce == "max" else float(np.mean(values))


def d_llv(p, q, sets, *, weight=1e-5, aggregate="max", reduce="max", labels=None):
    """The distance, its four terms, and the chosen pivot, left-out label and inputs.

    The entry of a pivot and a label does not change if the two are exchanged, so two
    pivots often have the same t1, up to rounding. The first label is used then.
    """
    a, b = p.log_probs().T, q.log_probs().T
    labels = list(range(len(a))) if labels is None else sorted(labels)
    best = None
    for pivot, left_out in itertools.permutations(labels, 2):
        used = [i for i in labels if i not in (pivot, left_out)]
        t1 = term_1_or_2(entries(a, b, pivot, used), reduce)
        if best is None or t1 < best[0] * (1 - 1e-12):
            best = t1, pivot, left_out, used
    t1, pivot, left_out, used = best
    t3 = term_3_or_4(entries(a, b, pivot, used), reduce)
    chosen = None
    for row in sets:
        found = entries(a.T, b.T, row[0], row[1:])
        t2 = term_1_or_2(found, "max")
        if chosen is None or t2 < chosen[0]:
            chosen = t2, term_3_or_4(found, reduce), row
    t2, t4, inputs = chosen
    terms = t1, t2, weight * t3, weight * t4
    value = max(terms) if aggregate == "max" else sum(terms)
    return value, (t1, t2, t3, t4), (pivot, left_out, list(inputs))


def d_svd(z: np.ndarray, w: np.ndarray) -> float:
    z, w = ((v - v.mean(axis=0)) / v.std(axis=0, ddof=1) for v in (z, w))
    r = z.T @ w / (len(z) - 1)
    return 1 - np.linalg.svd(r, compute_uv=False).mean()


def d_f(p, q, pivot: int, labels) -> dict[tuple[int, ...], float]:
    """d_SVD of every subset of M of the given labels."""
    found = {}
    for subset in itertools.combinations(labels, p.dimension):
        z, w = (
            model.f @ (model.g[list(subset)] - model.g[pivot]).T for model in (p, q)
        )
        found[subset] = d_svd(z, w)
    return found


def d_g(p, q, inputs) -> float:
    z, w = (
        model.g @ (model.f[list(inputs[1:])] - model.f[inputs[0]]).T for model in (p, q)
    )
    return d_svd(z, w)


def d_rep_squared(p, q) -> float:
    values = []
    for pivot in range(len(p.g)):
        others = [i for i in range(len(p.g)) if i != pivot]
        for subset in itertools.combinations(others, p.dimension):
            big, small = ((m.g[list(subset)] - m.g[pivot]).T for m in (p, q))
            a = np.linalg.inv(big).T @ small.T
            values.append(np.mean(np.sum((p.f - q.f @ a.T) ** 2, axis=1)))
    return float(np.mean(values))
