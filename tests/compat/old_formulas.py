"""The formulas of the old code, written again from their definitions."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch


def linear_cka(x: np.ndarray, y: np.ndarray) -> float:
    """``linear_CKA`` of the common files: HKH in the dtype of the input."""
    return _cosine(_doubly_centered(x @ x.T), _doubly_centered(y @ y.T))


def kernel_cka(x: np.ndarray, y: np.ndarray, sigma: float | None = None) -> float:
    """``kernel_CKA`` of the common files, with the median of squared distances."""
    grams = []
    for rows in (x, y):
        squares = _squared_distances(rows)
        width = math.sqrt(np.median(squares[squares != 0])) if sigma is None else sigma
        grams.append(_doubly_centered(np.exp(-squares / (2 * width**2))))
    return _cosine(*grams)


def notebook_rbf_cka(x: np.ndarray, y: np.ndarray) -> float:
    """``cka(gram_rbf(x), gram_rbf(y))``: the median includes the diagonal."""
    grams = []
    for rows in (x, y):
        squares = _squared_distances(rows)
        grams.append(_doubly_centered(np.exp(-squares / (2 * np.median(squares)))))
    return _cosine(*grams)


def mean_of_batches(x: np.ndarray, y: np.ndarray, size: int) -> float:
    """The mean of the biased CKA of batches."""
    starts = range(0, len(x), size)
    return float(
        np.mean([linear_cka(x[i : i + size], y[i : i + size]) for i in starts])
    )


def diagonal_subtracted(x: np.ndarray, y: np.ndarray) -> float:
    """HSIC with ``K - torch.diag(K)``, which subtracts a vector from every row."""
    k, l = (g - np.diag(g) for g in (x @ x.T, y @ y.T))  # noqa: E741
    n = len(k)

    def hsic(a: np.ndarray, b: np.ndarray) -> float:
        sums = a.sum() * b.sum() / (n - 1) / (n - 2)
        return np.trace(a @ b) + sums - 2 * a.sum(0) @ b.sum(0) / (n - 2)

    with np.errstate(invalid="ignore"):
        return float(hsic(k, l) / (np.sqrt(hsic(k, k)) * np.sqrt(hsic(l, l))))


def hsic_1(k: Any, l: Any) -> Any:  # noqa: E741
    """Song et al. (2012), for Grams with a zero diagonal."""
    n = len(k)
    total = (k @ l).trace() + k.sum() * l.sum() / ((n - 1) * (n - 2))
    return (total - 2 / (n - 2) * (k @ l).sum()) / (n * (n - 3))


def torch_cka(models: Any, batches: Iterable[Any]) -> np.ndarray:
    """The matrix of the package: a row per output, in the order in which layers run.

    `batches` are pairs of inputs. Outputs are kept without a copy.
    """
    sums: Any = 0.0
    for inputs in batches:
        grams: list[list[Any]] = []
        for model, x in zip(models, inputs, strict=True):
            outputs = _outputs(model, x).values()
            rows = [output.flatten(1) for output in outputs]
            grams.append([(r @ r.T).fill_diagonal_(0.0) for r in rows])
        sums = sums + np.array([[_sums(p, q) for q in grams[1]] for p in grams[0]])
    return sums[..., 0] / np.sqrt(sums[..., 1] * sums[..., 2])


def _sums(k: Any, l: Any) -> list[float]:  # noqa: E741
    return [float(hsic_1(*pair)) for pair in ((k, l), (k, k), (l, l))]


def _outputs(model: Any, x: Any) -> dict[str, Any]:
    """The outputs of all modules, in the order in which their hooks run."""
    found: dict[str, Any] = {}
    handles = [
        module.register_forward_hook(
            lambda _, __, output, name=name: found.__setitem__(name, output)
        )
        for name, module in model.named_modules()
    ]
    with torch.no_grad():
        model(x)
    for handle in handles:
        handle.remove()
    return found


def _squared_distances(rows: np.ndarray) -> np.ndarray:
    gram = rows @ rows.T
    half = np.diag(gram) - gram
    return half + half.T


def _doubly_centered(k: np.ndarray) -> np.ndarray:
    h = np.eye(len(k), dtype=k.dtype) - np.ones_like(k) / len(k)
    return h @ k @ h


def _cosine(k: np.ndarray, l: np.ndarray) -> float:  # noqa: E741
    return float(np.sum(k * l) / np.sqrt(np.sum(k * k) * np.sum(l * l)))
