"""The share of one process in a plan: all jobs, a shard, or the jobs of a task."""

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
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

LAST = 16  # groups of jobs that a worker keeps for its next task


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

    Attributes
    ----------
    jobs
        The jobs whose rows are loaded: of the plan, or around those of a task.
    """

    def __init__(
        self,
        planned: Plan,
        ready: Mapping[Measure, Prepared],
        resampling: Resampling,
        shard: Shard | None,
    ) -> None:
        self.plan, self.ready = planned, ready
        self.jobs: dict[Measure, list[Job]] = {}
        for measure, members in planned.loaded.items():
            ready[measure].members = members
            kinds = planned.kinds[measure].values()
            ready[measure].has_null = any(wanted.null for _, wanted, _ in kinds)
        self.all_streamed = planned.streamed()
        self.resampling, self.shard = resampling, shard
        self._task: frozenset[str] | None = None
        self._own: dict[Measure, frozenset[str]] = {}
        # The next task often needs the same jobs.
        self._between = functools.lru_cache(LAST)(planned.loaded_between)

    def limit_to(self, jobs: frozenset[str], members: Sequence[int]) -> None:
        """Compute only these jobs, the jobs of one task, and what they need.

        `members` are their representations.
        """
        self._task = jobs
        self._own.clear()
        self.jobs = {m: self._around(m, jobs, members) for m in self.plan.statistics}

    def _around(
        self, measure: Measure, jobs: frozenset[str], members: Iterable[int]
    ) -> list[Job]:
        """These jobs, and those of the same products of statistics and of scores."""
        between, ready = self._between(measure, frozenset(members)), self.ready[measure]
        found = [job for job in between if job.hash in jobs]
        if found and has_products(measure):
            for size in (self.resampling.tile(ready), score_tile(ready, found)[0]):
                tile = {i: k // size for k, i in enumerate(ready.members)}
                tiles = {tile[i] for i in members_of(found)}
                near = frozenset(i for i in ready.members if tile[i] in tiles)
                own = {job.hash for job in found}
                found = self._mates(measure, size, own, self._between(measure, near))
        return found

    def _mates(
        self, measure: Measure, size: int, own: Set[str], jobs: Sequence[Job]
    ) -> list[Job]:
        """Those of the jobs that are in the same tiles of this size as own ones."""
        tiles = by_tiles(jobs, size, self.ready[measure].members)
        with_own = (tile for tile in tiles if any(job.hash in own for job in tile))
        return [job for tile in with_own for job in tile]

    def streamed(self, reps: Sequence[Representation]) -> frozenset[str]:
        """The jobs of all measures that this process computes from parts of rows.

        All measures of a pair belong to one share, since they need the same sums.
        """
        jobs = self.all_streamed

        def units() -> list[list[Job]]:
            parts = streamed_parts(reps, jobs)
            return parts if len(parts) > 1 else by_tiles(jobs, 1)

        return self._chosen(jobs, units)

    def _chosen(
        self, jobs: Sequence[Job], units: Callable[[], list[list[Job]]]
    ) -> frozenset[str]:
        """The jobs of the task, or every N-th unit in the order of their hashes."""
        if self.shard is not None:
            dealt = sorted(units(), key=lambda unit: min(job.hash for job in unit))
            dealt = dealt[self.shard.index :: self.shard.count]
            jobs = [job for unit in dealt for job in unit]
        found = frozenset(job.hash for job in jobs)
        return found if self._task is None else found & self._task

    def of(self, measure: Measure) -> frozenset[str]:
        """The jobs of this measure that this process computes and writes."""
        if measure not in self._own:
            units = functools.partial(self.units, measure)
            self._own[measure] = self._chosen(self.jobs[measure], units)
        return self._own[measure]

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
        mates = self._mates(measure, size, own, self.jobs[measure])
        return own | {job.hash for job in mates}


def has_products(measure: Measure) -> bool:
    """Whether scores or intervals of several pairs are computed together."""
    return measure.offers("compare_all") or measure.offers("leave_out")


def _has_products_of_statistics(measure: Measure) -> bool:
    """Whether intervals or biased scores of a tile are computed together."""
    together = stats.covered(measure) or measure.biased_twin() is not None
    return has_products(measure) and together
