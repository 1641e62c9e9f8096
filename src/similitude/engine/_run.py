"""Execution of a plan: first all scores, then advice and statistics."""

import math
import time
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import __version__, _config, advice
from .._progress import Progress
from .._seed import key_of
from ..measures import Measure
from ._barcodes import MOST_PAIRS
from ._folder import Folder
from ._plan import Job, Plan
from ._prepared import Outcome, Prepared
from ._results import Results, assemble
from ._rows import Row
from ._run_record import BaselineRecord, MeasureRecord, RunRecord
from ._scores import score_jobs
from .question._origin import record_of
from .question._question import Question
from .statistics import Resampling, has_interval, statistics

Scored = Callable[[Results], None]
SECONDS = 1.0  # at least, between two calls with new scores


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
    ) -> None:
        self.scored, self.next_call = scored, 0.0
        self.question, self.plan, self.resampling = question, planned, resampling
        self.reps, self.labels = question.reps, question.measures
        self.progress = progress
        self.ready = {m: Prepared(m, self.reps, resampling.seed) for m in self.labels}
        self.advice = advice.Pairwise(self.reps)
        self.folder = None if out is None else Folder(out)
        self.rows: dict[str, Row] = {}
        self.record = self._record()
        if self.folder is not None:
            self.folder.start(self.record)
            self.rows = self._existing_rows(self.folder)
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
        self.complete = sum(row.complete for row in self.rows.values())

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

    def _existing_rows(self, folder: Folder) -> dict[str, Row]:
        """The rows of earlier runs, with the labels of this run.

        Labels are not part of a job, so they may have changed.
        """
        wanted = {job.hash: self.labels[job.measure] for job in self.plan.jobs}
        return {
            job: row if row.label == wanted[job] else replace(row, label=wanted[job])
            for job, row in folder.rows().items()
            if job in wanted
        }

    @property
    def finished(self) -> bool:
        return self.complete == len(self.plan.jobs)

    def close(self) -> None:
        if self.folder is not None:
            self.folder.close()

    def request(self) -> Results:
        """Results without rows: the representations that are compared."""
        return self._assembled([])

    def results(self) -> Results:
        return self._assembled([self.rows[job.hash] for job in self.plan.jobs])

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

    def score(self) -> None:
        for measure, jobs in self.plan.by_measure().items():
            self._score(measure, jobs)
            self._keep_prepared(measure, jobs)
            if not self.finished:
                self._call_with_scores(at_once=True)

    def statistics(self) -> None:
        for measure, jobs in self.plan.by_measure().items():
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

    def _score(self, measure: Measure, jobs: Sequence[Job]) -> None:
        stage, hashes = self._stage("scores", measure), [job.hash for job in jobs]
        count = sum(job in self.rows for job in hashes)
        self.progress(stage, count, len(jobs))
        done = self.rows.keys() - self.without_bars
        if all(job.hash in done for job in jobs):
            return
        shared = self._shared_fields(measure)
        with_bars = self.barcodes | self.without_bars
        for job, outcome in score_jobs(self.ready[measure], jobs, done, with_bars):
            checksum = None
            if self.folder is not None and outcome.barcodes:
                checksum = self.folder.save_barcodes(job.hash, outcome.barcodes)
            if job.hash not in self.rows:
                row = self._row(job, outcome, shared)
                self._save(replace(row, barcodes=checksum))
                count += 1
                self._call_with_scores()
            self.progress(stage, count, len(jobs))

    def _statistics(self, measure: Measure, jobs: Sequence[Job]) -> None:
        """Complete the rows of a measure: with advice, a null and an interval."""
        done = {job.hash for job in jobs if self.rows[job.hash].complete}
        stage, total = self._stage("statistics", measure), len(jobs)
        self.progress(stage, len(done), total)
        if len(done) == total:
            return
        interval = has_interval(measure)
        scored = [
            (job, float(score))
            for job in jobs
            if (score := self.rows[job.hash].score) is not None
            and math.isfinite(score)  # no statistics of infinite scores
            and job.baseline_of is None
            and (job.statistics.null or interval)
        ]
        with_statistics = {job.hash for job, _ in scored}
        for job in jobs:
            if job.hash not in done | with_statistics:
                self._complete(job, {})
                done.add(job.hash)

        def tick(permutations: int, of: int) -> None:
            self.progress(self._stage("permutations", measure), permutations, of)

        found = statistics(self.ready[measure], scored, self.resampling, done, tick)
        for count, (job, fields) in enumerate(found, start=len(done) + 1):
            self._complete(job, fields)
            self.progress(stage, count, total)

    def _complete(self, job: Job, fields: dict[str, Any]) -> None:
        row = self.rows[job.hash]
        codes = self.advice.codes(job.a, job.b, job.measure, row.details)
        details = row.details | fields.pop("details", {})
        changes = fields | {"details": details, "advice": codes, "complete": True}
        self._save(replace(row, **changes))

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

    def _save(self, row: Row) -> None:
        self.rows[row.job] = row
        self.complete += row.complete
        if self.folder is not None:
            self.folder.append([row])
