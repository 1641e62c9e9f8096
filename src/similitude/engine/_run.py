"""Execution of a plan: first all scores, then advice and statistics."""

import itertools
from collections.abc import Sequence, Set
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from .. import __version__, advice
from .._base import _config
from .._base._parts import kept_by
from .._base._progress import Progress
from .._base._source import source_hash
from ..errors import InvalidInput
from ..store import release_arrays
from ._barcodes import KeptBarcodes
from ._completing import Completing
from ._folder import Folder, some, unfinished
from ._kept_parts import KeptParts
from ._memory import block_bytes
from ._plan import Plan
from ._prepared import Prepared
from ._results import Results, assemble
from ._rows import Row
from ._run_record import BaselineRecord, MeasureRecord, RunRecord
from ._scoring import Scoring
from ._source import other_source
from ._tiles import members_of
from ._watch import Scored, Watch
from ._work import Work
from .machines._known_rows import KnownRows
from .machines._share import Shard, Share
from .question._origin import record_of
from .question._question import Question
from .statistics import Resampling


class Run:
    """A plan, its results folder, and the two halves of its execution.

    The order of a run: read the rows of earlier runs, score, complete, assemble.
    `Scoring` and `Completing` say why their parts are in this order.
    """

    def __init__(
        self,
        question: Question,
        planned: Plan,
        resampling: Resampling,
        out: str | Path | None,
        progress: Progress,
        *,
        scored: Scored | None = None,
        shard: Shard | None = None,
        in_worker: bool = False,
    ) -> None:
        self.question, self.plan = question, planned
        self.folder = None if out is None else Folder(out)
        self.origins = tuple(map(record_of, question.reps, question.paths))
        labels = question.measures
        self.known = KnownRows(self.folder, reads=not in_worker)
        caches: list[Prepared] = []
        ready = {m: Prepared(m, question.reps, resampling.seed, caches) for m in labels}
        self.share = Share(planned, ready, resampling, shard)
        if not in_worker:  # a worker makes only the jobs of its tasks
            self.record = _record(self)
            self.known.label_of = {j.hash: labels[j.measure] for j in planned.jobs}
            self.share.jobs = planned.in_memory()
            if self.folder is not None:
                # A folder of other rows raises here, before anything is computed.
                self.folder.start(self.record)
                self.known.take_over(self.folder.rows())
        barcodes = KeptBarcodes(self.folder, planned, self.known.rows)
        self.damage = barcodes.notes
        if self.folder is not None:
            self.damage = (*self.folder.notes(), *self.damage)
        self.watch = Watch(
            progress, scored, self.known, planned, self._assembled, labels=labels
        )
        partial = None if self.folder is None else self.folder.path / "partial"
        self.parts = KeptParts(partial, self.watch.show_part)
        work = Work(
            question,
            resampling,
            self.origins,
            ready,
            self.share,
            self.known,
            self.watch,
            advice.Pairwise(question.reps),
        )
        self.workers: tuple[str, ...] = ()  # sentences about workers of Dask
        self._score, self._complete = Scoring(work, barcodes), Completing(work)

    def close(self) -> None:
        if self.folder is not None:
            self.folder.close()

    def compute(self, jobs: frozenset[str], members: Sequence[int]) -> None:
        """Compute the jobs of one task, and flush their rows to the disk.

        `members` are the representations of the jobs.
        """
        self.share.limit_to(jobs, members)
        around = itertools.chain(self.share.all_streamed, *self.share.jobs.values())
        if jobs - {job.hash for job in around}:
            raise InvalidInput(
                "the representations or the settings differ from those of the process "
                "that sent this task. Run the same command again."
            )
        which = {i for part in self.share.jobs.values() for i in members_of(part)}
        values = (self.question.reps[i].values for i in which)
        release_arrays(but={value.folder for value in values})
        # The sender knows that these jobs have no rows; the folder may be a new one.
        for held in (self.known.rows, self.known.borrowed, self.known.open):
            held.clear()
        with closing(self):  # other machines can then read the rows
            self.execute()

    def execute(self) -> None:
        """Compute all scores of this process, and then complete their rows."""
        with kept_by(self.parts):
            self._score.run()
            self._complete.run()

    def request(self) -> Results:
        """Results without rows: the representations that are compared."""
        return self._assembled([])

    def results(self) -> Results:
        """All rows; those of other shards only if they are computed."""
        self.known.read_new(at_once=True)
        rows = self.known.rows
        found = [rows[job.hash] for job in self.plan.jobs if job.hash in rows]
        results = self._assembled(found, self.known.unfinished())
        notes = (*results.notes, *other_source(found, source_hash()), *self._open())
        notes += self.workers
        text = unfinished([job.hash for job in self.plan.jobs], rows)
        if not text:
            self.parts.clear()
        if self.share.shard is not None:
            text = ""  # the other shards have the other rows
        return replace(results, unfinished=text, notes=notes)

    def _open(self) -> list[str]:
        """A sentence that names the jobs without a result."""
        known, reps = self.known, self.question.reps
        jobs = [
            job
            for job in self.plan.jobs
            if job.hash in known.open and not known.is_complete(job.hash)
        ]
        if not jobs:
            return []
        named = [
            f"{known.label_of[job.hash]} {reps[job.a].name} - {reps[job.b].name}"
            for job in jobs
        ]
        return [
            f"not computed, since the machine ran out of memory, files or a process: "
            f"{some(named)} ({known.open[jobs[0].hash]}). Run the same command again "
            f"with more memory, fewer workers or fewer rows."
        ]

    def _assembled(
        self, rows: Sequence[Row], unfinished: Set[str] = frozenset()
    ) -> Results:
        return assemble(
            rows,
            unfinished=unfinished,
            representations=self.origins,
            baselines=self.question.baselines,
            notes=(*self.plan.skipped, *self.plan.choices, *self.damage),
            dropped=self.question.dropped,
            path=None if self.folder is None else self.folder.path,
        )


def _record(run: Run) -> RunRecord:
    """The content of `run.json`."""
    question, planned = run.question, run.plan
    return RunRecord(
        version=__version__,
        jobs=tuple(job.hash for job in planned.jobs),
        representations=run.origins,
        measures=tuple(
            MeasureRecord(m.name, m.version, m.options, question.measures[m])
            for m in planned.statistics
        ),
        baselines=tuple(BaselineRecord(b.name, b.twins) for b in question.baselines),
        notes=(*planned.skipped, *planned.choices),
        dropped=question.dropped,
        memory_budget=_config.current().memory_budget,
        blocks=block_bytes(),
    )
