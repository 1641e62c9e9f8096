"""The verb: compare many representations under many measures."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import _parallel, advice
from .._seed import Rng, as_seed
from ..errors import InvalidInput
from ..measures import MEASURES, Measure
from ..representation import Representation, gather
from ._baselines import attach, baseline_pairs, read_baselines
from ._join import Join, check_values, common_blocks, join
from ._plan import Job, Pairs, Permutations, Plan, plan
from ._results import Results, assemble
from ._rows import Folder, Row
from ._scores import Outcome, score_jobs
from ._statistics import Settings, statistics

DEFAULT = ("cka", "procrustes", "mean_cca", "rsa", "mutual_knn", "rtd")

Progress = Callable[[str, int, int], None]  # stage, done, of how many


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
    permutations: Permutations = "auto",
    rng: Rng = 0,
    out: str | Path | None = None,
    join_ids: Join = "exact",
    progress: Progress | None = None,
) -> Results:
    """Compare representations with each other, with intervals, nulls and baselines.

    Parameters
    ----------
    reps
        Names to representations: arrays (n x d), `Outputs`, `SoftmaxModel`, or
        `Representation`, which also knows sample ids and blocks. Or a sequence.
    measures
        Measures or their names; by default cka, procrustes, mean_cca, rsa, mutual_knn
        and rtd. A measure of one's own is passed as an object. A mapping gives them
        labels of one's own.
    reference
        The name of a representation: compare only with this one. Or one that is not
        among `reps`.
    baselines
        Role to twins, as in ``{"untrained": {"a": a0, "b": b0}, "seed": {"a": a1}}``:
        every score is then put beside that of the untrained twins, and that of each
        with its own twin of another seed. A single one instead of a mapping serves
        for all.
    permutations
        Random pairings of rows for the null; "auto" is 199 for cheap measures, 19 for
        moderate ones, 0 for heavy ones.
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
    chosen = _measures(measures)
    mains, ref = _with_reference(gather(reps), reference)
    everyone, twins = read_baselines(mains, baselines)
    if any(measure.claims().paired for measure in chosen):
        everyone = join(everyone, join_ids)
    check_values(everyone)
    pairs = Pairs(len(mains), ref)
    extra = baseline_pairs(twins, pairs.of(symmetric=False))
    seed = as_seed(rng)
    entropy = seed.entropy if isinstance(seed.entropy, int) else None
    planned = plan(
        everyone,
        list(chosen),
        replace(pairs, extra=extra),
        permutations=permutations,
        seed=entropy,
    )
    run = _Run(everyone, planned, seed, out, labels=chosen, progress=progress)
    with _parallel.one_thread():
        rows = run.finish()
    named = [rep.name for rep in everyone]
    return assemble(
        attach(rows, named, twins),
        notes=planned.skipped,
        path=None if out is None else Path(out),
    )


