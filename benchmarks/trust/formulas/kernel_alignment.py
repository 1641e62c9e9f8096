"""CKA and its relatives: HSIC term by term, and inner products of centered Grams."""

from collections.abc import Callable
from typing import Any

import numpy as np

from measures.kernel_alignment.naive_hsic import naive_hsic_0, naive_hsic_1

from .. import conditions
from ..tolerance import Law
from .blocks import (
    center,
    distances,
    double_centered,
    u_centered,
)
from .graph_kernels import graph
from .routes import NotDefined, Route, Routes, quotient

Gram = Callable[[Any, np.ndarray], np.ndarray]


def median_of_pairs(d: np.ndarray) -> float:
    return float(np.median(d[np.triu_indices(len(d), k=1)]))


def bandwidth(kernel: Any, d: np.ndarray) -> float:
    sigma = (
        kernel.sigma
        if kernel.sigma is not None
        else kernel.fraction * median_of_pairs(d)
    )
    if sigma == 0:
        raise NotDefined("the median distance is 0")
    return float(sigma)


def gram_by_loops(m: Any, x: np.ndarray) -> np.ndarray:
    """k(x_i, x_j), pair by pair; linear and stationary kernels ignore the mean."""
    d = x.shape[1]
    refuse_equal_rows(x)
    if m.kernel.name in {"knn", "diffusion"}:
        return graph(m.kernel, x, second=False)
    if m.kernel.name == "polynomial":
        k = [[(float(np.dot(a, b)) / d + 1) ** m.kernel.degree for b in x] for a in x]
        return np.array(k)
    rows = center(x)
    if m.kernel.name == "linear":
        return np.array([[float(np.dot(a, b)) for b in rows] for a in rows])
    apart = distances(rows)
    s = bandwidth(m.kernel, apart)
    power = apart**2 / (2 * s**2) if m.kernel.name == "rbf" else apart / s
    return np.exp(-power)


def gram_by_package(m: Any, x: np.ndarray) -> np.ndarray:
    """Kernels of scikit-learn; its Laplacian uses the sum of absolute differences."""
    from scipy.spatial.distance import cdist
    from sklearn.metrics import pairwise

    refuse_equal_rows(x)
    if m.kernel.name in {"knn", "diffusion"}:
        return graph(m.kernel, x, second=True)
    if m.kernel.name == "polynomial":
        return pairwise.polynomial_kernel(x, degree=m.kernel.degree, coef0=1)
    rows = center(x)
    if m.kernel.name == "linear":
        return pairwise.linear_kernel(rows)
    apart = cdist(rows, rows)
    s = bandwidth(m.kernel, apart)
    if m.kernel.name == "rbf":
        return pairwise.rbf_kernel(rows, gamma=1 / (2 * s**2))
    return np.exp(-apart / s)


def refuse_equal_rows(x: np.ndarray) -> None:
    if np.all(x == x[0]):
        raise NotDefined("all rows are equal")


def cosine_by_hsic(m: Any, k: np.ndarray, l: np.ndarray) -> float:  # noqa: E741
    """HSIC(K, L) / sqrt(HSIC(K, K) HSIC(L, L)), with the definition of HSIC."""
    hsic = naive_hsic_1 if is_unbiased(m) else naive_hsic_0
    return quotient(hsic(k, l), np.sqrt(hsic(k, k) * hsic(l, l)))


def cosine_of_centered(m: Any, k: np.ndarray, l: np.ndarray) -> float:  # noqa: E741
    """The cosine of the two centered matrices, as vectors of n^2 entries."""
    a, b = ((u_centered if is_unbiased(m) else double_centered)(v) for v in (k, l))
    return quotient(np.sum(a * b), np.linalg.norm(a) * np.linalg.norm(b))


def is_unbiased(m: Any) -> bool:
    return m.options.get("estimator", "unbiased") == "unbiased"


def in_form(m: Any, cosine: float) -> float:
    if m.options.get("form") == "angular":
        return float(np.arccos(np.clip(cosine, -1, 1)))
    return cosine


def aligned(gram: Gram, cosine: Callable[..., float]) -> Callable[..., float]:
    return lambda m, x, y: in_form(m, cosine(m, gram(m, x), gram(m, y)))


def condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """Of the centered rows, and of the centering of their Gram matrices."""
    shift = 1.0 if m.kernel.name == "polynomial" else conditions.offset(m, x, y)
    grams = (gram_by_package(m, v) for v in (x, y))
    return shift * conditions.alignment(m, *grams)


def form(m: Any) -> Any:
    return "angle" if m.options.get("form") == "angular" else "plain"


def distance_gram(m: Any, x: np.ndarray) -> np.ndarray:
    refuse_equal_rows(x)
    return distances(x)


def dcor_squared(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    import dcor

    refuse_equal_rows(x)
    refuse_equal_rows(y)
    if is_unbiased(m):
        return float(dcor.u_distance_correlation_sqr(x, y))
    return float(dcor.distance_correlation_sqr(x, y))


def squared_or_root(m: Any, cosine: float) -> float:
    return float(np.sqrt(cosine)) if m.form == "root" else cosine


def distance_correlation(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    value = cosine_of_centered(m, distance_gram(m, x), distance_gram(m, y))
    return squared_or_root(m, value)


def distance_condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    grams = (distances(v) for v in (x, y))
    return conditions.offset(m, x, y) * conditions.alignment(m, *grams)


ROUTES = {
    "cka": Routes(
        Law(condition, form),
        (
            Route("HSIC term by term", aligned(gram_by_loops, cosine_by_hsic)),
            Route(
                "scikit-learn kernels, cosine of centered Grams",
                aligned(gram_by_package, cosine_of_centered),
                "sklearn",
            ),
        ),
    ),
    "distance_correlation": Routes(
        Law(distance_condition),
        (
            Route("centered distances", distance_correlation),
            Route(
                "dcor",
                lambda m, x, y: squared_or_root(m, dcor_squared(m, x, y)),
                "dcor",
            ),
        ),
    ),
}
