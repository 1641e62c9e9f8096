"""The first screen: what was compared, findings, warnings, statistics per measure."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..._base._printable import counted
from ...engine import Results
from ...engine.text import (
    alarms,
    comparable,
    footnotes,
    mixed_reducers,
    number,
    reducers_of,
    which_pairs,
)
from .._data._columns import AT_CHANCE, DISTINCT, TOO_FEW, mark
from .._data._items import shown
from ._findings import Finding, findings
from ._pairs import baselines_of, scored, scores, with_interval
from ._stitching import Stitching, stitching_finding

_ONE_LINE = 100_000  # a width at which no text is wrapped


def overview(
    results: Results,
    fields: Mapping[str, Sequence[Any]],
    agreement: Mapping[str, Any],
    stitching: Stitching | None,
) -> dict[str, Any]:
    """All texts of the first screen."""
    found, candidates = findings(results, fields, agreement)
    if stitching is not None and stitching.cells:
        text = stitching_finding(stitching)
        found = [*found[:2], Finding("stitching", text, 1.0, "stitching")]
    rows = results.rows
    records = results.representations[: results.compared]
    mixed = mixed_reducers(rows, reducers_of(records))
    return {
        "compared": _compared(results),
        "findings": found,
        "candidates": candidates,
        "which": which_pairs({"": rows}) if rows else "",
        "unfinished": results.unfinished,
        "warnings": [
            *(text.removeprefix("warning: ") for text in alarms(rows, _ONE_LINE)),
            *_missing(results),
            *([mixed] if mixed else []),
        ],
        "notes": [
            shown(note)
            for note in footnotes(rows, results.notes, _ONE_LINE, apart=False)
        ],
        "summary": [_summary(results, label) for label in results.measures],
        "one_pair": len({frozenset((row.a, row.b)) for row in rows}) == 1,
    }


def baseline_names(results: Results) -> tuple[str, ...]:
    """The null if it was computed, and the baselines."""
    null = any(row.null_mean is not None for row in results.rows)
    return (*(("null",) if null else ()), *results.baselines)


def _compared(results: Results) -> str:
    """One sentence: how many models, layers and samples, and which measures."""
    rows = results.rows
    if not rows:
        return "No score has been computed yet."
    names = results.names
    models = {m for row in rows for m in (row.a_model or row.a, row.b_model or row.b)}
    sizes = sorted({row.n for row in rows})
    samples = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
    what = counted(len(names), "representation")
    if len(models) < len(names):
        what += f" of {counted(len(models), 'model')}"
    pairs = counted(len({frozenset((row.a, row.b)) for row in rows}), "pair")
    count = counted(len(results.measures), "measure")
    labels = ", ".join(shown(label) for label in results.measures)
    baselines = ", ".join(shown(name) for name in results.baselines)
    reducers = dict.fromkeys(
        reducers_of(results.representations[: results.compared]).values()
    )
    reduced = f" Activations were reduced by {', '.join(reducers)}." if reducers else ""
    extra = f", next to the baseline {baselines}" if baselines else ""
    return (
        f"{what} ({pairs}) were compared on {samples} samples under {count}: "
        f"{labels}{extra}.{reduced}"
    )


def _missing(results: Results) -> list[str]:
    """One sentence per measure and status with the number of pairs and an example."""
    found = []
    for label in results.measures:
        for status in ("undefined", "failed"):
            rows = [r for r in results.rows if (r.label, r.status) == (label, status)]
            if rows:
                example = f"{rows[0].a} - {rows[0].b}: {rows[0].reason}"
                count = counted(len(rows), "pair")
                found.append(
                    f"{shown(label)}: {count} {status}, such as {shown(example)}"
                )
    if results.dropped:
        found.append(
            f"{counted(results.dropped, 'row')} with NaN or infinite values dropped."
        )
    return found


def _summary(results: Results, label: str) -> dict[str, Any]:
    """One line of the table of measures: pairs of equal layers of models."""
    rows = comparable([row for row in results.rows if row.label == label])
    ok = scored(rows)
    values = np.array(scores(ok))
    quartiles = np.quantile(values, [0.0, 0.5, 1.0]).tolist() if len(values) else []
    tests = [mark(row) for row in ok]
    beside = baselines_of(ok)
    return {
        "label": shown(label),
        "reading": shown(rows[0].reading),
        "pairs": len(ok),
        "scores": [number(value) for value in quartiles],
        "interval": with_interval(ok[0]).partition(", p")[0] if ok else "",
        "distinct": _distinct(tests),
        "baselines": {
            name: number(float(np.median(beside[name]))) if beside.get(name) else "-"
            for name in baseline_names(results)
        },
    }


def _distinct(tests: Sequence[int]) -> str:
    """How many pairs are distinguishable from chance, of those that can be."""
    tested = [test for test in tests if test in (DISTINCT, AT_CHANCE)]
    if tested:
        return f"{tested.count(DISTINCT):,} of {len(tested):,}"
    return "too few permutations" if TOO_FEW in tests else "not tested"
