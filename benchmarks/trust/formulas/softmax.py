"""Distances of softmax models: in loops, and by covariances and traces."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from identifiability import naive_likelihood as naive

from .. import conditions
from ..tolerance import Law
from .routes import SEED, Route, Routes


@dataclass(frozen=True)
class Plain:
    """Embeddings f and unembeddings g, with log-probabilities by scipy."""

    f: np.ndarray
    g: np.ndarray

    @property
    def dimension(self) -> int:
        return self.f.shape[1]

    def log_probs(self) -> np.ndarray:
        from scipy.special import log_softmax

        return log_softmax(self.f @ (self.g - self.g.mean(axis=0)).T, axis=1)


def plain(*models: Any) -> list[Plain]:
    return [Plain(m.embeddings, m.unembeddings) for m in models]


def sets(m: Any, x: Any) -> np.ndarray:
    """The drawn input sets: an input of the formula, not a result."""
    return m.prepare(x, np.random.SeedSequence(SEED)).input_sets


def llv_options(m: Any) -> dict[str, Any]:
    names = ("weight", "aggregate", "reduce")
    return {name: m.options[name] for name in names if name in m.options}


def d_llv(m: Any, x: Any, y: Any) -> float:
    p, q = plain(x, y)
    return float(naive.d_llv(p, q, sets(m, x), **llv_options(m))[0])


def gaps(a: np.ndarray, b: np.ndarray, pivot: int, others: list[int]) -> np.ndarray:
    """Rows (r, s, |psi - psi'|) of others, from covariances of functions."""
    both = np.cov(np.concatenate([a, b]))
    n, found = len(a), []
    for i in others:
        psi = np.sqrt(both[i, i] + both[pivot, pivot] - 2 * both[i, pivot])
        u, v = n + i, n + pivot
        psi_ = np.sqrt(both[u, u] + both[v, v] - 2 * both[u, v])
        ends = []
        for p, q in ((i, u), (pivot, v)):
            squared = both[p, p] / psi**2 + both[q, q] / psi_**2
            ends.append(np.sqrt(max(squared - 2 * both[p, q] / (psi * psi_), 0.0)))
        found.append((*ends, abs(psi - psi_)))
    return np.array(found)


def d_llv_by_covariances(m: Any, x: Any, y: Any) -> float:
    p, q = plain(x, y)
    options = llv_options(m)
    reduce = np.max if options["reduce"] == "max" else np.mean
    a, b = p.log_probs().T, q.log_probs().T
    labels, tried = range(len(a)), []
    for pivot, left_out in itertools.permutations(labels, 2):
        used = [i for i in labels if i not in (pivot, left_out)]
        found = gaps(a, b, pivot, used)
        tried.append((float(reduce(found[:, :2])), float(reduce(found[:, 2]))))
    t1, t3 = min(tried, key=lambda pair: pair[0])
    chosen = []
    for row in sets(m, x):
        found = gaps(a.T[row], b.T[row], 0, list(range(1, len(row))))
        chosen.append((float(np.max(found[:, :2])), float(reduce(found[:, 2]))))
    t2, t4 = min(chosen, key=lambda pair: pair[0])
    terms = t1, t2, options["weight"] * t3, options["weight"] * t4
    return max(terms) if options["aggregate"] == "max" else sum(terms)


def d_fg(m: Any, x: Any, y: Any) -> float:
    p, q = plain(x, y)
    _, _, (pivot, left_out, inputs) = naive.d_llv(p, q, sets(m, x))
    labels = [i for i in range(len(p.g)) if i not in (pivot, left_out)]
    return max(*naive.d_f(p, q, pivot, labels).values(), naive.d_g(p, q, inputs))


def d_fg_by_corrcoef(m: Any, x: Any, y: Any) -> float:
    """Correlations by numpy; the nuclear norm by the roots of eigenvalues."""
    p, q = plain(x, y)
    _, _, (pivot, left_out, inputs) = naive.d_llv(p, q, sets(m, x))
    labels = [i for i in range(len(p.g)) if i not in (pivot, left_out)]
    size, values = p.dimension, []
    pairs = []
    for chosen in itertools.combinations(labels, size):
        pairs.append([s.f @ (s.g[list(chosen)] - s.g[pivot]).T for s in (p, q)])
    rows = list(inputs[1:])
    pairs.append([s.g @ (s.f[rows] - s.f[inputs[0]]).T for s in (p, q)])
    for z, w in pairs:
        r = np.corrcoef(z.T, w.T)[:size, size:]
        values.append(1 - np.sum(np.sqrt(np.linalg.eigvalsh(r.T @ r))) / size)
    return float(max(values))


def d_rep(m: Any, x: Any, y: Any) -> float:
    return float(np.sqrt(naive.d_rep_squared(*plain(x, y))))


def d_rep_by_moments(m: Any, x: Any, y: Any) -> float:
    """E|f - A f'|^2 = tr Sff - 2 tr A Sf'f + tr A Sf'f' A', with A by a solve."""
    p, q = plain(x, y)
    n, values = len(p.f), []
    ff, gf, gg = p.f.T @ p.f / n, q.f.T @ p.f / n, q.f.T @ q.f / n
    for pivot in range(len(p.g)):
        others = [i for i in range(len(p.g)) if i != pivot]
        for chosen in itertools.combinations(others, p.dimension):
            big, small = (s.g[list(chosen)] - s.g[pivot] for s in (p, q))
            a = np.linalg.solve(big, small)
            values.append(np.trace(ff) - 2 * np.trace(a @ gf) + np.trace(a @ gg @ a.T))
    return float(np.sqrt(np.mean(values)))


def d_logit(m: Any, x: Any, y: Any) -> float:
    """Input by input and label by label."""
    p, q = plain(x, y)
    total = 0.0
    means = p.g.mean(axis=0), q.g.mean(axis=0)
    for a, b in zip(p.f, q.f, strict=True):
        for u, v in zip(p.g, q.g, strict=True):
            total += float(a @ (u - means[0]) - b @ (v - means[1])) ** 2
    return float(np.sqrt(total / len(p.f)))


def d_logit_by_traces(m: Any, x: Any, y: Any) -> float:
    """|FG' - F'G''|^2 from moments: tr(F'F G'G) and the cross term."""
    p, q = plain(x, y)
    sides = [(s.f, s.g - s.g.mean(axis=0)) for s in (p, q)]

    def inner(i: int, j: int) -> float:
        (f, g), (h, k) = sides[i], sides[j]
        return float(np.sum((f.T @ h) * (g.T @ k)))

    squared = inner(0, 0) + inner(1, 1) - 2 * inner(0, 1)
    return float(np.sqrt(squared / len(p.f)))


def condition(m: Any, x: Any, y: Any) -> float:
    """Differences of labels lose the digits of a common shift of all labels."""
    return conditions.offset(m, x.unembeddings, y.unembeddings)


def subset_condition(m: Any, x: Any, y: Any) -> float:
    """Also the worst-conditioned subset of labels, twice: it is inverted."""
    found = 1.0
    for model in plain(x, y):
        for chosen in itertools.permutations(range(len(model.g)), model.dimension + 1):
            rows = model.g[list(chosen[1:])] - model.g[chosen[0]]
            found = max(found, float(np.linalg.cond(rows)))
    return condition(m, x, y) * found**2


ROUTES = {
    "d_llv": Routes(
        Law(subset_condition),
        (
            Route("loops over labels and inputs", d_llv),
            Route("covariances", d_llv_by_covariances),
        ),
    ),
    "d_fg": Routes(
        Law(subset_condition),
        (
            Route("loops over subsets", d_fg),
            Route("numpy corrcoef, roots of eigenvalues", d_fg_by_corrcoef),
        ),
    ),
    "d_rep": Routes(
        Law(subset_condition),
        (
            Route("inverse of each subset", d_rep),
            Route("second moments", d_rep_by_moments),
        ),
    ),
    "d_logit": Routes(
        Law(condition),
        (
            Route("label by label", d_logit),
            Route("traces of second moments", d_logit_by_traces),
        ),
    ),
}
