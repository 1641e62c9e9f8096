"""The question of a comparison, put once for Python and for the command line."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InvalidInput, check_extra
from ..measures import DEFAULT, Measure, find_measure, measures_of_inputs
from ..representation import Representation, gather
from ._baselines import Baseline, baseline_pairs, checked_baselines, read_baselines
from ._join import Join, check_values, common_blocks, drop_nonfinite, join
from ._plan import Pairs
from ._selection import Rows, select_rows
from ._twins import split_twins


@dataclass(frozen=True)
class Question:
    """What is compared with what, on the same rows, by which measures.

    Attributes
    ----------
    reps
        The representations, and the twins behind them.
    measures
        Measures to the labels that tables give them.
    baselines
        Who is whose twin.
    pairs
        Which representations are compared, and which twins.
    blocks
        Of the rows; None where rows are independent or not paired.
    dropped
        How many rows were left out because a value is not finite.
    """

    reps: tuple[Representation, ...]
    measures: Mapping[Measure, str]
    baselines: tuple[Baseline, ...]
    pairs: Pairs
    blocks: np.ndarray | None
    dropped: int


def ask(
    reps: Any,
    measures: Any,
    *,
    reference: Any = None,
    baselines: Mapping[str, Any] | None = None,
    inputs: Any = None,
    rows: Rows | None = None,
    drop: bool = False,
    join_ids: Join = "exact",
) -> Question:
    """The question that the arguments of `compare` put, if it is one."""
    chosen = chosen_measures(measures)
    mains, known = split_twins(gather(reps))
    mains, ref = _with_reference(mains, reference)
    # What is asked for goes before what a store says.
    everyone, twins = read_baselines(mains, {**known, **checked_baselines(baselines)})
    if inputs is not None:
        everyone.append(_inputs(inputs))
    paired = inputs is not None or any(m.claims().paired for m in chosen)
    everyone, dropped = _same_rows(everyone, rows, join_ids, drop=drop, paired=paired)
    check_values(everyone)
    if inputs is not None:
        seen = everyone.pop()
        chosen |= {m: m.name for m in measures_of_inputs(seen.load())}
    _check_extras(chosen, everyone)
    pairs = Pairs(len(mains), ref)
    extra = baseline_pairs(twins, pairs.of(symmetric=False))
    return Question(
        tuple(everyone),
        chosen,
        tuple(twins),
        Pairs(len(mains), ref, extra),
        common_blocks(everyone) if paired else None,
        dropped,
    )


def _same_rows(
    reps: list[Representation],
    rows: Rows | None,
    join_ids: Join,
    *,
    drop: bool,
    paired: bool,
) -> tuple[list[Representation], int]:
    """The rows that are compared, the same stimuli in all; and how many were dropped.

    Where all have ids, rows are counted in the table that is joined.
    """
    dropped = 0
    if rows is not None:
        if all(rep.ids is not None for rep in reps):
            reps = join(reps, join_ids)
        reps = select_rows(reps, rows)
    if paired or drop:
        reps = join(reps, join_ids)
    if drop:
        reps, dropped = drop_nonfinite(reps)
    return reps, dropped


def chosen_measures(measures: Any) -> dict[Measure, str]:
    """Measures and the labels that tables give them."""
    if measures is None:
        measures = DEFAULT
    found: dict[Measure, str] = {}
    if isinstance(measures, Mapping):
        for label, item in measures.items():
            measure = find_measure(item)
            if measure in found:
                raise InvalidInput(
                    f"{measure.label} is asked for twice, as {found[measure]!r} and as "
                    f"{label!r}; leave one out, or change an option."
                )
            found[measure] = str(label)
    elif isinstance(measures, str | Measure | type) or not isinstance(
        measures, Iterable
    ):
        found = {(measure := find_measure(measures)): measure.label}
    else:
        found = {measure: measure.label for measure in map(find_measure, measures)}
    if not found:
        raise InvalidInput("no measure is asked for; leave measures out for the usual.")
    return found


def _check_extras(measures: Iterable[Measure], reps: Iterable[Representation]) -> None:
    """What a measure needs is installed; known before anything is computed."""
    domains = {rep.domain for rep in reps}
    for measure in measures:
        if measure.extra is not None and measure.domain in domains:
            check_extra(measure.name, measure.extra)


def _inputs(inputs: Any) -> Representation:
    """The inputs as points, by that name."""
    rep = gather({"inputs": inputs})[0]
    if rep.domain != "points":
        raise InvalidInput(f"inputs must be n x d numbers; got {rep.domain}.")
    return rep


def _with_reference(
    reps: list[Representation], reference: Any
) -> tuple[list[Representation], int | None]:
    if reference is not None and not isinstance(reference, str):
        single = gather({"reference": reference})[0]
        reps, reference = [single, *reps], single.name
        gather(reps)  # its name may be taken
    if len(reps) < 2:
        raise InvalidInput(
            f"there is {len(reps)} representation; two or more are needed to compare."
        )
    if reference is None:
        return reps, None
    names = [rep.name for rep in reps]
    if reference not in names:
        raise InvalidInput(f"reference={reference!r} is not among {', '.join(names)}.")
    return reps, names.index(reference)
