"""The first half of a run: the scores of all jobs of this process.

All scores come before any statistics. Scores are what a user waits for, and statistics
take ten to a thousand times as long: a run that is killed later leaves a table of all
scores. A row is written with its score, and again when it is complete.
"""

from collections.abc import Sequence
from dataclasses import replace

from ..measures import Measure
from ._barcodes import KeptBarcodes
from ._plan import Job
from ._resources import Open
from ._scores import score_jobs
from ._work import Done, Work
from .out_of_core._scores import streamed_scores


class Scoring:
    """Computes scores, measure by measure, and saves each one when it is ready."""

    def __init__(self, work: Work, barcodes: KeptBarcodes) -> None:
        self.work, self.barcodes = work, barcodes
        self.known, self.share, self.watch = work.known, work.share, work.watch

    def run(self) -> None:
        # Before anything is loaded: the sums of a pass may take half of the budget.
        self._streamed()
        # Measure by measure, since a prepared representation serves one measure.
        for measure, jobs in self.share.jobs.items():
            if not self.share.of(measure):
                continue
            # Another process may have finished this measure meanwhile.
            self.known.read_new()
            self._in_memory(measure, jobs)
            self.watch.show_scores(at_once=True)

    def _streamed(self) -> None:
        """Score the pairs that do not fit into memory.

        They have no statistics, so their rows are complete at once.
        """
        work, own = self.work, self.share.streamed(self.work.question.reps)
        if all(map(self.known.is_complete, own)):
            return
        stage = "scores: rows in parts"
        self.watch.count(stage, own, complete=True)
        done = Done(lambda job: job not in own or self.known.is_complete(job))
        # The parts are those of all jobs: passes must not depend on finished rows.
        jobs = self.share.all_streamed
        shared = {m: work.shared_fields(m) for m in {job.measure for job in jobs}}
        for job, outcome in streamed_scores(work.question.reps, jobs, done):
            if isinstance(outcome, Open):
                self.known.open[job.hash] = outcome.reason
                continue
            row = work.row(job, outcome, shared[job.measure])
            codes = work.advice.codes(job.a, job.b, job.measure, from_values=False)
            self.known.save(replace(row, advice=codes, complete=True))
            self.watch.count(stage, own, complete=True)
            self.watch.show_scores()

    def _in_memory(self, measure: Measure, jobs: Sequence[Job]) -> None:
        stage = self.watch.stage("scores", measure)
        own = self.share.of(measure)
        count = self.watch.count(stage, own)
        # A finished measure is not prepared: a resume costs no more than its rest.
        if all(map(self._is_done, own)):
            return
        needed = self.share.needed(measure)
        done = Done(lambda job: job not in needed or self._is_done(job))
        shared = self.work.shared_fields(measure)
        wanted = self.barcodes.wanted()
        found = score_jobs(
            self.work.ready[measure], jobs, done, wanted, self.known.has_others
        )
        for job, outcome in found:
            if isinstance(outcome, Open):
                self.known.open[job.hash] = outcome.reason
                continue
            # First the barcodes, then the row with their checksum: a row never names
            # barcodes that a kill has prevented.
            checksum = None
            if outcome.barcodes and job.hash in own:
                checksum = self.barcodes.save(job.hash, outcome.barcodes)
            self.barcodes.damaged.discard(job.hash)
            # A job that only lost its barcodes keeps its row.
            if job.hash not in self.known.rows:
                row = self.work.row(job, outcome, shared)
                if job.hash in own:
                    self.known.save(replace(row, barcodes=checksum))
                    count += 1
                    self.watch.show_scores()
                else:
                    self.known.borrowed[job.hash] = row
            if self.known.read_new():
                count = self.watch.count(stage, own)
            self.watch.progress(stage, count, len(own))

    def _is_done(self, job: str) -> bool:
        return self.known.has_score(job) and job not in self.barcodes.damaged
