"""Formatting of numbers, remarks and footnotes."""

import math
import textwrap
from collections.abc import Sequence

from ... import advice
from .._rows import Row

# The far tail of the fitted Pearson III distribution is not accurate below this.
SMALLEST_P = 1e-6


def number(value: float | None) -> str:
    if value is None:
        return "-"
    if not math.isfinite(value):
        return str(value)
    text = f"{value:.3f}" if abs(value) < 10 else f"{value:.4g}"
    return "0.000" if text == "-0.000" else text


def interval(row: Row) -> str:
    if row.low is None or row.high is None:
        return ""
    return f"[{number(row.low)}, {number(row.high)}]"


def probability(p: float | None) -> str:
    if p is None:
        return "-"
    if p < SMALLEST_P:
        return f"<{SMALLEST_P:.0e}".replace("e-0", "e-")
    return f"{p:.3f}" if p >= 0.001 else f"{p:.0e}".replace("e-0", "e-")


def remark(row: Row) -> str:
    """The reason why a row does not have a score or a null; otherwise empty."""
    if row.status != "ok":
        return f"{row.status}: {row.reason}"
    if row.p is not None or not row.complete:
        return ""
    if "null" in row.details:
        return f"no null: {row.details['null']}"
    if not row.paired:
        return "no null: this measure does not pair rows"
    return "no null; add one with --permutations 19"


def footnotes(rows: Sequence[Row], notes: Sequence[str], width: int = 80) -> list[str]:
    """The notes below a table: skipped representations, advice, baselines, null."""
    found = list(notes)
    for code, text in advice.CODES.items():
        affected = [row for row in rows if code in row.advice]
        if affected:
            labels = ", ".join(dict.fromkeys(row.label for row in affected))
            count = len({(row.a, row.b) for row in affected})
            pairs = "1 pair" if count == 1 else f"{count:,} pairs"
            found.append(f"{code} ({pairs}; {labels}): {text}.")
    baselines = list(dict.fromkeys(name for row in rows for name in row.baselines))
    for name in baselines:
        found.append(f"{name}: {_BASELINES.get(name, _OTHER_BASELINE)}.")
    for note in dict.fromkeys(row.interval_note for row in rows if row.interval_note):
        labels = ", ".join(
            dict.fromkeys(row.label for row in rows if row.interval_note == note)
        )
        found.append(f"{labels}: {note}")
    found += _widened(rows)
    moments = [row.label for row in rows if row.p is not None and not row.permutations]
    if moments:
        found.append(
            f"{', '.join(dict.fromkeys(moments))}: null and p are computed from the "
            f"exact moments over all row orders, with a Pearson III distribution. "
            f"--permutations 199 draws random orders instead."
        )
    if any(row.p is not None for row in rows):
        text = (
            "null: mean score when rows are paired at random. p: share of such "
            "pairings at least as similar. A small p only shows that both saw the same "
            "inputs."
        )
        if not baselines:
            text += (
                " To interpret the score, add an untrained twin or another seed: "
                "baselines= in Python, --baseline untrained=PATH in the shell."
            )
        found.append(text)
    return [line for note in found for line in textwrap.wrap(note, width)]


def _widened(rows: Sequence[Row]) -> list[str]:
    """Why some intervals are wide: the reason of one row, or how many have one."""
    affected = [
        row for row in rows if row.low is not None and "interval" in row.details
    ]
    if not affected:
        return []
    labels = ", ".join(dict.fromkeys(row.label for row in affected))
    if len(affected) == 1:
        return [f"{labels}: {affected[0].details['interval']}"]
    return [
        f"{labels}: {len(affected):,} intervals are wider than usual, because a few "
        f'rows carry much of the score; details["interval"] gives the numbers.'
    ]


_BASELINES = {
    "untrained": "score of the untrained twins; only similarity beyond it was learned"
}
_OTHER_BASELINE = "mean score of each representation with its own twin"
