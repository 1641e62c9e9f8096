"""Execution of a plan: first all scores, then all statistics."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import __version__, advice
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


class Run:
    """Executes a plan, and writes each row to the results folder when it is ready."""

    def __init__(
        self,
        question: Question,
        planned: Plan,
        resampling: Resampling,
        out: str | Path | None,
        progress: Progress,
    ) -> None:
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

    def _assembled(self, rows: Sequence[Row]) -> Results:
        return assemble(
            rows,
            representations=self.record.representations,
            baselines=self.question.baselines,
            notes=(*self.plan.skipped, *self.damage),
            dropped=self.question.dropped,
            path=None if self.folder is None else self.folder.path,
        )

    def score(self) -> None:
        for measure, jobs in self.plan.by_measure().items():
            self._score(measure, jobs)

    def statistics(self) -> None:
        for measure, jobs in self.plan.by_measure().items():
            self._statistics(measure, jobs)

    def _score(self, measure: Measure, jobs: Sequence[Job]) -> None:
        self._report("scores")
        done = self.rows.keys() - self.without_bars
        if all(job.hash in done for job in jobs):
            return
        shared, interval = self._shared_fields(measure), has_interval(measure)
        with_bars = self.barcodes | self.without_bars
        for job, outcome in score_jobs(self.ready[measure], jobs, done, with_bars):
            checksum = None
            if self.folder is not None and outcome.barcodes:
                checksum = self.folder.save_barcodes(job.hash, outcome.barcodes)
            if job.hash not in self.rows:
                row = self._row(job, outcome, shared, interval=interval)
                self._save(replace(row, barcodes=checksum))
            self._report("scores")

    def _statistics(self, measure: Measure, jobs: Sequence[Job]) -> None:
        scored = [
            (job, float(row.score))
            for job in jobs
            if job.baseline_of is None
            and (row := self.rows[job.hash]).status == "ok"
            and row.score is not None
            and math.isfinite(row.score)
        ]
        done = {job.hash for job in jobs if self.rows[job.hash].complete}
        self._report("statistics")
        found = statistics(self.ready[measure], scored, self.resampling, done)
        for job, fields in found:
            row = self.rows[job.hash]
            details = row.details | fields.pop("details", {})
            self._save(replace(row, **fields, details=details, complete=True))
            self._report("statistics")

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

    def _row(
        self, job: Job, outcome: Outcome, shared: dict[str, Any], *, interval: bool
    ) -> Row:
        a, b = self.reps[job.a], self.reps[job.b]
        origins = self.record.representations
        complete = (
            job.baseline_of is not None
            or outcome.score is None
            or not math.isfinite(outcome.score)  # no statistics of infinite scores
            or not (job.statistics.null or interval)
        )
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
            advice=self.advice.codes(job.a, job.b, job.measure),
            baseline_of=job.baseline_of,
            complete=complete,
            seconds=outcome.seconds,
            **shared,
        )

    def _save(self, row: Row) -> None:
        self.rows[row.job] = row
        self.complete += row.complete
        if self.folder is not None:
            self.folder.append([row])

    def _report(self, stage: str) -> None:
        done = len(self.rows) if stage == "scores" else self.complete
        self.progress(stage, done, len(self.plan.jobs))
