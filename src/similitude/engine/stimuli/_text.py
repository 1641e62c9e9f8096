"""The text of a list of stimuli."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..._base._printable import printable, terminal_width, wrapped_lines
from ..._base._table import Column, table
from ...errors import either
from ...stats import LEAST_BASELINES
from ..text import number

if TYPE_CHECKING:
    from ._list import Stimuli

_EXAMPLES = 5  # of a group


def stimuli_table(found: "Stimuli", width: int | None, count: int, alpha: float) -> str:
    width = terminal_width() if width is None else width
    pair = f"{printable(found.a)} - {printable(found.b)}"
    kind = "a high score" if found.similarity else "a low score"
    head = (
        f"{pair}, {found.measure}: {len(found):,} stimuli, mean score "
        f"{number(float(np.mean(found.scores)))}; {kind} means similar"
    )
    order, lines = found.order, wrapped_lines([head], width)
    last = order[count:][-count:][::-1]
    for title, rows in (("least similar", order[:count]), ("most similar", last)):
        if len(rows):
            lines += ["", *_rows(found, title, rows, width)]
    for text in (alike_words(found, alpha), moved_words(found, alpha), *_groups(found)):
        lines += ["", *wrapped_lines([text], width)]
    return "\n".join(lines)


def _rows(found: "Stimuli", title: str, rows: np.ndarray, width: int) -> list[str]:
    ids = [str(found.ids[i]) for i in rows]
    columns = [
        Column(title, [printable(text)[: width // 3] for text in ids], left=True),
        Column("score", [number(float(found.scores[i])) for i in rows]),
    ]
    numbers = {}
    if found.alike is not None:
        numbers["chance"] = found.alike.chance
    if found.moved is not None:
        numbers |= {"baseline": found.moved.baseline, "moved, q": found.moved.q}
    for name, values in numbers.items():
        columns.append(Column(name, [number(float(values[i])) for i in rows]))
    for name, facts in found.fields.items():
        cells = [printable(str(facts[i])) for i in rows]
        columns.append(Column(printable(name), cells, left=True))
    return [
        line if len(line) <= width else f"{line[: width - 1]}~"
        for line in table(columns)
    ]


def alike_words(found: "Stimuli", alpha: float) -> str:
    if found.alike is None:
        return (
            f"Alike: {found.measure} has no scores of random partners; use a measure "
            f"that is a mean over stimuli."
        )
    count = int(np.sum(found.alike.q < alpha))
    return (
        f"Alike: {count:,} of {len(found):,} stimuli are more similar to their partner "
        f"than to random partners (q < {alpha:g}). This says nothing about a "
        f"difference. chance: mean score with random partners."
    )


def moved_words(found: "Stimuli", alpha: float) -> str:
    if found.moved is None:
        option = either(python="baselines=[names]", shell="--against NAMES")
        return (
            f"Moved: this is a ranking, not a test. To say which stimuli differ more "
            f"than between two seeds, give {LEAST_BASELINES} or more other seeds or "
            f"repeats with {option}."
        )
    count = int(np.sum(found.moved.q < alpha))
    return (
        f"Moved: {count:,} of {len(found):,} stimuli differ more than between the "
        f"{found.moved.pairs} pairs of baselines (q < {alpha:g}; at most about "
        f"{alpha:.0%} of them are false)."
    )


def _groups(found: "Stimuli") -> Sequence[str]:
    texts = []
    if not found.views:
        texts.append("Groups are searched among at most 5,000 stimuli of points.")
    for i, group in enumerate(found.groups, start=1):
        shown = ", ".join(
            printable(str(found.ids[row])) for row in group.members[:_EXAMPLES]
        )
        texts.append(
            f"Group {i}: {group.size} stimuli, near each other in "
            f"{printable(group.near)} and far in {printable(group.far)}; mean score "
            f"{number(group.score)}; for example {shown}."
        )
    return texts
