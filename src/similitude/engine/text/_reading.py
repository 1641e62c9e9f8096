"""Numbers and rows in words."""

import math
import textwrap
from collections.abc import Sequence

from ... import advice
from ...measures import MEASURES, Claims
from ...transformations import Group, closure
from .._rows import Row

_GROUPS = (
    (Group.LINEAR, "linear maps"),
    (Group.ORTHOGONAL, "rotation"),
    (Group.SIGNED_PERMUTATION, "signed permutation"),
    (Group.PERMUTATION, "permutation"),
)
_SCALES = (
    (Group.ROW_SCALE, "scale of rows"),
    (Group.COLUMN_SCALE, "scale of columns"),
    (Group.ISOTROPIC_SCALE, "scale"),
)
# Measures that take more than scalars, and so cannot be made from a row.
_OTHERS = {
    "deconfounded_cka": "similarity, 1 = same up to rotation and scale, beyond what "
    "the inputs explain"
}
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


def meaning(row: Row) -> str:
    """What a measure's number is: its kind, and where the same is."""
    claims = _claims(row)
    if claims is None:
        return _OTHERS.get(row.measure, row.kind)
    best = 0.0 if row.kind != "similarity" else claims.range[1]
    start = row.kind
    if "batch" in row.details:
        start += f" at {row.details['batch']} points"
    if not math.isfinite(best):
        return f"{start}, high = same"
    # A divergence is 0 for what is the same, and may be for what is not.
    sign = "if" if row.kind == "divergence" else "="
    same = f"{start}, {best:g} {sign} same"
    atoms = closure(claims.invariant_x) & closure(claims.invariant_y)
    words = [
        next((word for atom, word in group if atom in atoms), "")
        for group in (_GROUPS, _SCALES)
    ]
    if Group.LINEAR in atoms:
        words[1] = ""  # linear maps include the scales
    known = [word for word in words if word]
    return f"{same} up to {' and '.join(known)}" if known else same


def _claims(row: Row) -> Claims | None:
    """Of the measure of a row, if it is one of ours."""
    default = MEASURES.get(row.measure)
    if default is None or default.options.keys() != row.options.keys():
        return None
    return type(default)(**row.options).claims()


def remark(row: Row) -> str:
    """What is special about one row: why it has no score, or no null."""
    if row.status != "ok":
        return f"{row.status}: {row.reason}"
    if row.p is not None or not row.complete:
        return ""
    if "null" in row.details:
        return f"no null: {row.details['null']}"
    claims = _claims(row)
    if claims is not None and not claims.paired:
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
    if any("bias-corrected" in (row.interval_method or "") for row in rows):
        found.append(
            "linear_regression: fits to few rows read too high; the interval is of the "
            "score without that bias, and may lie below it."
        )
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
    "untrained": "what untrained twins score; only what goes beyond it was learnt"
}
_OTHER_BASELINE = "what each of the two scores with its own twin, on average"
