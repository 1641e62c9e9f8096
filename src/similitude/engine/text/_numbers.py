"""Numbers as text: a fixed number of decimals, aligned on the decimal point."""

import math
from collections.abc import Sequence

from .._rows import Row

# The far tail of the fitted Pearson III distribution is not accurate below this.
SMALLEST_P = 1e-6


def number(value: float | None, places: int | None = None) -> str:
    """One number; `places` is the number of decimals, by default four digits."""
    if value is None:
        return "-"
    if not math.isfinite(value):
        return str(value)
    if abs(value) >= 1e6:
        return f"{value:.3e}"
    text = f"{value:.{decimals([value]) if places is None else places}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def decimals(values: Sequence[float | None]) -> int:
    """The number of decimals that gives the largest of the values four digits."""
    finite = [abs(v) for v in values if v is not None and math.isfinite(v)]
    largest = max((v for v in finite if v < 1e6), default=0.0)
    return next((places for places in (3, 2, 1) if largest < 10 ** (4 - places)), 0)


def numbers(values: Sequence[float | None]) -> list[str]:
    """Numbers of one kind: all with the same number of decimals, and aligned."""
    places = decimals(values)
    return aligned([number(value, places) for value in values])


def aligned(texts: Sequence[str]) -> list[str]:
    """Texts of the same length, with the decimal points below each other."""
    pads = [len(text) - text.index(".") if "." in text else 0 for text in texts]
    longest = max(pads, default=0)
    padded = [
        text + " " * (longest - pad) if pad else text
        for text, pad in zip(texts, pads, strict=True)
    ]
    width = max(map(len, padded), default=0)
    return [f"{text:>{width}}" for text in padded]


def intervals(rows: Sequence[Row], places: int | None = None) -> list[str]:
    """The confidence intervals of rows, aligned; empty if a row does not have one."""
    low = aligned([number(row.low, places) for row in rows])
    high = aligned([number(row.high, places) for row in rows])
    return [
        "" if row.low is None or row.high is None else f"[{a}, {b}]"
        for row, a, b in zip(rows, low, high, strict=True)
    ]


def probability(row: Row) -> str:
    """A p-value. The smallest one that permutations can give is an upper bound."""
    if row.p is None:
        return "-"
    if row.p < SMALLEST_P:
        return f"<{SMALLEST_P:.0e}".replace("e-0", "e-")
    text = f"{row.p:.3f}" if row.p >= 0.001 else f"{row.p:.0e}".replace("e-0", "e-")
    return f"<= {text}" if at_floor(row) else text


def at_floor(row: Row) -> bool:
    """Whether p is the smallest that this number of permutations can give."""
    if row.p is None or not row.permutations or row.p_method != "permutation":
        return False
    return row.p <= 1.5 / (row.permutations + 1)
