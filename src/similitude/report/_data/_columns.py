"""The rows of results by column, as text that a script decodes without loss.

Numbers are the bytes of little-endian float64 or int32 in base64: shorter than decimal
digits, and exact. A missing number is NaN. Texts are indices into one list.
"""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...advice import CODES
from ...engine import Results, Row
from ...engine.text import not_significant, probability, too_few_permutations
from ._items import shown

# Column of the page -> field of `Row`.
NUMBERS = {
    "score": "score",
    "low": "low",
    "high": "high",
    "null": "null_mean",
    "p": "p",
    "q": "q",
    "calibrated": "calibrated",
}
#: The mark of a cell: its test.
NOT_TESTED, DISTINCT, AT_CHANCE, TOO_FEW = 0, 1, 2, 3


def mark(row: Row) -> int:
    """Whether the pair is distinguishable from random pairing of rows."""
    pairs = row.details.get("averaged_pairs")
    if pairs:  # a mean over several pairs; see _aggregate
        at_chance, tested = row.details["at_chance"], row.details["tested"]
        if not tested:
            return NOT_TESTED
        return AT_CHANCE if at_chance == tested else DISTINCT
    if too_few_permutations(row):
        return TOO_FEW
    if row.p is not None and row.q is None:  # a run that is not finished
        return AT_CHANCE if row.p >= 0.05 else DISTINCT
    if row.q is None:
        return NOT_TESTED
    return AT_CHANCE if not_significant(row) else DISTINCT


def columns_of(results: Results) -> dict[str, Any]:
    """One encoded column per quantity; columns without any value are left out."""
    rows = results.rows
    places = {name: i for i, name in enumerate(results.names)}
    labels = {label: i for i, label in enumerate(results.measures)}
    found: dict[str, Any] = {
        "count": len(rows),
        "measure": integers([labels[row.label] for row in rows]),
        "a": integers([places[row.a] for row in rows]),
        "b": integers([places[row.b] for row in rows]),
        "n": integers([min(row.n, 2**31 - 1) for row in rows]),
        "mark": integers([mark(row) for row in rows]),
    }
    for name, field in NUMBERS.items():
        _add(found, name, [getattr(row, field) for row in rows])
    for name in results.baselines:
        _add(
            found, f"baseline_{shown(name)}", [row.baselines.get(name) for row in rows]
        )
    _add(found, "pairs", [row.details.get("averaged_pairs") for row in rows])
    found["texts"], found["text"] = texts([_text(row) for row in rows])
    return found


def _text(row: Row) -> str:
    """Why there is no score, and remarks about the interval and the p-value."""
    parts = [] if row.status == "ok" else [f"{row.status}: {row.reason}"]
    parts += [row.interval_note] if row.interval_note else []
    if probability(row).startswith("<="):
        parts.append(f"the smallest p that {row.permutations:,} permutations can give")
    parts += [CODES.get(code, code) for code in row.advice]
    return "; ".join(shown(part).removesuffix(".") for part in parts)


def _add(found: dict[str, Any], name: str, values: Sequence[float | None]) -> None:
    if any(value is not None for value in values):
        found[name] = numbers(values)


def numbers(values: Sequence[float | None]) -> str:
    filled = [np.nan if value is None else value for value in values]
    return _encoded(np.array(filled, dtype="<f8"))


def singles(values: np.ndarray) -> str:
    """Numbers that are only drawn, in float32."""
    return _encoded(np.asarray(values, dtype="<f4"))


def integers(values: Sequence[int]) -> str:
    return _encoded(np.array(values, dtype="<i4"))


def texts(values: Sequence[str]) -> tuple[list[str], str]:
    """The distinct texts, and the encoded index of each value."""
    places = {text: i for i, text in enumerate(dict.fromkeys(values))}
    return list(places), integers([places[value] for value in values])


def _encoded(array: np.ndarray) -> str:
    return base64.b64encode(array.tobytes()).decode()
