"""Results as text: what was found, how sure it is, and how to read it."""

import math
import textwrap
from collections.abc import Sequence

from ..measures import MEASURES, Invariance, closure
from ._rows import Row

_GROUPS = (
    (Invariance.LINEAR, "linear maps"),
    (Invariance.ORTHOGONAL, "rotation"),
    (Invariance.SIGNED_PERMUTATION, "signed permutation"),
    (Invariance.PERMUTATION, "permutation"),
)
_SCALES = (
    (Invariance.ROW_SCALE, "scale of rows"),
    (Invariance.COLUMN_SCALE, "scale of columns"),
    (Invariance.ISOTROPIC_SCALE, "scale"),
)


def render(rows: Sequence[Row], notes: Sequence[str], width: int = 80) -> str:
    """Pairs under each other, one line for each measure."""
    lines = []
    named = max([8, *(len(row.label) for row in rows)]) if rows else 8
    named = min(named, 24)
    header = f"{'measure':<{named}} {'score':>8}  {'95 %':<16} {'null':>7} {'p':>7}  "
    indent = len(header)
    for pair in dict.fromkeys((row.a, row.b) for row in rows):
        chosen = [row for row in rows if (row.a, row.b) == pair]
        lines += [f"{pair[0]} - {pair[1]}", f"{header}reads as"]
        for row in chosen:
            lines += _line(row, named, indent, width)
        lines.append("")
    if any(row.p is not None for row in rows) and not any(r.baselines for r in rows):
        notes = (
            *notes,
            "`null` and p only say that both saw the same inputs. For a baseline that "
            "means more, add an untrained twin or another seed: baselines= in Python, "
            "--baseline untrained=PATH in the shell.",
        )
    for note in notes:
        lines += textwrap.wrap(note, width)
    return "\n".join(lines).rstrip()


def _line(row: Row, named: int, indent: int, width: int) -> list[str]:
    interval = ""
    if row.low is not None and row.high is not None:
        interval = f"[{number(row.low)}, {number(row.high)}]"
    cells = (
        f"{row.label[:named]:<{named}} {number(row.score):>8}  {interval:<16} "
        f"{number(row.null_mean):>7} {probability(row):>7}  "
    )
    # Where little room is left, the reading goes below the numbers.
    below = width - indent < 24
    start = " " * (named + 1) if below else " " * indent
    text = textwrap.wrap(reading(row), width - len(start)) or [""]
    if below:
        return [cells.rstrip(), *(start + part for part in text)]
    return [(cells + text[0]).rstrip(), *(start + part for part in text[1:])]


def number(value: float | None) -> str:
    if value is None:
        return "-"
    if not math.isfinite(value):
        return str(value)
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.4g}"


def probability(row: Row) -> str:
    if row.p is None:
        return "-"
    return f"{row.p:.3f}" if row.p >= 0.001 else f"{row.p:.0e}"


def reading(row: Row) -> str:
    """What the number is, in words."""
    if row.status != "ok":
        return f"{row.status}: {row.reason}"
    parts = [_meaning(row)]
    if "biased" in row.details:
        parts.append(f"(biased would read {number(row.details['biased'])})")
    if row.baselines:
        known = ", ".join(f"{k} {number(v)}" for k, v in row.baselines.items())
        parts.append(f"[{known}]")
    if row.p is None and row.complete:
        parts.append(_why_no_null(row))
    return " ".join(part for part in parts if part)


def _meaning(row: Row) -> str:
    default = MEASURES.get(row.measure)
    if default is None:
        return row.kind
    measure = type(default)(**row.options)
    claims = measure.claims()
    if row.kind != "similarity":
        best = 0.0
    else:
        best = claims.range[1]
    start = row.kind
    if "batch" in row.details:
        start += f" at {row.details['batch']} points"
    if not math.isfinite(best):
        return f"{start}, high = same"
    same = f"{start}, {best:g} = same"
    atoms = closure(claims.invariant_x) & closure(claims.invariant_y)
    words = [
        next((word for atom, word in group if atom in atoms), "")
        for group in (_GROUPS, _SCALES)
    ]
    if Invariance.LINEAR in atoms:
        words[1] = ""  # linear maps include the scales
    known = [word for word in words if word]
    return f"{same} up to {' and '.join(known)}" if known else same


def _why_no_null(row: Row) -> str:
    if "null" in row.details:
        return f"(no null: {row.details['null']})"
    default = MEASURES.get(row.measure)
    if default is not None and not type(default)(**row.options).claims().paired:
        return "(no null: rows are not paired)"
    return "(null not computed: --permutations 19)"
