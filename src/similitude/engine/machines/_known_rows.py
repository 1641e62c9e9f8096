"""The rows of a run that this process knows: its own, and those of other processes."""

import time
from collections.abc import Mapping
from dataclasses import replace

from .._folder import Folder
from .._rows import Row

READING = 0.2  # seconds, at least, between two looks at the rows of other processes


class KnownRows:
    """Rows by job, with the labels of this run. They are saved to the folder.

    Labels are not part of a job, so they may have changed since a row was written.
    `reads` is False in a worker of Dask: it only gets jobs without a row, and
    all workers would otherwise read the rows of all others.
    """

    def __init__(self, folder: Folder | None, *, reads: bool = True) -> None:
        self.folder, self.reads = folder, reads
        self.label_of: Mapping[str, str] = {}  # of all jobs; empty in a worker
        self.rows: dict[str, Row] = {}
        # Scores that the statistics of this process need, of rows that another
        # process writes.
        self.borrowed: dict[str, Row] = {}
        # Jobs for which the machine ran out of memory or files, with the reason.
        self.open: dict[str, str] = {}
        self.complete = 0  # rows with all requested statistics
        self._with_others = False
        self._next_reading = 0.0

    def read_new(self, *, at_once: bool = False) -> bool:
        """Take over the rows that other processes wrote; return whether there are any.

        This takes at most a twentieth of the time.
        """
        now = time.monotonic()
        early = now < self._next_reading and not at_once
        if self.folder is None or not self.reads or early:
            return False
        found = self.take_over(self.folder.new_rows())
        later = time.monotonic()
        self._next_reading = later + max(READING, 20 * (later - now))
        self._with_others |= found
        return found

    def take_over(self, rows: Mapping[str, Row]) -> bool:
        """Use these rows of this or another run; return whether there are any."""
        wanted = {job: row for job, row in rows.items() if job in self.label_of}
        for job, row in wanted.items():
            known = self.rows.get(job)
            if known is None or (row.complete and not known.complete):
                label = self.label_of[job]
                same = row.label == label
                self.rows[job] = row if same else replace(row, label=label)
                self.complete += row.complete
        return bool(wanted)

    def save(self, row: Row) -> None:
        self.open.pop(row.job, None)
        self.rows[row.job] = row
        self.complete += row.complete
        if self.folder is not None:
            self.folder.append([row])

    def has_others(self) -> bool:
        """Whether another process has written rows of this plan meanwhile."""
        return self._with_others

    def has_score(self, job: str) -> bool:
        return job in self.rows or job in self.borrowed

    def is_complete(self, job: str) -> bool:
        return job in self.rows and self.rows[job].complete

    def unfinished(self) -> set[str]:
        """The labels of measures with missing rows or rows without statistics."""
        return {
            label for job, label in self.label_of.items() if not self.is_complete(job)
        }
