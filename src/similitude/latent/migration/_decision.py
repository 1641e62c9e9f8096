"""Whether a map keeps enough, and if not, how many paired rows it would need."""

from collections.abc import Mapping
from dataclasses import dataclass

from ._retention import Share

DOUBLINGS = 3  # the curve is extrapolated to 8 times the rows of the fit
_FLAT = 0.002  # a gain that is not distinguished from 0


@dataclass(frozen=True)
class Decision:
    """The verdict on a limit of the recall.

    passed
        Whether the whole interval is at or above the limit.
    pairs_needed
        Paired rows with which the lower end may reach the limit; None if the learning
        curve does not say.
    """

    keep_at_least: float
    passed: bool
    pairs_needed: int | None
    reason: str


def decide(
    limit: float, curve: Mapping[int, Share], r2: float, isometry: object
) -> Decision:
    """`curve` gives the recall by the number of paired rows; the last is the fit's."""
    pairs, last = list(curve.items())[-1]
    interval = f"the interval [{last.low:.3f}, {last.high:.3f}] among {last.corpus:,} "
    interval += "searched rows is"
    if reached := last.low >= limit:
        return Decision(limit, reached, pairs, f"{interval} at or above it.")
    needed, level = extrapolated([each.low for each in curve.values()], pairs, limit)
    most = f"The learning curve does not reach it by {pairs * 2**DOUBLINGS:,} rows."
    if needed is not None:
        most = f"About {needed:,} paired rows may be enough, by the learning curve."
    elif level is not None and level < limit:
        most = (
            f"The learning curve levels off near {level:.2f}; no linear map is "
            f"expected to reach it."
        )
    facts = "; ".join(
        [f"R^2 of rows not fitted: {r2:.2f}", *str(isometry).splitlines()]
    )
    hint = "" if r2 > 0.05 else " Check that a row is the same text in both files."
    reason = f"{interval} not above it. {most} {facts}.{hint}"
    return Decision(limit, reached, needed, reason)


def extrapolated(
    lows: list[float], pairs: int, limit: float
) -> tuple[int | None, float | None]:
    """Paired rows at which the lower end reaches the limit, and where it levels off.

    The last of `lows` are at pairs / 4, pairs / 2 and pairs. Each doubling is taken to
    gain less than the one before, by the ratio of the last two. None: not known.
    """
    if len(lows) < 3:
        return None, None
    before, gain, low = lows[-2] - lows[-3], lows[-1] - lows[-2], lows[-1]
    if gain <= _FLAT:
        return None, low
    ratio = min(gain / before, 1.0) if before > 0 else 1.0
    for doubling in range(1, DOUBLINGS + 1):
        low += gain * ratio**doubling
        if low >= limit:
            return pairs * 2**doubling, None
    return None, lows[-1] + gain * ratio / (1 - ratio) if ratio < 1 else None
