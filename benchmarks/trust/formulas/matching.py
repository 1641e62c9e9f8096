"""Matching of units: linear programs, and the Hungarian method of scipy."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from measures.matching.naive_matching import normalized

from .. import conditions
from ..tolerance import Law
from .blocks import padded, unit_columns
from .routes import NotDefined, Route, Routes, quotient


def best_sum(gains: np.ndarray) -> float:
    """The best one-to-one matching as a linear program, by scipy's HiGHS."""
    return -cheapest_plan(-gains, square=True)


def cheapest_plan(costs: np.ndarray, *, square: bool) -> float:
    """min <T, costs>: rows and columns are used once, or 1/d1 and 1/d2 of each."""
    from scipy.optimize import linprog

    a, b = costs.shape
    rows = np.kron(np.eye(a), np.ones((1, b)))
    columns = np.kron(np.ones((1, a)), np.eye(b))
    if square and a != b:  # the wider side may stay unmatched
        wide, narrow = (columns, rows) if b > a else (rows, columns)
        found = linprog(
            costs.ravel(), wide, np.ones(len(wide)), narrow, np.ones(len(narrow))
        )
    else:
        ones = np.ones(a), np.ones(b)
        sums = ones if square else (ones[0] / a, ones[1] / b)
        found = linprog(
            costs.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate(sums)
        )
    plan = np.where(found.x < 1e-9, 0.0, found.x)  # its own tolerance is 1e-7
    if square:
        plan = np.round(plan)
    return float(np.sum(plan.reshape(a, b) * costs))


def assigned_sum(gains: np.ndarray) -> float:
    from scipy.optimize import linear_sum_assignment

    return float(gains[linear_sum_assignment(gains, maximize=True)].sum())


def correlations(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of all pairs of columns that vary, pair by pair."""
    a, b = (columns(v) for v in (x, y))
    return np.array([[float(np.dot(u, v)) for v in b.T] for u in a.T])


def correlations_by_numpy(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    a, b = (columns(v) for v in (x, y))
    return np.corrcoef(a.T, b.T)[: a.shape[1], a.shape[1] :]


def columns(x: np.ndarray) -> np.ndarray:
    if np.all(x == x[0]):
        raise NotDefined("all rows are equal")
    return unit_columns(x)


def hard(best: Any) -> Any:
    def score(m: Any, x: np.ndarray, y: np.ndarray) -> float:
        found = correlations(x, y)
        return quotient(best(found), min(found.shape))

    return score


def soft(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean([max(row) for row in correlations(x, y)]))


def soft_by_numpy(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    return float(correlations_by_numpy(x, y).max(axis=1).mean())


def g_relu(best: Any) -> Any:
    def score(m: Any, x: np.ndarray, y: np.ndarray) -> float:
        a, b = padded(columns(x), columns(y))
        squares = np.sum(a**2) + np.sum(b**2) - 2 * best(a.T @ b)
        return 1 - float(np.sqrt(max(squares, 0.0) / (4 * a.shape[1])))

    return score


def permuted(best: Any) -> Any:
    def score(m: Any, x: np.ndarray, y: np.ndarray) -> float:
        a, b = padded(*sides(m, x, y))
        gain = best(a.T @ b)
        if m.form == "angular":
            return float(np.arccos(min(gain, 1.0)))
        return float(np.sqrt(max(np.sum(a**2) + np.sum(b**2) - 2 * gain, 0.0)))

    return score


def sides(m: Any, x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    if m.normalize == "columns":
        return [columns(v) for v in (x, y)]
    for v in (x, y):
        columns(v)
    return [normalized(v, m.normalize) for v in (x, y)]


def permutation_size(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    if m.normalize == "none":
        return conditions.centered_norms(m, x, y)
    if m.normalize == "frobenius":
        return 1.0
    return float(max(x.shape[1], y.shape[1])) ** 0.5


def permutation_condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    if m.normalize == "columns":
        return conditions.offset_of_columns(m, x, y)
    return conditions.offset(m, x, y)


def transport_costs(m: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    a, b = (columns(v) if m.normalize == "columns" else v for v in (x, y))
    return np.array([[float(np.sum((u - v) ** 2)) for v in b.T] for u in a.T])


def transport(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """The plan that moves the share `mass`, as a linear program."""
    from scipy.optimize import linprog

    costs = transport_costs(m, x, y)
    if m.mass == 1:
        return float(np.sqrt(cheapest_plan(costs, square=False)))
    a, b = costs.shape
    sums = np.kron(np.eye(a), np.ones((1, b))), np.kron(np.ones((1, a)), np.eye(b))
    most = np.concatenate([np.full(a, 1 / a), np.full(b, 1 / b)])
    whole = np.ones((1, a * b))
    found = linprog(costs.ravel(), np.vstack(sums), most, whole, [m.mass])
    plan = np.where(found.x < 1e-9, 0.0, found.x)
    return float(np.sqrt(plan @ costs.ravel() / m.mass))


def transport_by_copies(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """Copies of units make both sides equally wide: then a permutation is optimal.

    Units that stay unmatched are matched with copies of nothing, at no cost.
    """
    costs = transport_costs(m, x, y)
    both = math.lcm(*costs.shape, Fraction(m.mass).limit_denominator(1000).denominator)
    copies = np.repeat(costs, both // costs.shape[0], axis=0)
    copies = np.repeat(copies, both // costs.shape[1], axis=1)
    idle = round((1 - m.mass) * both)
    table = np.zeros((both + idle, both + idle))
    table[:both, :both] = copies
    table[both:, both:] = 4 * both * (costs.max() + 1)  # nothing is not matched twice
    return float(np.sqrt(max(-assigned_sum(-table) / both / m.mass, 0.0)))


def transport_size(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    return 2.0 if m.normalize == "columns" else conditions.norms(m, x, y)


def transport_condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    return conditions.offset_of_columns(m, x, y) if m.normalize == "columns" else 1.0


def raw_form(m: Any) -> Any:
    return "angle" if m.form == "angular" else "root"


def _both(score: Any) -> tuple[Route, Route]:
    return (
        Route("linear program (scipy HiGHS)", score(best_sum), "scipy"),
        Route("scipy linear_sum_assignment", score(assigned_sum), "scipy"),
    )


ROUTES = {
    "hard_correlation_match": Routes(Law(conditions.offset_of_columns), _both(hard)),
    "soft_correlation_match": Routes(
        Law(conditions.offset_of_columns),
        (
            Route("pair by pair", soft),
            Route("numpy corrcoef", soft_by_numpy),
        ),
    ),
    "g_relu_procrustes": Routes(
        Law(conditions.offset_of_columns, lambda m: "root"), _both(g_relu)
    ),
    "permutation_procrustes": Routes(
        Law(permutation_condition, raw_form, permutation_size), _both(permuted)
    ),
    "soft_matching": Routes(
        Law(transport_condition, lambda m: "root", transport_size),
        (
            Route("linear program (scipy HiGHS)", transport, "scipy"),
            Route("assignment of copied units", transport_by_copies, "scipy"),
        ),
    ),
}
