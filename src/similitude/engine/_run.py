"""Execution of a plan: first all scores, then advice and statistics."""

import math
import time
from collections.abc import Callable, Sequence, Set
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import __version__, _config, advice
from .._progress import Progress
from .._seed import key_of
from ..errors import InvalidInput
from ..measures import Measure
from ._barcodes import MOST_PAIRS
from ._folder import Folder
from ._plan import Job, Plan
from ._prepared import Outcome, Prepared
from ._results import Results, assemble
from ._rows import Row
from ._run_record import BaselineRecord, MeasureRecord, RunRecord
from ._scores import score_jobs
from .machines._known_rows import KnownRows
from .machines._share import Shard, Share
from .out_of_core._scores import streamed_scores
from .question._origin import record_of
from .question._question import Question
from .statistics import Resampling, has_interval, statistics

Scored = Callable[[Results], None]
SECONDS = 1.0  # at least, between two calls with new scores


class _Done:
    """The jobs that need no work. Other processes may finish more of them."""

    def __init__(self, contains: Callable[[str], bool]) -> None:
        self.contains = contains

    def __contains__(self, job: object) -> bool:
        return self.contains(str(job))


class Run:
    """Executes a plan, and writes each row to the results folder when it is ready."""

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
        self.scored, self.next_call = scored, 0.0
        self.question, self.plan, self.resampling = question, planned, resampling
        self.reps, self.labels = question.reps, question.measures
        self.progress = progress
        self.ready = {m: Prepared(m, self.reps, resampling.seed) for m in self.labels}
        self.advice = advice.Pairwise(self.reps)
        self.folder = None if out is None else Folder(out)
        labels = {job.hash: self.labels[job.measure] for job in planned.jobs}
        self.known = KnownRows(self.folder, labels)
        self.rows = self.known.rows
        self.record = self._record()
        if self.folder is not None:
            if not in_worker:  # the process that sends tasks has started it
                self.folder.start(self.record)
            self.known.read_all()
        self.without_bars: set[str] = set()  # jobs whose barcodes are damaged
        self.damage: tuple[str, ...] = ()
        if self.folder is not None:
            self.without_bars, note = self.folder.damaged_barcodes(self.rows)
            self.damage = (*self.folder.notes(), *([note] if note else []))
        with_bars = [
            job.hash
            for job in planned.jobs
            if job.baseline_of is None and job.measure.offers("barcodes")
        ]
        self.barcodes = set() if out is None else set(with_bars[:MOST_PAIRS])
        # The jobs that this process computes, and scores that it needs for their
        # statistics, but which another process writes.
        self.share = Share(planned, self.ready, resampling, shard)
        self.borrowed: dict[str, Row] = {}

    def _record(self) -> RunRecord:
        question = self.question
        return RunRecord(
            version=__version__,
            jobs=tuple(job.hash for job in self.plan.jobs),
            representations=tuple(map(record_of, self.reps, question.paths)),
            measures=tuple(
                MeasureRecord(m.name, m.version, m.options, self.labels[m])
                for m in self.plan.by_measure()
            ),
            baselines=tuple(
                BaselineRecord(b.name, b.twins) for b in question.baselines
            ),
            notes=self.plan.skipped,
            dropped=question.dropped,
        )

    @property
    def finished(self) -> bool:
        return self.known.complete == len(self.plan.jobs)

    def close(self) -> None:
        if self.folder is not None:
            self.folder.close()

    def request(self) -> Results:
        """Results without rows: the representations that are compared."""
        return self._assembled([])

    def results(self) -> Results:
        """All rows; those of other shards only if they are computed."""
        self.known.read_new(at_once=True)
        rows = [self.rows[job.hash] for job in self.plan.jobs if job.hash in self.rows]
        if self.share.shard is None:
            assert len(rows) == len(self.plan.jobs)
        return self._assembled(rows, self.known.unfinished())

    def _assembled(
        self, rows: Sequence[Row], unfinished: Set[str] = frozenset()
    ) -> Results:
        return assemble(
            rows,
            unfinished=unfinished,
            representations=self.record.representations,
            baselines=self.question.baselines,
            notes=(*self.plan.skipped, *self.damage),
            dropped=self.question.dropped,
            path=None if self.folder is None else self.folder.path,
        )

    def compute(self, jobs: frozenset[str]) -> None:
        """Compute the jobs of one task, and flush their rows to the disk."""
        assert self.folder is not None
        unknown = jobs - self.known.label_of.keys()
        if unknown:
            raise InvalidInput(
                "the representations or the settings differ from those of the process "
                "that sent this task. Run the same command again."
            )
        self.known.read_new(at_once=True)
        self.share.limit_to(jobs)
        self.borrowed.clear()
        with closing(self.folder):  # other machines can then read the rows
            self.score()
            self.statistics()

    def show_progress(self) -> None:
        """Report the rows of all processes."""
        self.progress(
            "statistics: all workers", self.known.complete, len(self.plan.jobs)
        )
        if not self.finished:
            self._call_with_scores()

    def score(self) -> None:
        self._score_streamed()
        for measure, jobs in self.share.jobs.items():
            if not self.share.of(measure):
                continue
            self.known.read_new()
            self._score(measure, jobs)
            self._keep_prepared(measure, jobs)
            if not self.finished:
                self._call_with_scores(at_once=True)

    def statistics(self) -> None:
        for measure, jobs in self.share.jobs.items():
            if not self.share.of(measure):
                continue
            self.known.read_new()
            self._statistics(measure, jobs)
            self.ready[measure].release()

    def _keep_prepared(self, measure: Measure, jobs: Sequence[Job]) -> None:
        """Keep prepared representations for the null, if a quarter of the budget fits.

        Preparing them again can take as long as all permutations.
        """
        needed = any(job.statistics.null is not None for job in jobs)
        held = sum(ready.held_bytes for ready in self.ready.values())
        if not needed or 4 * held > _config.current().memory_budget:
            self.ready[measure].release()

    def _call_with_scores(self, *, at_once: bool = False) -> None:
        """Call `scored` with the rows so far, but spend little time on it."""
        start = time.monotonic()
        if self.scored is None or (start < self.next_call and not at_once):
            return
        rows = [self.rows[job.hash] for job in self.plan.jobs if job.hash in self.rows]
        missing = {
            self.labels[job.measure]
            for job in self.plan.jobs
            if job.hash not in self.rows
        }
        self.scored(self._assembled(rows, missing))
        now = time.monotonic()
        self.next_call = now + max(SECONDS, 10 * (now - start))

    def _score_streamed(self) -> None:
        """Score the pairs that do not fit into memory; they have no statistics."""
        own = self.share.streamed(self.reps)
        if all(map(self.known.is_complete, own)):
            return
        stage = "scores: rows in parts"
        self._count(stage, own, complete=True)
        done = _Done(lambda job: job not in own or self.known.is_complete(job))
        jobs = self.share.all_streamed
        shared = {m: self._shared_fields(m) for m in {job.measure for job in jobs}}
        for job, outcome in streamed_scores(self.reps, jobs, done):
            row = self._row(job, outcome, shared[job.measure])
            codes = self.advice.codes(job.a, job.b, job.measure, from_values=False)
            self.known.save(replace(row, advice=codes, complete=True))
            self._count(stage, own, complete=True)
            self._call_with_scores()

    def _score(self, measure: Measure, jobs: Sequence[Job]) -> None:
        stage = self._stage("scores", measure)
        without_bars = set(self.without_bars)
        own = self.share.of(measure)
        count = self._count(stage, own)
        if all(job in self.rows and job not in without_bars for job in own):
            return
        needed = self.share.needed(measure)
        done = _Done(lambda job: job not in needed or self._has_score(job))
        shared = self._shared_fields(measure)
        with_bars = self.barcodes | without_bars
        ready = self.ready[measure]
        for job, outcome in score_jobs(ready, jobs, done, with_bars, self._shared):
            checksum = None
            if self.folder is not None and outcome.barcodes and job.hash in own:
                checksum = self.folder.save_barcodes(job.hash, outcome.barcodes)
            self.without_bars.discard(job.hash)
            if job.hash not in self.rows:
                row = replace(self._row(job, outcome, shared), barcodes=checksum)
                if job.hash in own:
                    self.known.save(row)
                    count += 1
                    self._call_with_scores()
                else:
                    self.borrowed[job.hash] = row
            if self.known.read_new():
                count = self._count(stage, own)
            self.progress(stage, count, len(own))

    def _has_score(self, job: str) -> bool:
        known = job in self.rows or job in self.borrowed
        return known and job not in self.without_bars

    def _shared(self) -> bool:
        """Whether another process has written rows of this plan meanwhile."""
        return self.known.with_others

    def _count(self, stage: str, own: Set[str], *, complete: bool = False) -> int:
        """Report how many of these jobs have a score, or are complete; return it."""
        rows = (self.rows.get(job) for job in own)
        known = (row for row in rows if row is not None)
        count = sum(row.complete if complete else 1 for row in known)
        self.progress(stage, count, len(own))
        return count

    def _statistics(self, measure: Measure, jobs: Sequence[Job]) -> None:
        """Complete the rows of a measure: with advice, a null and an interval."""
        stage, own = self._stage("statistics", measure), self.share.of(measure)

        def is_done(job: str) -> bool:
            return job not in own or self.rows[job].complete

        if self._count(stage, own, complete=True) == len(own):
            return
        interval = has_interval(measure)
        rows = self.borrowed | self.rows
        scored = [
            (job, float(score))
            for job in jobs
            if job.hash in rows
            and (score := rows[job.hash].score) is not None
            and math.isfinite(score)  # no statistics of infinite scores
            and job.baseline_of is None
            and (job.statistics.null or interval)
        ]
        with_statistics = {job.hash for job, _ in scored}
        for job in jobs:
            if job.hash not in with_statistics and not is_done(job.hash):
                self._complete(job, {})

        def tick(permutations: int, of: int) -> None:
            self.progress(self._stage("permutations", measure), permutations, of)

        found = statistics(
            self.ready[measure],
            scored,
            self.resampling,
            _Done(is_done),
            tick,
            planned=jobs,
            at_random=self._shared,
        )
        count = self._count(stage, own, complete=True)
        for job, fields in found:
            self._complete(job, fields)
            count += 1
            if self.known.read_new():
                count = self._count(stage, own, complete=True)
            self.progress(stage, count, len(own))

    def _complete(self, job: Job, fields: dict[str, Any]) -> None:
        row = self.rows[job.hash]
        codes = self.advice.codes(job.a, job.b, job.measure, row.details)
        details = row.details | fields.pop("details", {})
        changes = fields | {"details": details, "advice": codes, "complete": True}
        self.known.save(replace(row, **changes))

    def _stage(self, phase: str, measure: Measure) -> str:
        """The phase, the running measure, and its place among all measures."""
        labels = list(self.plan.by_measure())
        place = f" ({labels.index(measure) + 1} of {len(labels)})"
        return f"{phase}: {self.labels[measure]}{place if len(labels) > 1 else ''}"

    def _shared_fields(self, measure: Measure) -> dict[str, Any]:
        """The fields that are equal in all rows of a measure."""
        seed, claims = key_of(self.resampling.seed), measure.claims()
        return {
            "measure": measure.name,
            "label": self.labels[measure],
            "options": measure.options,
            "kind": claims.kind,
            "paired": claims.paired,
            "reading": measure.reading(self.resampling.n),
            "seed": seed if isinstance(seed, int) else None,
            "version": __version__,
        }

    def _row(self, job: Job, outcome: Outcome, shared: dict[str, Any]) -> Row:
        a, b = self.reps[job.a], self.reps[job.b]
        origins = self.record.representations
        return Row(
            job=job.hash,
            a=a.name,
            b=b.name,
            status=outcome.status,
            reason=outcome.reason,
            score=outcome.score,
            n=a.n,
            d_a=a.d,
            d_b=b.d,
            a_model=origins[job.a].model,
            a_layer=origins[job.a].layer,
            b_model=origins[job.b].model,
            b_layer=origins[job.b].layer,
            details=outcome.details or {},
            baseline_of=job.baseline_of,
            complete=False,
            seconds=outcome.seconds,
            **shared,
        )
