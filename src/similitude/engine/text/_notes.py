"""The notes below a table: skipped representations, advice, baselines, null."""

from collections.abc import Sequence
from statistics import median

from ... import advice
from ..._base._printable import counted, wrapped_lines
from ...errors import either
from .._rows import Row
from ..question._baselines import PARTS as PARTS
from ..question._incomplete import NO_TWIN

_BASELINES = {
    "untrained": "score of the untrained twins; only similarity beyond it was learned",
    "within": "score after the mean of each class is removed from its rows",
    "between": "score of the class means, one row per class",
}
_OTHER_BASELINE = "mean score of each representation with its own twin"


def footnotes(
    rows: Sequence[Row], notes: Sequence[str], width: int, *, apart: bool
) -> list[str]:
    """All notes; `apart` says that pairs within one model are shown separately."""
    found = [*notes, *_advice(rows, apart=apart)]
    baselines = list(dict.fromkeys(name for row in rows for name in row.baselines))
    for name in baselines:
        found.append(f"{name}: {_BASELINES.get(name, _OTHER_BASELINE)}.")
    found += _class_shares(rows)
    for note in dict.fromkeys(row.interval_note for row in rows if row.interval_note):
        labels = _labels([row for row in rows if row.interval_note == note])
        found.append(f"{labels}: {note}")
    found += _widened(rows)
    found += _streamed(rows)
    moments = [row for row in rows if row.p is not None and not row.permutations]
    if moments:
        found.append(
            f"{_labels(moments)}: p from exact moments; "
            f"{either(python='permutations=199', shell='--permutations 199')} draws "
            f"random orders."
        )
    if any(row.p is not None for row in rows):
        text = (
            "null: mean score when rows are paired at random. p: share of such "
            "pairings at least as similar. A small p only shows that both saw the same "
            "inputs."
        )
        if not set(baselines).difference(PARTS) and not any(
            NO_TWIN in note for note in notes
        ):
            text += (
                " To interpret the score, add an untrained twin or another seed: "
                + either(
                    python="baselines={'untrained': twins}.",
                    shell="--baseline untrained=PATH.",
                )
            )
        found.append(text)
    return wrapped_lines(found, width)


def _advice(rows: Sequence[Row], *, apart: bool) -> list[str]:
    """One note per warning code, with the number of pairs and the measures."""
    found = []
    for code, text in advice.CODES.items():
        affected = [row for row in rows if code in row.advice]
        if affected and not (code == "same-model" and apart):
            pairs = counted(len({(row.a, row.b) for row in affected}), "pair")
            found.append(f"{code} ({pairs}; {_labels(affected)}): {text}.")
    return found


def _class_shares(rows: Sequence[Row]) -> list[str]:
    """The median share of each score beyond chance that the classes carry."""
    shares: dict[str, list[float]] = {}
    for row in rows:
        if (share := row.details.get("class_share")) is not None:
            shares.setdefault(row.label, []).append(share)
    texts = [f"{label} {median(found):.0%}" for label, found in shares.items()]
    if not texts:
        return []
    what = "share of the score beyond chance that is lost within classes"
    return [f"carried by the classes ({what}): {', '.join(texts)}."]


def _widened(rows: Sequence[Row]) -> list[str]:
    """Why some intervals are wide: the reason of one row, or how many have one."""
    shown = [row for row in rows if row.low is not None]
    affected = [row for row in shown if "interval" in row.details]
    if not affected:
        return []
    if len(affected) == 1:
        return [f"{_labels(affected)}: {affected[0].details['interval']}"]
    return [
        f"{_labels(affected)}: {len(affected):,} intervals are wider than usual, "
        f"because a few rows carry much of the score; "
        f'details["interval"] gives the numbers.'
    ]


def _streamed(rows: Sequence[Row]) -> list[str]:
    """Which scores were computed from parts of the rows."""
    affected = [row for row in rows if row.details.get("streamed")]
    if not affected:
        return []
    pairs = counted(len({frozenset((row.a, row.b)) for row in affected}), "pair")
    return [
        f"{_labels(affected)}: the rows of {pairs} were read in parts; without null, "
        f"p, interval and warnings about values."
    ]


def _labels(rows: Sequence[Row]) -> str:
    return ", ".join(dict.fromkeys(row.label for row in rows))
