"""Heat traces of nearest-neighbor graphs: tr exp(-tL) / n, exact or estimated."""

from typing import Any

import numpy as np
import scipy

from ..._linalg import budget_rows, spans

#: Diffusion times. Short times measure local structure, long times global structure.
TIMES = np.logspace(-1, 1, 256)


def exact_trace(neighbors: np.ndarray) -> np.ndarray:
    """tr exp(-tL) / n at `TIMES`, from all eigenvalues; 1 x times."""
    n = neighbors.shape[0]
    adjacent = np.zeros((n, n))
    np.put_along_axis(adjacent, neighbors, 1.0, axis=1)
    adjacent = np.maximum(adjacent, adjacent.T)
    root = 1.0 / np.sqrt(adjacent.sum(axis=1))  # each row has a neighbor
    eigenvalues = 1.0 - np.linalg.eigvalsh(adjacent * root * root[:, None])
    return np.mean(np.exp(-np.outer(TIMES, eigenvalues)), axis=1)[None, :]


def random_walk(neighbors: np.ndarray) -> Any:
    """Sparse D^-1/2 A D^-1/2 = I - L, where A joins each row to its neighbors.

    It is symmetric and has the eigenvalues of a random walk on the graph.
    """
    n, k = neighbors.shape
    where = np.repeat(np.arange(n), k), neighbors.ravel()
    directed = scipy.sparse.csr_array((np.ones(n * k), where), shape=(n, n))
    adjacent = directed + directed.T
    adjacent.data[:] = 1.0
    root = scipy.sparse.diags_array(1.0 / np.sqrt(adjacent.sum(axis=1)))
    return (root @ adjacent @ root).tocsr()


def estimated_traces(walk: Any, starts: np.ndarray, steps: int) -> np.ndarray:
    """tr exp(-tL) / n by stochastic Lanczos quadrature, once per start vector.

    For a unit vector v, v'exp(-tL)v is approximated by a sum over the eigenpairs of the
    tridiagonal matrix from `steps` Lanczos steps. The trace of L is known to be n.
    The error of v'Lv is therefore known too, and is used as a control variate.
    """
    n, draws = starts.shape
    out = np.empty((draws, TIMES.size))
    for first, last in spans(draws, budget_rows(draws, 8 * n * (steps + 3))):
        alpha, beta = _lanczos(walk, starts[:, first:last], steps)
        tridiagonal = np.zeros((last - first, steps, steps))
        at = np.arange(steps)
        tridiagonal[:, at, at] = alpha
        tridiagonal[:, at[1:], at[:-1]] = tridiagonal[:, at[:-1], at[1:]] = beta
        theta, vectors = np.linalg.eigh(tridiagonal)
        weight = vectors[:, 0, :] ** 2
        heat = np.exp(-theta[:, None, :] * TIMES[:, None])  # draws x times x steps
        control = np.sum(weight * theta, axis=1)[:, None] - 1.0
        heat = np.sum(heat * weight[:, None, :], axis=2)
        out[first:last] = heat + TIMES * np.exp(-TIMES) * control
    return out


def _lanczos(
    walk: Any, starts: np.ndarray, steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Diagonals of the tridiagonal forms of L, for each column of `starts`.

    Each vector is orthogonalized against all earlier vectors. If the Krylov space is
    exhausted, the remaining entries are 0. These have weight 0 in the quadrature.
    """
    draws = starts.shape[1]
    alpha, beta = np.zeros((draws, steps)), np.zeros((draws, steps - 1))
    basis = [starts / np.linalg.norm(starts, axis=0)]
    for step in range(steps):
        q = basis[-1]
        moved = q - walk @ q
        alpha[:, step] = np.sum(q * moved, axis=0)
        if step == steps - 1:
            break
        for _ in range(2):
            for earlier in basis:
                moved -= earlier * np.sum(earlier * moved, axis=0)
        length = np.linalg.norm(moved, axis=0)
        alive = length > 1e-10
        beta[:, step] = np.where(alive, length, 0.0)
        basis.append(np.where(alive, moved / np.where(alive, length, 1.0), 0.0))
    return alpha, beta
