"""Pairs of representations that are singular by construction.

They consist of small integers, so that dependent columns are exactly dependent. Copies
in float32 are exact. Divided by 3, duplicates are still equal, and sums of columns are
rounded.
"""

from collections.abc import Iterator

import numpy as np

Pair = tuple[np.ndarray, np.ndarray]


def pairs() -> dict[str, Pair]:
    rng = np.random.default_rng(50)

    def related(n: int, *widths: int, noise: int = 1) -> list[np.ndarray]:
        """Representations with a common signal of three dimensions."""
        signal = rng.integers(-4, 5, (n, 3))
        return [
            signal @ rng.integers(-3, 4, (3, d)) + noise * rng.integers(-6, 7, (n, d))
            for d in widths
        ]

    def one_hot(classes: np.ndarray) -> np.ndarray:
        return np.eye(classes.max() + 1)[classes]

    x, y = related(30, 5, 4)
    doubled = np.column_stack([x, x[:, :3], x[:, 0] + x[:, 1], 7 * x[:, 2]])
    also_doubled = np.column_stack([y, y[:, 1], y[:, 0] - y[:, 2]])
    low, other = related(30, 45, 3, noise=0)
    alone = np.where(np.arange(30) == 29, 4, np.arange(30) % 4)
    found = {
        "centered, n <= d": related(16, 24, 20),
        "duplicated columns": (doubled, also_doubled),
        "scaled duplicates": (doubled * 2.0 ** np.arange(0, 20, 2), also_doubled),
        "constant columns": (
            np.column_stack([np.full(30, 7), x, np.zeros(30), np.full(30, -3)]),
            np.column_stack([y, np.ones(30)]),
        ),
        "one-hot": (one_hot(np.arange(30) % 4), y),
        "a class of one row": (one_hot(alone), also_doubled),
        "rank 3 of 45": (low, np.column_stack([other, y[:, 0], other[:, 0] - y[:, 0]])),
        "centered, n = 50 of 120": related(50, 120, 6),
    }
    return {name: (a.astype(float), b.astype(float)) for name, (a, b) in found.items()}


def copies() -> Iterator[tuple[str, str, Pair]]:
    """Each pair in float64, exactly in float32, and a third of it, rounded."""
    for name, (x, y) in pairs().items():
        yield name, "float64", (x, y)
        yield name, "float32", (x.astype("float32"), y.astype("float32"))
        yield name, "thirds in float64", (x / 3, y / 3)
        yield name, "thirds in float32", ((x / 3).astype("f4"), (y / 3).astype("f4"))
