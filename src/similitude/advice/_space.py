"""Descriptors of one space: how many directions it uses, and how evenly."""

import numpy as np


def dead_units(values: np.ndarray) -> int:
    """The number of columns that do not vary."""
    return int(np.sum((values == values[:1]).all(axis=0)))


def effective_rank(values: np.ndarray) -> float:
    """The exponential of the entropy of the singular values (RankMe), not centered.

    It is 1 if all rows are multiples of one row, and at most min(n, d).
    """
    wide = _scaled(values)
    gram = wide.T @ wide if wide.shape[1] <= wide.shape[0] else wide @ wide.T
    spectrum = np.sqrt(np.clip(np.linalg.eigvalsh(gram), 0.0, None))
    if not spectrum.any():
        return 0.0
    shares = spectrum[spectrum > 0] / spectrum.sum()
    return float(np.exp(-np.sum(shares * np.log(shares))))


def spectrum_exponent(variances: np.ndarray, rank: int) -> float | None:
    """The slope a of variances that fall as (number of the direction)^-a.

    By least squares on a double logarithmic scale, over the larger half of the `rank`
    directions: the smallest ones have the largest errors. None for fewer than four.
    """
    half = (rank + 1) // 2
    if half < 4:
        return None
    numbers, found = np.log(np.arange(1, half + 1)), np.log(variances[:half])
    return -float(np.polyfit(numbers, found, 1)[0])


def mean_cosine(values: np.ndarray) -> float | None:
    """The mean cosine of two rows; near 1 in a narrow cone. None with zero rows."""
    wide = _scaled(values)
    lengths = np.linalg.norm(wide, axis=1)
    n = len(wide)
    if n < 2 or not lengths.all():
        return None
    total = float(np.sum((wide / lengths[:, None]).sum(axis=0) ** 2))
    return (total - n) / (n * (n - 1))


def _scaled(values: np.ndarray) -> np.ndarray:
    """Times a power of two, since squares of 1e200 would overflow."""
    wide = np.asarray(values, dtype=np.float64)
    return np.ldexp(wide, -int(np.frexp(np.abs(wide).max())[1]))
