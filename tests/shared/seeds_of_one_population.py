"""Representations of one population, like seeds of a network; planted changes."""

import numpy as np

CLASSES = 10
WIDTH = 16


def seeds(
    rng: np.random.Generator, count: int, n: int = 300
) -> tuple[list[np.ndarray], np.ndarray]:
    """`count` noisy copies of classes in random coordinates, and the labels.

    Some stimuli are noisier than others in all copies, as hard images are.
    """
    labels = rng.integers(CLASSES, size=n)
    shared = 2 * rng.normal(size=(CLASSES, WIDTH))[labels] + rng.normal(size=(n, WIDTH))
    hard = np.exp(0.4 * rng.normal(size=(n, 1)))
    copies = [
        shared @ np.linalg.qr(rng.normal(size=(WIDTH, WIDTH)))[0]
        + 0.25 * hard * rng.normal(size=(n, WIDTH))
        for _ in range(count)
    ]
    return copies, labels


def exchanged(
    x: np.ndarray, labels: np.ndarray, rng: np.random.Generator, count: int = 20
) -> tuple[np.ndarray, np.ndarray]:
    """x with `count` rows exchanged in pairs of different classes, and these rows."""
    left, chosen = list(rng.permutation(len(x))), []
    while len(chosen) < count:
        first = left.pop()
        second = next(i for i in left if labels[i] != labels[first])
        left.remove(second)
        chosen += [first, second]
    rows = np.array(chosen)
    changed = x.copy()
    changed[rows] = x[rows.reshape(-1, 2)[:, ::-1].ravel()]
    return changed, rows
