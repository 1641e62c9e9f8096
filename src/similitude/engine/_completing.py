"""The second half of a run: advice, null distributions and intervals of all rows.

It needs scores only, so it starts after all of them. Intervals and biased scores are
products over tiles of the plan: their last bits depend on all pairs of a tile. So the
scores of a tile are all known before its statistics start, even if some of the rows
belong to another process (`KnownRows.borrowed`).
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..measures import Measure
from ._plan import Job
from ._resources import Open, in_words, is_of_machine
from ._work import Done, Work
from .out_of_core._fits import reads_in_parts
from .statistics import statistics


class Completing:
    """Completes the rows of this process, measure by measure."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.known, self.share, self.watch = work.known, work.share, work.watch

    def run(self) -> None:
        for measure, jobs in self.share.jobs.items():
            if not self.share.of(measure):
                continue
            # Another process may have finished this measure meanwhile.
            self.known.read_new()
            self._measure(measure, jobs)

    def _measure(self, measure: Measure, jobs: Sequence[Job]) -> None:
        stage, own = self.watch.stage("statistics", measure), self.share.of(measure)

        def is_done(job: str) -> bool:
            return job not in own or self.known.is_complete(job)

        if self.watch.count(stage, own, complete=True) == len(own):
            return
        scored = self._scored(measure, jobs)
        with_statistics = {job.hash for job, _ in scored}
        # First the rows that only lack advice: they are complete within milliseconds,
        # and null distributions may take hours.
        for job in jobs:
            without = job.hash in self.known.rows and job.hash not in with_statistics
            if without and not is_done(job.hash):
                self._complete(job, {})

        found = statistics(
            self.work.ready[measure],
            scored,
            self.work.resampling,
            Done(is_done),
            planned=jobs,
            at_random=self.known.has_others,
        )
        count = self.watch.count(stage, own, complete=True)
        for job, fields in found:
            if isinstance(fields, Open):
                self.known.open[job.hash] = fields.reason
                continue
            self._complete(job, fields)
            count += 1
            if self.known.read_new():
                count = self.watch.count(stage, own, complete=True)
            self.watch.progress(stage, count, len(own))

    def _scored(self, measure: Measure, jobs: Sequence[Job]) -> list[tuple[Job, float]]:
        """The jobs that have statistics, with their scores: finite, not of twins."""
        rows = self.known.borrowed | self.known.rows
        interval = self.work.resampling.has_interval(measure)
        return [
            (job, float(score))
            for job in jobs
            if job.hash in rows
            and (score := rows[job.hash].score) is not None
            and math.isfinite(score)
            and job.baseline_of is None
            and (job.statistics.null or interval)
        ]

    def _complete(self, job: Job, fields: dict[str, Any]) -> None:
        row = self.known.rows[job.hash]
        try:
            sides = self.work.question.reps[job.a], self.work.question.reps[job.b]
            codes = self.work.advice.codes(
                job.a,
                job.b,
                job.measure,
                row.details,
                from_values=not any(reads_in_parts(job.measure, rep) for rep in sides),
            )
        except Exception as error:
            if not is_of_machine(error):
                raise
            self.known.open[job.hash] = in_words(error)
            return
        details = row.details | fields.pop("details", {})
        changes = fields | {"details": details, "advice": codes, "complete": True}
        self.known.save(replace(row, **changes))
