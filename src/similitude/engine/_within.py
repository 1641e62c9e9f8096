"""Scores within and between classes, next to the scores of all rows.

Two networks can have a high score because both separate the classes, and nothing else.
The score of the rows without their class means shows whether they share more.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput
from ..measures import Measure
from .question._baselines import BETWEEN, PARTS, WITHIN
from .question._class_labels import classes_of, with_classes
from .question._question import ask
from .question._residuals import between_classes, within_classes
from .question._selection import Selection
from .question._twins import split_twins

if TYPE_CHECKING:
    from ._results import Results
    from ._rows import Row

MOST = 0.5  # if classes carry a larger share of the score, the row has a warning


def compare_within(
    compare: Callable[..., "Results"],
    reps: list[Any],
    measures: Any,
    within: Any,
    *,
    asked: Mapping[str, Any],
    run: Mapping[str, Any],
) -> "Results":
    """The results of all rows, with columns for the parts within and between classes.

    `asked` are the arguments of `compare` that define the question, `run` the others.
    """
    if run.get("dask") is not None:
        raise InvalidInput("within= and dask= exclude each other; give one.")
    if taken := set(PARTS) & set(asked["baselines"] or {}):
        raise InvalidInput(
            f"baselines={taken}: within= uses this name; choose another name."
        )
    mains, _ = split_twins(reps)
    tagged, names = with_classes(mains, within)
    by_name = {rep.name: rep for rep in tagged}
    chosen = {key: asked[key] for key in ("rows", "drop_nonfinite", "join_ids")}
    question = ask(
        [by_name.get(rep.name, rep) for rep in reps],
        measures,
        selection=Selection(**chosen),
        **{key: value for key, value in asked.items() if key not in chosen},
    )
    points = [
        rep for rep in question.reps[: question.pairs.count] if rep.domain == "points"
    ]
    used: dict[str, Measure] = {
        label: measure
        for measure, label in question.measures.items()
        if measure.domain == "points"
        and measure.claims().paired
        and measure not in question.of_inputs
    }
    if not points or not used:
        raise InvalidInput(
            "within= needs representations of points, and a measure that pairs rows."
        )
    classes, _ = classes_of(points[0], names)
    found = compare(reps, measures, **asked, **run)
    reference, index = asked.get("reference"), question.pairs.reference
    part = {
        # A model or a step is its own name; an array has the name that it was given.
        "reference": reference if index is None else question.reps[index].name,
        "keep": asked.get("keep"),
        **{k: v for k, v in run.items() if k not in {"out", "started", "scored"}},
    }
    out = run.get("out")

    def folder(name: str) -> Path | None:
        return None if out is None else Path(out) / name

    inner = compare(
        [within_classes(rep, classes) for rep in points],
        used,
        out=folder(WITHIN),
        **part,
    )
    outer = compare(
        [between_classes(rep, classes) for rep in points],
        used,
        out=folder(BETWEEN),
        **part | {"permutations": 0},
    )
    return with_parts(found, inner, outer)


def with_parts(found: "Results", inner: "Results", outer: "Results") -> "Results":
    """Add the scores within and between classes to the rows of the same pairs."""
    current = {rep.name: rep.sha256 for rep in found.representations}
    parts: dict[str, dict[tuple[str, str, str], Row]] = {}
    for name, results in ((WITHIN, inner), (BETWEEN, outer)):
        of = {rep.name: rep.meta.get("whole") for rep in results.representations}
        parts[name] = {
            (row.label, row.a, row.b): row
            for row in results.rows
            if all(of.get(side) == current.get(side) for side in (row.a, row.b))
        }
    rows = tuple(
        _with_parts(
            row,
            parts[WITHIN].get((row.label, row.a, row.b)),
            parts[BETWEEN].get((row.label, row.a, row.b)),
        )
        for row in found.rows
    )
    return replace(found, rows=rows)


def _with_parts(row: "Row", inner: "Row | None", outer: "Row | None") -> "Row":
    beside = dict(row.baselines)
    for name, part in ((WITHIN, inner), (BETWEEN, outer)):
        if part is not None and part.score is not None:
            beside[name] = part.score
    if inner is None or inner.score is None or row.score is None:
        return replace(row, baselines=beside)
    details = row.details | {"within_p": inner.p}
    if row.null_mean is None or inner.null_mean is None:
        return replace(row, baselines=beside, details=details)
    # Both scores are relative to chance: the score of rows that are paired at random.
    sign = 1.0 if row.kind == "similarity" else -1.0
    whole = sign * (row.score - row.null_mean)
    rest = sign * (inner.score - inner.null_mean)
    share = 1.0 - rest / whole if whole > 0 else None
    details["class_share"] = share
    carried = share is not None and share > MOST
    advice = (*row.advice, "classes") if carried else row.advice
    return replace(row, baselines=beside, details=details, advice=advice)