class _Run:
    """One plan on its way: what is done, and where it is kept."""

    def __init__(
        self,
        reps: Sequence[Representation],
        planned: Plan,
        seed: np.random.SeedSequence,
        out: str | Path | None,
        *,
        labels: Mapping[Measure, str],
        progress: Progress | None,
    ) -> None:
        from .. import __version__

        self.reps, self.plan, self.seed, self.labels = reps, planned, seed, labels
        self.progress = progress or (lambda stage, done, total: None)
        self.version = __version__
        self.advice = advice.Pairwise(reps)
        self.folder = None if out is None else Folder(Path(out))
        self.rows: dict[str, Row] = {}
        if self.folder is not None:
            self.folder.start(self._about())
            wanted = {job.hash for job in planned.jobs}
            found = self.folder.rows()
            self.rows = {job: row for job, row in found.items() if job in wanted}
        self.complete = sum(row.complete for row in self.rows.values())

    def _about(self) -> dict[str, Any]:
        return {
            "version": self.version,
            "measures": [m.to_json() for m in self.plan.by_measure()],
            "representations": [
                {"name": rep.name, "sha256": rep.sha256} for rep in self.reps
            ],
            "jobs": [job.hash for job in self.plan.jobs],
            "notes": list(self.plan.skipped),
        }

    def finish(self) -> list[Row]:
        try:
            for measure, jobs in self.plan.by_measure().items():
                self._score(measure, jobs)
            for measure, jobs in self.plan.by_measure().items():
                self._statistics(measure, jobs)
        finally:
            if self.folder is not None:
                self.folder.close()
        return [self.rows[job.hash] for job in self.plan.jobs]

    def _score(self, measure: Measure, jobs: Sequence[Job]) -> None:
        missing = {job.hash for job in jobs if job.hash not in self.rows}
        self._report("scores")
        if not missing:
            return
        # Where all pairs are one product, the product is made as it was the first
        # time, so that what was lost comes back to the last bit.
        work = (
            jobs
            if measure.offers("compare_all")
            else [job for job in jobs if job.hash in missing]
        )
        for job, outcome in score_jobs(measure, self.reps, work, self.seed):
            if job.hash in missing:
                self._keep(self._row(job, outcome))
                self._report("scores")

    def _statistics(self, measure: Measure, jobs: Sequence[Job]) -> None:
        mains = [job for job in jobs if job.baseline_of is None]
        for job in jobs:
            row = self.rows[job.hash]
            plain = job.baseline_of is not None or row.status != "ok"
            if plain and not row.complete:
                self._keep(replace(row, complete=True))
        scored = [
            (job, float(row.score))
            for job in mains
            if (row := self.rows[job.hash]).status == "ok" and row.score is not None
        ]
        done = {job.hash for job in jobs if self.rows[job.hash].complete}
        self._report("statistics")
        n = min(rep.n for rep in self.reps)
        settings = Settings(self.seed, n, common_blocks(self.reps))
        for job, fields in statistics(measure, self.reps, scored, settings, done):
            row = self.rows[job.hash]
            details = row.details | fields.pop("details", {})
            self._keep(replace(row, **fields, details=details, complete=True))
            self._report("statistics")

    def _row(self, job: Job, outcome: Outcome) -> Row:
        a, b, measure = self.reps[job.a], self.reps[job.b], job.measure
        return Row(
            job=job.hash,
            a=a.name,
            b=b.name,
            measure=measure.name,
            label=self.labels[measure],
            options=measure.options,
            kind=measure.claims().kind,
            status=outcome.status,
            reason=outcome.reason,
            score=outcome.score,
            n=a.n,
            d_a=a.d,
            d_b=b.d,
            a_model=a.model,
            a_layer=a.layer,
            b_model=b.model,
            b_layer=b.layer,
            seed=self.seed.entropy if isinstance(self.seed.entropy, int) else None,
            version=self.version,
            details=outcome.details or {},
            advice=self.advice.codes(job.a, job.b, measure),
            baseline_of=job.baseline_of,
            seconds=outcome.seconds,
        )

    def _keep(self, row: Row) -> None:
        self.rows[row.job] = row
        self.complete += row.complete
        if self.folder is not None:
            self.folder.append([row])

    def _report(self, stage: str) -> None:
        done = len(self.rows) if stage == "scores" else self.complete
        self.progress(stage, done, len(self.plan.jobs))


def _measures(measures: Any) -> dict[Measure, str]:
    """Measures and the labels that tables give them."""
    if measures is None:
        measures = DEFAULT
    if isinstance(measures, Mapping):
        return {measure: str(label) for label, measure in measures.items()}
    given = [measures] if isinstance(measures, str | Measure) else list(measures)
    found = {}
    for item in given:
        if isinstance(item, Measure):
            found[item] = item.label
        elif item in MEASURES:
            found[MEASURES[item]] = item
        else:
            import difflib

            near = difflib.get_close_matches(str(item), MEASURES, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise InvalidInput(
                f"there is no measure {item!r}.{hint} `similitude measures` lists all "
                f"{len(MEASURES)}."
            )
    if not found:
        raise InvalidInput("no measure is asked for; leave measures out for the usual.")
    return found


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
