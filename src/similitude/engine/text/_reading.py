"""Numbers and rows in words."""

import math
import textwrap
from collections.abc import Sequence

from ... import advice
from .._rows import Row

# Of the closed-form p, whose far tail is a fitted curve: smaller says nothing more.
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
    """What is special about one row: why it has no score, or no null."""
    if row.status != "ok":
        return f"{row.status}: {row.reason}"
    if row.p is not None or not row.complete:
        return ""
    if "null" in row.details:
        return f"no null: {row.details['null']}"
    if not row.paired:
        return "no null: rows are not paired"
    return "null: --permutations 19"


def footnotes(rows: Sequence[Row], notes: Sequence[str], width: int = 80) -> list[str]:
    """What a table needs beside its numbers, each thing said once."""
    found = list(notes)
    for code, text in advice.CODES.items():
        concerned = [row for row in rows if code in row.advice]
        if concerned:
            labels = ", ".join(dict.fromkeys(row.label for row in concerned))
            pairs = len({(row.a, row.b) for row in concerned})
            of = "1 pair" if pairs == 1 else f"{pairs:,} pairs"
            found.append(f"{code} ({of}; {labels}): {text}.")
    baselines = list(dict.fromkeys(name for row in rows for name in row.baselines))
    for name in baselines:
        found.append(f"{name}: {_BASELINES.get(name, _OTHER_BASELINE)}.")
    for note in dict.fromkeys(row.interval_note for row in rows if row.interval_note):
        said = dict.fromkeys(row.label for row in rows if row.interval_note == note)
        found.append(f"{', '.join(said)}: {note}")
    closed = [row.label for row in rows if row.p is not None and not row.permutations]
    if closed:
        found.append(
            f"{', '.join(dict.fromkeys(closed))}: `null` and p are of all orders of "
            f"rows, by their exact moments and a Pearson III law; --permutations 199 "
            f"counts random orders instead."
        )
    if not baselines and any(row.p is not None for row in rows):
        found.append(
            "`null` and p only say that both saw the same inputs. For a baseline that "
            "means more, add an untrained twin or another seed: baselines= in Python, "
            "--baseline untrained=PATH in the shell."
        )
    return [line for note in found for line in textwrap.wrap(note, width)]


_BASELINES = {
    "untrained": "what untrained twins score; only what goes beyond it was learned"
}
_OTHER_BASELINE = "what each of the two scores with its own twin, on average"
