"""Results that are too large for one page: means over groups of representations."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ...engine import Results, Row
from ...engine.text import not_significant

MOST_ROWS = 120_000  # 100 models x 10 asymmetric measures are 99,000
MOST_ITEMS = 400  # representations in a matrix
MOST_GROUPS = 120


@dataclass(frozen=True)
class Aggregated:
    """Results that fit on a page, and a sentence if they are means over groups."""

    results: Results
    note: str = ""


def fit_page(results: Results) -> Aggregated:
    """The results, or means over pairs of groups if there are too many rows.

    The groups are the models. If there are too many models, consecutive models are one
    group. Pairs within one group are left out.
    """
    names = results.names
    if len(results.rows) <= MOST_ROWS and len(names) <= MOST_ITEMS:
        return Aggregated(results)
    groups = _groups(results)
    means = _means(results.rows, groups)
    kept = replace(results, rows=tuple(means), representations=(), compared=0)
    per_group = -(-len(names) // len(set(groups.values())))
    note = (
        f"The results hold {len(results.rows):,} scores of {len(names):,} "
        f"representations. This page shows {len(set(groups.values())):,} groups of up "
        f"to {per_group:,} representations: each score is the mean over all pairs of "
        f"representations of two groups. A cell is hatched if none of its pairs is "
        f"distinguishable from chance. Pairs within one group are left out. "
        f"`similitude show RESULTS --csv FILE` writes all scores."
    )
    return Aggregated(kept, note)


def _groups(results: Results) -> dict[str, str]:
    """The group of each representation: its model, or several consecutive models."""
    models: dict[str, str] = {}
    for row in results.rows:
        models.setdefault(row.a, row.a_model or row.a)
        models.setdefault(row.b, row.b_model or row.b)
    distinct = list(dict.fromkeys(models.values()))
    size = -(-len(distinct) // MOST_GROUPS)
    names: dict[str, str] = {}
    for start in range(0, len(distinct), size):
        part = distinct[start : start + size]
        title = part[0] if len(part) == 1 else f"{part[0]} ... {part[-1]}"
        names |= dict.fromkeys(part, title)
    return {name: names[model] for name, model in models.items()}


def _means(rows: tuple[Row, ...], groups: Mapping[str, str]) -> list[Row]:
    cells: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        a, b = groups[row.a], groups[row.b]
        if a == b:
            continue
        swapped = (row.label, b, a) in cells and (row.label, a, b) not in cells
        key = (row.label, b, a) if swapped else (row.label, a, b)
        cells.setdefault(key, []).append(row)
    return [_mean(found, a, b) for (_, a, b), found in cells.items()]


def _mean(rows: list[Row], a: str, b: str) -> Row:
    scored = [row for row in rows if row.status == "ok"]
    first = scored[0] if scored else rows[0]
    baselines = {}
    for name in first.baselines:
        values = [row.baselines[name] for row in scored if name in row.baselines]
        baselines[name] = float(np.mean(values))
    tested = [row for row in scored if row.p is not None]
    return replace(
        first,
        a=a,
        b=b,
        a_model=a,
        b_model=b,
        a_layer=None,
        b_layer=None,
        score=_average([row.score for row in scored]),
        null_mean=_average([row.null_mean for row in scored]),
        calibrated=_average([row.calibrated for row in scored]),
        p=None,
        q=None,
        low=None,
        high=None,
        null_sd=None,
        null_q95=None,
        barcodes=None,
        interval_note="",
        baselines=baselines,
        advice=(),
        details={
            "averaged_pairs": len(scored),
            "tested": len(tested),
            "at_chance": sum(not_significant(row) for row in tested),
        },
    )


def _average(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
