"""The arguments of `compare`, checked and resolved to a `Question`."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._base._seed import key_of
from ...errors import InvalidInput, Undefined, check_extra
from ...measures import DEFAULT, MEASURES, Measure, find_measure, measures_of_inputs
from ...representation import Representation
from ...store import given_representations
from .._plan import Pairs, Permutations, Plan
from ._baselines import Baseline, baseline_pairs, checked_baselines, read_baselines
from ._join import check_values, common_blocks
from ._order import check_order
from ._origin import path_of
from ._reference import with_reference
from ._selection import Selection
from ._twins import split_twins

Keep = Callable[[Representation, Representation], bool]


@dataclass(frozen=True)
class Question:
    """A comparison to compute: representations on the same rows, measures, pairs.

    Attributes
    ----------
    reps
        The representations, followed by their twins.
    measures
        The measures, each with its label in tables.
    baselines
        The twins of each baseline, by index in `reps`.
    pairs
        The pairs of representations and of twins to compare.
    blocks
        The blocks of the rows; None if rows are independent or not paired.
    dropped
        The number of rows that were dropped because a value is not finite.
    paths
        The file or folder of each representation; None if it is an array.
    inputs, of_inputs
        The inputs of the networks, and the measures that were built with them.
    """

    reps: tuple[Representation, ...]
    measures: Mapping[Measure, str]
    baselines: tuple[Baseline, ...]
    pairs: Pairs
    blocks: np.ndarray | None
    dropped: int
    paths: tuple[str | None, ...]
    inputs: Representation | None = None
    of_inputs: tuple[Measure, ...] = ()

    def plan(self, permutations: Permutations, seed: np.random.SeedSequence) -> Plan:
        return Plan(
            self.reps,
            list(self.measures),
            self.pairs,
            permutations=permutations,
            seed=key_of(seed),
            blocks=self.blocks,
        )


def ask(
    reps: Any,
    measures: Any,
    *,
    reference: Any = None,
    baselines: Mapping[str, Any] | None = None,
    inputs: Any = None,
    selection: Selection,
    keep: Keep | None = None,
) -> Question:
    """Resolve the arguments of `compare`, or raise an error if they are invalid.

    `keep` chooses the pairs to compare; None: all of them.
    """
    check_order(reps, measures)
    if measures is not None:
        chosen = chosen_measures(measures)
    mains, stored = split_twins(given_representations(reps))
    if measures is None:
        chosen = chosen_measures(_default_measures(mains))
    referred = with_reference(mains, reference)
    mains = referred.reps
    # The argument `baselines` replaces stored twins.
    all_reps, twins = read_baselines(mains, {**stored, **checked_baselines(baselines)})
    if inputs is not None:
        all_reps.append(_inputs(inputs))
    paired = inputs is not None or any(m.claims().paired for m in chosen)
    paths = [path_of(rep) for rep in all_reps]  # selected rows do not have a file
    all_reps, dropped = selection.apply(all_reps, paired=paired)
    check_values(all_reps)
    input_rep, of_inputs = None, []
    if inputs is not None:
        input_rep, _ = all_reps.pop(), paths.pop()
        of_inputs = measures_of_inputs(input_rep.load())
        chosen |= {m: m.name for m in of_inputs}
    _check_extras(chosen, all_reps)
    only = referred.halves
    if keep is not None:
        kept = _kept_pairs(all_reps[: len(mains)], keep)
        only = kept if only is None else kept & only
    pairs = Pairs(len(mains), referred.index, only=only)
    extra = baseline_pairs(twins, list(pairs.ordered(symmetric=False)))
    return Question(
        tuple(all_reps),
        chosen,
        tuple(twins),
        replace(pairs, extra=extra),
        common_blocks(all_reps) if paired else None,
        dropped,
        tuple(paths),
        input_rep,
        tuple(of_inputs),
    )


def _kept_pairs(
    reps: Sequence[Representation], keep: Keep
) -> frozenset[tuple[int, int]]:
    pairs = itertools.combinations(range(len(reps)), 2)
    found = frozenset((i, j) for i, j in pairs if keep(reps[i], reps[j]))
    if not found:
        raise InvalidInput("no pair of representations is left to compare.")
    return found


def chosen_measures(measures: Any) -> dict[Measure, str]:
    """The measures, each with its label in tables."""
    found: dict[Measure, str] = {}
    if isinstance(measures, Mapping):
        for label, item in measures.items():
            measure = find_measure(item)
            if measure in found:
                raise InvalidInput(
                    f"{measure.label} is given twice, as {found[measure]!r} and as "
                    f"{label!r}; remove one of them, or change an option."
                )
            found[measure] = str(label)
    elif isinstance(measures, str | Measure | type) or not isinstance(
        measures, Iterable
    ):
        found = {(measure := find_measure(measures)): measure.label}
    else:
        found = {measure: measure.label for measure in map(find_measure, measures)}
    if not found:
        raise InvalidInput("measures is empty; omit it to use the default measures.")
    return found


def _default_measures(reps: Sequence[Representation]) -> list[Measure]:
    """The default measures of points; of other inputs, all measures that fit them."""
    domains = dict.fromkeys(rep.domain for rep in reps)
    chosen = [MEASURES[name] for name in DEFAULT] if "points" in domains else []
    for domain in domains:
        if domain != "points":
            first = next(rep for rep in reps if rep.domain == domain).load()
            chosen += [m for m in MEASURES.values() if _fits(m, domain, first)]
    return chosen


def _fits(measure: Measure, domain: str, values: Any) -> bool:
    """Whether a measure can prepare these values; some need targets, for example."""
    if measure.domain != domain:
        return False
    try:
        measure.prepare(values)
    except InvalidInput:
        return False
    except Undefined:
        pass
    return True


def _check_extras(measures: Iterable[Measure], reps: Iterable[Representation]) -> None:
    """Raise before any computation if an optional dependency is missing."""
    domains = {rep.domain for rep in reps}
    for measure in measures:
        if measure.extra is not None and measure.domain in domains:
            check_extra(measure.name, measure.extra)


def _inputs(inputs: Any) -> Representation:
    """The inputs as a representation of points, named "inputs"."""
    rep = given_representations({"inputs": inputs})[0]
    if rep.domain != "points":
        raise InvalidInput(f"inputs must be n x d numbers; got {rep.domain}.")
    return rep
