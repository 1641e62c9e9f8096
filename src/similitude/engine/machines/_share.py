"""The share of one process in a plan: all jobs, a shard, or the jobs of a task."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ... import stats
from ...errors import InvalidInput, either
from ...measures import Measure
from ...representation import Representation
from .._plan import Job, Plan
from .._prepared import Prepared
from .._scores import score_tile
from .._tiles import by_tiles, members_of
from ..out_of_core._scores import streamed_parts
from ..statistics import Resampling


@dataclass(frozen=True)
class Shard:
    """Part `index` of `count` parts of a plan; the first part is 0."""

    index: int
    count: int

    def __post_init__(self) -> None:
        if not 0 <= self.index < self.count:
            raise _invalid(f"{self.index}/{self.count}")

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    @staticmethod
    def parse(value: Any) -> "Shard":
        """A shard from text as in "0/3", or from two whole numbers."""
        if isinstance(value, Shard):
            return value
        if isinstance(value, str) and (found := re.fullmatch(r"(\d+)/(\d+)", value)):
            return Shard(int(found[1]), int(found[2]))
        if isinstance(value, Sequence) and not isinstance(value, str):
            if len(value) == 2 and all(type(number) is int for number in value):
                return Shard(*value)
        raise _invalid(value)


def _invalid(value: Any) -> InvalidInput:
    option = either(python=f"shard={value!r}", shell=f"--shard {value}")
    return InvalidInput(
        f"{option}: write I/N with I from 0 to N - 1, as in 0/3, 1/3 and 2/3."
    )


class Share:
    """The jobs that this process computes.

    Parameters
    ----------
    planned, ready, resampling
        The plan, and the prepared representations of each measure.
    shard
        None for all jobs.
    """

    def __init__(
        self,
        planned: Plan,
        ready: Mapping[Measure, Prepared],
        resampling: Resampling,
        shard: Shard | None,
    ) -> None:
        self.jobs, self.ready = planned.in_memory(), ready
        self._all = self.jobs
        self._tiles: dict[tuple[Measure, int], dict[str, list[Job]]] = {}
        for measure, jobs in self.jobs.items():
            ready[measure].members = members_of(jobs)
            ready[measure].has_null = any(job.statistics.null for job in jobs)
        self.all_streamed = planned.streamed()
        self.resampling, self.shard = resampling, shard
        self._task: frozenset[str] | None = None
        self._own: dict[Measure, frozenset[str]] = {}

    def limit_to(self, jobs: frozenset[str]) -> None:
        """Compute only these jobs, the jobs of one task, and what they need."""
        self._task = jobs
        self._own.clear()
        self.jobs = {measure: self._around(measure, jobs) for measure in self._all}

    def _around(self, measure: Measure, jobs: Iterable[str]) -> list[Job]:
        """The jobs of the same products of statistics and of scores."""
        found, ready = self._mates(measure, 1, jobs), self.ready[measure]
        if found and has_products(measure):
            for size in (self.resampling.tile(ready), score_tile(ready, found)[0]):
                found = self._mates(measure, size, [job.hash for job in found])
        return found

    def _mates(self, measure: Measure, size: int, jobs: Iterable[str]) -> list[Job]:
        """The jobs of the same tiles of this size."""
        if (measure, size) not in self._tiles:
            tiles = by_tiles(self._all[measure], size)
            found = {job.hash: tile for tile in tiles for job in tile}
            self._tiles[measure, size] = found
        tile_of = self._tiles[measure, size]
        chosen = {id(tile_of[job]): tile_of[job] for job in jobs if job in tile_of}
        return [job for tile in chosen.values() for job in tile]

    def streamed(self, reps: Sequence[Representation]) -> frozenset[str]:
        """The jobs of all measures that this process computes from parts of rows.

        All measures of a pair belong to one share, since they need the same sums.
        """
        jobs = self.all_streamed
        if self._task is not None:
            return frozenset(job.hash for job in jobs if job.hash in self._task)
        if self.shard is None:
            return frozenset(job.hash for job in jobs)
        units = streamed_parts(reps, jobs)
        if len(units) < 2:
            units = by_tiles(jobs, 1)
        return frozenset(self._dealt(units, self.shard))

    @staticmethod
    def _dealt(units: list[list[Job]], shard: Shard) -> list[str]:
        """The jobs of a shard: every N-th unit, in the order of their hashes."""
        units = sorted(units, key=lambda unit: min(job.hash for job in unit))
        chosen = units[shard.index :: shard.count]
        return [job.hash for unit in chosen for job in unit]

    def of(self, measure: Measure) -> frozenset[str]:
        """The jobs of this measure that this process computes and writes."""
        if measure not in self._own:
            self._own[measure] = frozenset(self._find(measure))
        return self._own[measure]

    def _find(self, measure: Measure) -> list[str]:
        jobs = self.jobs[measure]
        if self._task is not None:
            return [job.hash for job in jobs if job.hash in self._task]
        if self.shard is None:
            return [job.hash for job in jobs]
        return self._dealt(self.units(measure), self.shard)

    def units(self, measure: Measure) -> list[list[Job]]:
        """The jobs of a measure in parts that one process should compute together.

        If scores or intervals are products over tiles, a part is a tile, so that no
        product is computed twice. If there is only one tile, its product is short. It
        is repeated by all processes, and each pair is a part.
        """
        if not self.jobs[measure]:
            return []
        if has_products(measure) and len(tiles := self.tiles(measure)) > 1:
            return tiles
        return [[job] for job in self.jobs[measure]]

    def tiles(self, measure: Measure) -> list[list[Job]]:
        """The jobs of a measure by the products that give their scores."""
        jobs, ready = self.jobs[measure], self.ready[measure]
        if _has_products_of_statistics(measure):
            return by_tiles(jobs, self.resampling.tile(ready))
        return by_tiles(jobs, score_tile(ready, jobs)[0])

    def needed(self, measure: Measure) -> frozenset[str]:
        """The jobs whose scores are needed: its own, and those of the same products.

        The last bits of an interval depend on all pairs of its product.
        """
        own = self.of(measure)
        whole = len(own) == len(self.jobs[measure])
        if whole or not _has_products_of_statistics(measure):
            return own
        size = self.resampling.tile(self.ready[measure])
        return own | {job.hash for job in self._mates(measure, size, own)}


def has_products(measure: Measure) -> bool:
    """Whether scores or intervals of several pairs are computed together."""
    return measure.offers("compare_all") or measure.offers("leave_out")


def _has_products_of_statistics(measure: Measure) -> bool:
    """Whether intervals or biased scores of a tile are computed together."""
    together = stats.covered(measure) or measure.biased_twin() is not None
    return has_products(measure) and together
