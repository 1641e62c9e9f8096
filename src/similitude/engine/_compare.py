"""The verb: compare many representations under many measures."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from .. import _parallel
from .._seed import Rng, as_seed, key_of
from ..measures import Measure
from ._join import Join
from ._plan import Permutations, plan
from ._question import ask
from ._results import Results
from ._run import Progress, Run
from ._selection import Rows
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
    rows: Rows | None = None,
    drop_nonfinite: bool = False,
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
        layers too. A single one instead of a mapping serves for all, and of a list of
        `Representation` each is the twin of its `twin_of`, or of what has its name.
        Representations that know of a baseline themselves (`baseline=`, as out of a
        store) need not be named here; one that is named here replaces theirs.
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
    rows
        Which rows to compare: a slice, row numbers, or either as text ("0:300",
        "3,5,8"). Where all have sample ids, rows are counted in the first one, and
        found in the others by id.
    drop_nonfinite
        Leave out the rows that hold NaN or infinities in any representation, twin or
        input; `Results.dropped` says how many.
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
    question = ask(
        reps,
        measures,
        reference=reference,
        baselines=baselines,
        inputs=inputs,
        rows=rows,
        drop=drop_nonfinite,
        join_ids=join_ids,
    )
    seed = as_seed(rng)
    n = min(rep.n for rep in question.reps)
    planned = plan(
        question.reps,
        list(question.measures),
        question.pairs,
        permutations=permutations,
        seed=key_of(seed),
        blocks=question.blocks,
    )
    resampling = Resampling(seed, n, question.blocks)
    run = Run(question, planned, resampling, out, progress)
    with _parallel.one_thread(), closing(run):
        run.score()
        if scored is not None and not run.finished:
            scored(run.results())
        run.statistics()
    return run.results()
