"""Many pairs at a glance: a matrix for each measure, or what is extreme in it."""

import textwrap
from collections.abc import Sequence

import numpy as np

from ._columns import one_measure
from ._reading import meaning, number
from ._rows import Row

_CELL = 7
_LONGEST_NAME = 26
_EXTREMES = 5


def matrix(rows: Sequence[Row], names: Sequence[str], width: int) -> list[str]:
    """Scores of all pairs of one measure; the lower half, if it is symmetric."""
    cells = {(row.a, row.b): row for row in rows}
    halved = not any((b, a) in cells for a, b in cells)
    if halved:
        cells |= {(b, a): row for (a, b), row in cells.items()}
    models = _models(rows)
    labels = [f"{i:>2} {_shortened(name)}" for i, name in enumerate(names, 1)]
    start = max(map(len, labels))
    each = max(2, (width - start) // _CELL)
    lines = textwrap.wrap(f"{rows[0].label}: {meaning(rows[0])}", width)
    columns = range(len(names) - 1 if halved else len(names))
    for first in columns[::each]:
        panel = columns[first : first + each]
        header = "".join(f"{j + 1:>{_CELL - 1}} " for j in panel)
        lines.append(f"{'':<{start}}{header}".rstrip())
        lowest = panel[0] if halved else 0
        for i, name in enumerate(names):
            if i < lowest:
                continue
            if i > lowest and models.get(name) != models.get(names[i - 1]):
                lines.append("")  # another model begins
            shown = [j for j in panel if j < i] if halved else panel
            text = "".join(_cell(cells.get((name, names[j])), i == j) for j in shown)
            lines.append(f"{labels[i]:<{start}}{text}".rstrip())
    return [*lines, *summary(rows, width)]


def extremes(rows: Sequence[Row], width: int) -> list[str]:
    """The spread of one measure, and its most and least similar pairs."""
    scored = [row for row in rows if row.score is not None]
    if not scored:
        return one_measure(rows[:1], width) + summary(rows, width)
    sign = -1.0 if scored[0].kind == "similarity" else 1.0
    ordered = sorted(scored, key=lambda row: sign * (row.score or 0.0))
    quartiles = np.quantile([row.score for row in scored if row.score is not None], _Q)
    low, first, middle, third, high = map(number, quartiles.tolist())
    title, *most = one_measure(ordered[:_EXTREMES], width)
    _, _, *least = one_measure(ordered[-_EXTREMES:], width)
    spread = (
        f"{len(scored):,} pairs from {low} to {high}; half of them between {first} and "
        f"{third}, median {middle}. The {_EXTREMES} most and the {_EXTREMES} least "
        f"similar:"
    )
    return [
        title,
        *textwrap.wrap(spread, width),
        *most,
        "...",
        *least,
        *summary(rows, width),
    ]


_Q = (0.0, 0.25, 0.5, 0.75, 1.0)


def summary(rows: Sequence[Row], width: int) -> list[str]:
    """What single cells cannot show: how sure the scores are, and what they beat."""
    found = []
    half = [
        (row.high - row.low) / 2
        for row in rows
        if row.high is not None and row.low is not None
    ]
    if half:
        found.append(
            f"95 % intervals: +-{number(float(np.median(half)))} (median), at most "
            f"+-{number(max(half))}."
        )
    tested = [row for row in rows if row.q is not None]
    if tested:
        beyond = sum(row.q is not None and row.q < 0.05 for row in tested)
        found.append(
            f"{beyond:,} of {len(tested):,} pairs differ from random pairing of rows "
            f"(q < 0.05)" + ("; the others have a ?." if beyond < len(tested) else ".")
        )
    for role in dict.fromkeys(role for row in rows for role in row.baselines):
        found.append(_against(rows, role))
    wrong = [row for row in rows if row.status != "ok"]
    for status in dict.fromkeys(row.status for row in wrong):
        some = [row for row in wrong if row.status == status]
        pairs = "1 pair is" if len(some) == 1 else f"{len(some):,} pairs are"
        example = f"{some[0].a} - {some[0].b}: {some[0].reason}"
        found.append(f"{pairs} {status}, such as {example}")
    return [line for text in found for line in textwrap.wrap(text, width)]


def _against(rows: Sequence[Row], role: str) -> str:
    sign = 1.0 if rows[0].kind == "similarity" else -1.0
    known = [
        (row.score, row.baselines[role])
        for row in rows
        if row.score is not None and role in row.baselines
    ]
    beyond = sum(sign * score > sign * base for score, base in known)
    middle = number(float(np.median([base for _, base in known])))
    return (
        f"{role}: {middle} (median); {beyond:,} of {len(known):,} pairs are more "
        f"alike than that twin of theirs."
    )


def _cell(row: Row | None, diagonal: bool) -> str:  # noqa: FBT001
    if row is None:
        return f"{'.' if diagonal else '':>{_CELL - 1}} "
    doubtful = row.q is not None and row.q >= 0.05
    return f"{number(row.score):>{_CELL - 1}}{'?' if doubtful else ' '}"


def _models(rows: Sequence[Row]) -> dict[str, str | None]:
    """Of each name, where models have several layers; otherwise nothing is grouped."""
    models = {row.a: row.a_model for row in rows} | {r.b: r.b_model for r in rows}
    return models if len(set(models.values())) < len(models) else {}


def _shortened(name: str) -> str:
    """Both ends of a long name: they tell more than its middle."""
    if len(name) <= _LONGEST_NAME:
        return name
    half = (_LONGEST_NAME - 1) // 2
    return f"{name[: _LONGEST_NAME - 1 - half]}~{name[-half:]}"
