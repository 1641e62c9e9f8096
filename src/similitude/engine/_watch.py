"""What a caller sees of a running comparison: its progress, and the scores so far."""

import time
from collections.abc import Callable, Collection, Mapping, Set

from .._base._progress import Progress
from ..measures import Measure
from ._plan import Plan
from ._results import Results
from ._rows import Row
from .machines._known_rows import KnownRows

Scored = Callable[[Results], None]
SECONDS = 1.0  # at least, between two calls with new scores


class Watch:
    """Reports the progress of each stage, and calls `scored` with partial results.

    Parameters
    ----------
    progress, scored
        The callbacks of the caller; `scored` may be None.
    known, plan
        The rows so far, and all jobs.
    assembled
        Makes results from rows, given the labels of measures with missing rows.
    labels
        The labels of all measures.
    """

    def __init__(
        self,
        progress: Progress,
        scored: Scored | None,
        known: KnownRows,
        plan: Plan,
        assembled: Callable[[list[Row], Set[str]], Results],
        *,
        labels: Mapping[Measure, str],
    ) -> None:
        self.progress, self.scored = progress, scored
        self.known, self.plan, self.assembled = known, plan, assembled
        self._labels = {measure: labels[measure] for measure in plan.statistics}
        self._next_call = 0.0
        self._measure: Measure | None = None  # of the last stage

    def show_part(self, name: str, done: int, total: int) -> None:
        """Report the progress of a long computation within a pair."""
        if self._measure is not None:
            self.progress(self.stage(name, self._measure), done, total)

    def stage(self, phase: str, measure: Measure) -> str:
        """The phase, the running measure, and its place among all measures."""
        self._measure, labels = measure, list(self._labels)
        place = f" ({labels.index(measure) + 1} of {len(labels)})"
        return f"{phase}: {self._labels[measure]}{place if len(labels) > 1 else ''}"

    def count(
        self, stage: str, jobs: Collection[str], *, complete: bool = False
    ) -> int:
        """Report how many of these jobs have a score, or are complete; return it."""
        rows = (self.known.rows.get(job) for job in jobs)
        known = (row for row in rows if row is not None)
        count = sum(row.complete if complete else 1 for row in known)
        self.progress(stage, count, len(jobs))
        return count

    def show_all_processes(self) -> None:
        """Report the rows of all processes, in a process that computes none itself."""
        stage = "statistics: all workers"
        self.progress(stage, self.known.complete, len(self.plan.jobs))
        self.show_scores()

    def show_scores(self, *, at_once: bool = False) -> None:
        """Call `scored` with the rows so far, but spend little time on it."""
        start = time.monotonic()
        if self.scored is None or (start < self._next_call and not at_once):
            return
        if self.known.complete == len(self.plan.jobs):
            return  # the results follow
        rows = self.known.rows
        found = [rows[job.hash] for job in self.plan.jobs if job.hash in rows]
        missing = [job.measure for job in self.plan.jobs if job.hash not in rows]
        self.scored(self.assembled(found, {self._labels[m] for m in missing}))
        now = time.monotonic()
        self._next_call = now + max(SECONDS, 10 * (now - start))
