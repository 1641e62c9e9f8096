"""`compare`: compare many representations under many measures."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from .._base import _config, _parallel
from .._base._progress import Progress, reporting
from .._base._seed import Rng, as_seed
from ..errors import InvalidInput
from ..measures import Measure
from ..store import given_representations
from ._folder import Folder
from ._memory import block_bytes
from ._plan import Permutations
from ._predicted import predictions
from ._results import Results
from ._run import Run
from ._within import compare_within
from .machines._dask import Crew, dask_crew
from .machines._sent import as_sent
from .machines._share import Shard
from .question._join import Join
from .question._order import check_order
from .question._question import Keep, ask
from .question._residuals import classes_removed
from .question._selection import Rows, Selection
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
    within: Any = None,
    permutations: Permutations = "auto",
    rng: Rng = 0,
    out: str | Path | None = None,
    keep: Keep | None = None,
    rows: Rows | None = None,
    drop_nonfinite: bool = False,
    join_ids: Join = "exact",
    shard: Shard | str | tuple[int, int] | None = None,
    dask: Any = None,
    progress: Progress | Literal["auto"] | None = "auto",
    started: Callable[[Results], None] | None = None,
    scored: Callable[[Results], None] | None = None,
    executor: None = None,
) -> Results:
    """Compare representations with each other, with intervals, nulls and baselines.

    Parameters
    ----------
    reps
        A mapping of names to representations: arrays (n x d), `Outputs`,
        `SoftmaxModel`, or `Representation`, which also has sample ids and blocks. Or a
        sequence of representations, or a mapping of models to mappings of layers to
        representations.
    measures
        Measures or their names; by default cka, procrustes, mean_cca, rsa, mutual_knn
        and rtd. Pass a custom measure as an object. A mapping gives measures custom
        labels.
    reference
        The name of a representation in `reps`, or another representation. All others
        are compared only with the reference. The name of a model compares each layer
        with the layer of that model that has the same name; ``"first"`` and ``"last"``
        compare it with the same layer at the first or last step of the same model.
    baselines
        A mapping of baseline names to twins, such as
        ``{"untrained": {"a": a0, "b": b0}, "seed": {"a": a1}}``. The table then shows,
        next to every score, the score of the two untrained twins, and the mean score of
        each representation with its own twin of another seed. If `reps` maps models to
        layers, the twins do as well. A single twin instead of a mapping is the twin of
        all. In a list of `Representation`, each one is the twin of the representation
        named by its `twin_of`, otherwise of the one with the same name.
        Representations with `baseline=` set, such as those from a store, are used
        automatically. A baseline given here replaces the stored twins of that name.
    inputs
        The inputs of the networks, n x d (images flattened). If given,
        `deconfounded_cka` is added: CKA after the similarity of the inputs is
        regressed out.
    within
        Classes of the stimuli: n labels in the row order of the first representation, a
        mapping of ids to labels, the name of a field, or a file. If given, the table
        has the score of the rows without their class means ("within"), and the score of
        the class means ("between"). The null of the former permutes within classes.
    permutations
        The number of random pairings of rows for the null. "auto" uses the exact
        moments of all pairings for measures that have them, from 30 rows on. Otherwise
        it draws 199, 99, 49 or 19 pairings for cheap measures, by the predicted work,
        19 for moderate measures and 0 for heavy ones.
    rng
        The seed for all random numbers.
    out
        A results folder. Each row is written to it as soon as it is computed. To resume
        an interrupted run, repeat the same call.
    keep
        A function of two representations that says whether they are compared.
    rows
        The rows to compare: a slice, row numbers, or either as text ("0:300",
        "3,5,8"). If all representations have sample ids, rows are counted in the first
        one, and found in the others by id.
    drop_nonfinite
        Drop the rows that hold NaN or infinities in any representation, twin or input.
        `Results.dropped` is the number of dropped rows.
    join_ids
        "exact": if there are sample ids, all representations must have the same ones,
        in any order. "common": compare only the stimuli that all representations have.
    shard
        "I/N", or (I, N): compute one of N parts of the plan, I from 0 to N - 1. It
        needs `out`. N calls with the same folder, in any order and on any machines,
        give the table of one call. The results have all rows that the folder has.
    dask
        The address of a Dask scheduler, such as "tcp://127.0.0.1:8786", or a
        `distributed.Client`: all its workers compute. It needs `out`, which they must
        reach at the same path. They read the representations from stores, and write the
        rows. Values that are not in a store are copied to a store in `out` first.
    progress
        "auto": a bar in terminals and notebooks, if the call takes longer than a
        second; nothing if stderr is not a terminal. None: nothing. Or a function of the
        stage, the number of finished jobs, and the number of all jobs. The stage names
        the measure, as in "scores: cka (1 of 6)"; only its jobs are counted. In the
        stage "permutations" the permutations of one pair are counted.
    started
        Called once with results without rows, before anything is computed. Their
        `header` describes the representations. Their `notes` say which rows are read in
        parts, and predict the time of each measure if it exceeds a minute.
    scored
        Called with the scores so far, without statistics and advice: when all scores
        of a measure are computed, and meanwhile at most once per second.
    executor
        Was removed. Use `dask` or `shard`.

    Returns
    -------
    Results
        One row per pair and measure. A row without a score has a `reason`.

    Examples
    --------
    >>> import numpy as np, similitude as sim
    >>> x = np.random.default_rng(0).normal(size=(100, 5))
    >>> found = sim.compare({"a": x, "b": x[:, ::-1] + 1}, "cka", permutations=0)
    >>> round(found.rows[0].score, 6)
    1.0
    """
    part = None if shard is None else Shard.parse(shard)
    if executor is not None:
        raise InvalidInput(
            "executor= was removed: give dask= the address of a Dask scheduler, or "
            "start one process per shard= (in the shell, --shard)."
        )
    _check_folder(out, part, dask)
    if within is not None:
        check_order(reps, measures)
        return compare_within(
            compare,
            given_representations(reps),
            measures,
            within,
            asked={
                "reference": reference,
                "baselines": baselines,
                "inputs": inputs,
                "keep": keep,
                "rows": rows,
                "drop_nonfinite": drop_nonfinite,
                "join_ids": join_ids,
            },
            run={
                "permutations": permutations,
                "rng": as_seed(rng),
                "out": out,
                "shard": shard,
                "dask": dask,
                "progress": progress,
                "started": started,
                "scored": scored,
            },
        )
    with (
        reporting(progress, "pairs") as report,
        dask_crew(dask, report) as crew,
        _budget_of_run(out, crew),
    ):
        question = ask(
            reps,
            measures,
            reference=reference,
            baselines=baselines,
            inputs=inputs,
            selection=Selection(rows, drop_nonfinite, join_ids),
            keep=keep,
        )
        seed = as_seed(rng)
        planned = question.plan(permutations, seed)
        n = min(rep.n for rep in question.reps)
        classes = classes_removed(question.reps[0])
        resampling = Resampling(seed, n, question.blocks, classes)
        run = Run(question, planned, resampling, out, report, scored=scored, shard=part)
        with _parallel.one_thread(), closing(run):
            lines, sent = planned.choices, None
            if crew is not None and out is not None:
                sent = as_sent(Path(out), question, permutations, seed)
                lines = (*lines, crew.prepare(sent))
            if started is not None:
                lines = (*lines, *predictions(planned, question.measures))
                started(replace(run.request(), notes=lines))
            if crew is None or sent is None:
                run.execute()
            else:
                crew.compute(run, sent)
        return replace(run.results(), sources=question.reps)


@contextmanager
def _budget_of_run(out: str | Path | None, crew: Crew | None) -> Iterator[None]:
    """The budget of this run.

    It decides which rows are read in parts, and the last bits of scores. So without
    another choice, a run resumes with the budget of its folder, even on a machine with
    other memory; so do shards. The default of a new folder is the memory of a worker.
    """
    budget, blocks = _config.current().memory_budget, block_bytes()
    if out is not None and _config.has_default_budget():
        if (Path(out) / "run.json").is_file():
            last = Folder(out).run()
            budget = last.memory_budget or budget
            blocks = last.blocks or blocks
        elif crew is not None and crew.budget:
            budget, blocks = crew.budget, min(crew.budget // 4, _config.MOST_BLOCKS)
    with _config.config(memory_budget=budget), _config.blocks(blocks):
        yield


def _check_folder(out: str | Path | None, shard: Shard | None, dask: Any) -> None:
    """Raise unless `shard` and `dask` have a folder, and only one is given."""
    if shard is not None and dask is not None:
        raise InvalidInput(
            "shard= and dask= are two ways to divide the work; give one of them."
        )
    for name, value in (("shard", shard), ("dask", dask)):
        if value is not None and out is None:
            raise InvalidInput(
                f"{name}= needs out=, the results folder that all processes share."
            )
