"""Many pairs at a glance: a matrix for each measure, or what is extreme in it."""

import textwrap
from collections.abc import Sequence

import numpy as np

from .._rows import Row
from ._columns import one_measure, parts_of_one_measure
from ._reading import number

_LONGEST_NAME = 26
_EXTREMES = 5


def matrix(rows: Sequence[Row], names: Sequence[str], width: int) -> list[str]:
    """Scores of all pairs of one measure; the lower half, if it is symmetric."""
    cells = {(row.a, row.b): row for row in rows}
    halved = not any((b, a) in cells for a, b in cells)
    if halved:
        cells |= {(b, a): row for (a, b), row in cells.items()}
    texts = {pair: _cell(row) for pair, row in cells.items()}
    texts |= {(name, name): ". " for name in names}
    wide = 1 + max(map(len, texts.values()))
    models = _models(rows)
    labels = [f"{i:>2} {_shortened(name)}" for i, name in enumerate(names, 1)]
    start = max(map(len, labels))
    each = max(2, (width - start) // wide)
    lines = textwrap.wrap(f"{rows[0].label}: {rows[0].reading}", width)
    columns = range(len(names) - 1 if halved else len(names))
    for first in columns[::each]:
        panel = columns[first : first + each]
        header = "".join(f"{j + 1:>{wide - 1}} " for j in panel)
        lines.append(f"{'':<{start}}{header}".rstrip())
        lowest = panel[0] if halved else 0
        for i, name in enumerate(names):
            if i < lowest:
                continue
            if i > lowest and models.get(name) != models.get(names[i - 1]):
                lines.append("")  # another model begins
            shown = [j for j in panel if j < i] if halved else panel
            text = "".join(f"{texts.get((name, names[j]), ''):>{wide}}" for j in shown)
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
    ends = [*ordered[:_EXTREMES], *ordered[-_EXTREMES:]]
    title, head, body = parts_of_one_measure(ends, width)
    spread = (
        f"{len(scored):,} pairs from {low} to {high}; half of them between {first} and "
        f"{third}, median {middle}. The {_EXTREMES} most and the {_EXTREMES} least "
        f"similar:"
    )
    return [
        *title,
        *textwrap.wrap(spread, width),
        head,
        *(line for lines in body[:_EXTREMES] for line in lines),
        "...",
        *(line for lines in body[_EXTREMES:] for line in lines),
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
    found += _chance(rows)
    for name in dict.fromkeys(name for row in rows for name in row.baselines):
        found.append(_against(rows, name))
    wrong = [row for row in rows if row.status != "ok"]
    for status in dict.fromkeys(row.status for row in wrong):
        some = [row for row in wrong if row.status == status]
        pairs = "1 pair is" if len(some) == 1 else f"{len(some):,} pairs are"
        example = f"{some[0].a} - {some[0].b}: {some[0].reason}"
        found.append(f"{pairs} {status}, such as {example}")
    return [line for text in found for line in textwrap.wrap(text, width)]


def _chance(rows: Sequence[Row]) -> list[str]:
    """How many pairs are like random pairings, and how many cannot be told."""
    tested = [row for row in rows if row.q is not None]
    if not tested:
        return []
    found = []
    doubtful = sum(map(_doubtful, tested))
    least = sum(map(_at_the_least_p, tested))
    if least:
        count = tested[0].permutations or 0
        found.append(
            f"{least:,} of {len(tested):,} pairs are at the smallest p that {count} "
            f"permutations give, {1 / (count + 1):.3g}; more permutations tell more."
        )
    beyond = len(tested) - doubtful - least
    if beyond:
        found.append(
            f"{beyond:,} of {len(tested):,} pairs differ from random pairing of rows "
            f"(q < 0.05)."
        )
    if doubtful:
        found.append(f"{doubtful:,} do not (?).")
    return [" ".join(found)]


def _doubtful(row: Row) -> bool:
    return row.q is not None and row.q >= 0.05 and not _at_the_least_p(row)


def _at_the_least_p(row: Row) -> bool:
    """No random pairing was as similar, but there were too few for q < 0.05."""
    counted = row.p_method == "permutation" and row.permutations is not None
    if not counted or row.q is None or row.p is None or row.q < 0.05:
        return False
    return row.p <= 1.5 / (row.permutations + 1)  # type: ignore[operator]


def _against(rows: Sequence[Row], name: str) -> str:
    sign = 1.0 if rows[0].kind == "similarity" else -1.0
    known = [
        (row.score, row.baselines[name])
        for row in rows
        if row.score is not None and name in row.baselines
    ]
    beyond = sum(sign * score > sign * base for score, base in known)
    middle = number(float(np.median([base for _, base in known])))
    return (
        f"{name}: {middle} (median); {beyond:,} of {len(known):,} pairs are more alike "
        f"than theirs."
    )


def _cell(row: Row) -> str:
    return f"{number(row.score)}{'?' if _doubtful(row) else ' '}"


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
