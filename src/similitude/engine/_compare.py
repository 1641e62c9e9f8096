"""The verb: compare many representations under many measures."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import _parallel
from .._seed import Rng, as_seed, key_of
from ..errors import InvalidInput
from ..measures import DEFAULT, Measure, find_measure, measures_of_inputs
from ..representation import Representation, gather
from ._baselines import baseline_pairs, checked_baselines, read_baselines
from ._join import Join, check_values, common_blocks, join
from ._plan import Pairs, Permutations, plan
from ._results import Results
from ._run import About, Progress, Run
from ._scores import check_extras
from ._twins import split_twins
from .statistics import Resampling


def compare(
    reps: Any,
    measures: Mapping[str, Measure]
    | Iterable[Measure | str]
    | Measure
    | str
    | None = None,
    *,
    reference: Any = None,
    baselines: Mapping[str, Any] | None = None,
    inputs: Any = None,
    permutations: Permutations = "auto",
    rng: Rng = 0,
    out: str | Path | None = None,
    join_ids: Join = "exact",
    progress: Progress | None = None,
    scored: Callable[[Results], None] | None = None,
) -> Results:
    """Compare representations with each other, with intervals, nulls and baselines.

    Parameters
    ----------
    reps
        Names to representations: arrays (n x d), `Outputs`, `SoftmaxModel`, or
        `Representation`, which also knows sample ids and blocks. Or a sequence of
        them, or models to mappings of layers to them.
    measures
        Measures or their names; by default cka, procrustes, mean_cca, rsa, mutual_knn
        and rtd. A measure of one's own is passed as an object. A mapping gives them
        labels of one's own.
    reference
        The name of a representation: compare only with this one. Or one that is not
        among `reps`.
    baselines
        Name to twins, as in ``{"untrained": {"a": a0, "b": b0}, "seed": {"a": a1}}``:
        every score is then put beside that of the untrained twins, and that of each
        with its own twin of another seed. Of models of layers they are models of
        layers too. A single one instead of a mapping serves for all. Representations
        that know of a baseline themselves (`baseline=`, as out of a store) need not be
        named here; one that is named here replaces theirs.
    inputs
        What the networks saw, n x d (images flattened): `deconfounded_cka` is then
        added, CKA of what the similarity of the inputs does not explain.
    permutations
        Random pairings of rows for the null; "auto" is 199 for cheap measures, 19 for
        moderate ones, 0 for heavy ones. Where pairs x n^2 > 1e8 it takes the exact
        moments of all pairings instead, of measures that have them.
    rng
        The seed of everything that is drawn.
    out
        A folder that keeps every row as soon as it is there. A run that was stopped
        goes on where it was when it is repeated.
    join_ids
        "exact": where there are sample ids, all must have the same ones, in any order.
        "common": compare the stimuli that all have.
    progress
        Called with the stage, the number of jobs done, and their number.
    scored
        Called once, with the results as they are when all scores are there and the
        statistics are still to come.

    Returns
    -------
    Results
        Scores come first, statistics after; a pair without a score has its reason.

    Examples
    --------
    >>> import numpy as np, similitude as sim
    >>> x = np.random.default_rng(0).normal(size=(100, 5))
    >>> found = sim.compare({"a": x, "b": x[:, ::-1] + 1}, "cka", permutations=0)
    >>> round(found.rows[0].score, 6)
    1.0
    """
    chosen = chosen_measures(measures)
    asked = checked_baselines(baselines)
    mains, known = split_twins(gather(reps), asked)
    mains, ref = _with_reference(mains, reference)
    everyone, twins = read_baselines(mains, {**known, **asked})
    if inputs is not None:
        seen = _inputs(inputs)
        *everyone, seen = join([*everyone, seen], join_ids)
        check_values([seen])
        chosen |= {m: m.name for m in measures_of_inputs(seen.load())}
    paired = any(measure.claims().paired for measure in chosen)
    if paired and inputs is None:
        everyone = join(everyone, join_ids)
    check_values(everyone)
    check_extras(chosen, everyone)
    pairs = Pairs(len(mains), ref)
    extra = baseline_pairs(twins, pairs.of(symmetric=False))
    seed = as_seed(rng)
    blocks = common_blocks(everyone) if paired else None
    resampling = Resampling(seed, min(rep.n for rep in everyone), blocks)
    planned = plan(
        everyone,
        list(chosen),
        replace(pairs, extra=extra),
        permutations=permutations,
        seed=key_of(seed),
        blocks=blocks,
    )
    about = About(chosen, tuple(twins), progress)
    run = Run(everyone, planned, resampling, out, about=about)
    with _parallel.one_thread(), closing(run):
        run.score()
        if scored is not None and not run.finished:
            scored(run.results())
        run.statistics()
    return run.results()


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
