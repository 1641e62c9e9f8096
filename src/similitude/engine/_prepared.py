"""Prepared representations, and failures of preparation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from .._base import _config, _parallel
from ..errors import InvalidInput, Undefined
from ..inputs import points
from ..measures import Measure
from ..representation import Representation, take_rows
from ._memory import KEPT, Memory
from ._plan import Job
from ._resources import in_words, is_of_machine
from ._rows import Status
from ._tiles import are_striped, by_tiles, bytes_of, members_of
from .out_of_core._fits import batches, reads_in_parts
from .question._residuals import classes_removed

Facts = Callable[[Measure, Any], tuple[float, ...]]


@dataclass(frozen=True)
class Outcome:
    """The result of one job: a score, or the reason why there is none."""

    status: Status
    score: float | None = None
    reason: str | None = None
    details: dict[str, Any] | None = None
    seconds: float = 0.0
    barcodes: dict[str, np.ndarray] | None = None


@dataclass(frozen=True)
class Failure:
    """Placeholder for a representation that could not be prepared."""

    outcome: Outcome


def failure(error: Exception) -> Failure:
    """The outcome of an error of a measure; an error of the machine is raised again."""
    if is_of_machine(error):
        raise error
    status: Status = "undefined" if isinstance(error, Undefined) else "failed"
    return Failure(Outcome(status, reason=in_words(error)))


def prepare(
    measure: Measure,
    seed: np.random.SeedSequence | None,
    rep: Representation,
    rows: np.ndarray | None = None,
) -> Any:
    """Prepare these rows for the measure; an error of the measure is a `Failure`.

    A file that changes during the run raises, and ends the run: no row is computed
    from other values than the plan describes.
    """
    if rows is None and reads_in_parts(measure, rep):
        try:
            return measure.prepare_parts(partial(batches, rep), rep.n, seed)
        except Exception as error:
            return failure(error)
    try:
        values = rep.load()
    except InvalidInput:
        raise
    except Exception as error:
        return failure(error)
    try:
        # Within the last bytes of its address space, numpy may crash. This raises a
        # MemoryError before.
        np.empty(2**23, np.uint8)
        values = values if rows is None else take_rows(values, rows)
        if rows is None and (classes := classes_removed(rep)) is not None:
            values = replace(points(values), classes=classes)
        return measure.prepare(values, seed)
    except Exception as error:
        return failure(error)


class Prepared:
    """A cache of prepared representations; each is prepared once while it is needed.

    `siblings` are the caches of all measures of a run, this one too.
    """

    def __init__(
        self,
        measure: Measure,
        reps: Sequence[Representation],
        seed: np.random.SeedSequence | None,
        siblings: "list[Prepared] | None" = None,
    ) -> None:
        self.measure, self.reps, self.seed = measure, reps, seed
        self.siblings = [] if siblings is None else siblings
        self.siblings.append(self)
        self._held: dict[int, Any] = {}
        self._bytes: dict[int, int] = {}
        self._facts: dict[tuple[Facts, int], tuple[float, ...]] = {}
        self.members: list[int] = []  # the representations of the plan
        self.has_null = True  # whether the plan has null distributions

    def size(self, i: int) -> int:
        """The size of one prepared representation, in bytes. It stays until `get`.

        0 if the machine cannot prepare it now.
        """
        if i not in self._bytes:
            self._make_room()
            try:
                found = prepare(self.measure, self.seed, self.reps[i])
            except Exception as error:
                if not is_of_machine(error):
                    raise
                return 0
            self._hold({i: found})
        return self._bytes[i]

    def memory(self, which: Sequence[int]) -> Memory:
        """The memory of one step with these representations.

        Without a null, sums of few columns give the scores of some measures.
        """
        n, d = self.reps[which[0]].n, max(self.reps[i].d for i in which)
        sums = self.measure.offers("compare_sums") and not self.has_null
        if not sums or n < 4 * d:
            return Memory(n, d)
        return Memory(n, d, by_sums=True, copies=self.measure.copies)

    def tiles(self, jobs: Sequence[Job], size: int) -> list[list[Job]]:
        """Parts of the jobs; the members of a part are in memory at the same time."""
        members = self.members or members_of(jobs)
        memory, each = self.memory(members), self.size(members[0])
        striped = are_striped(self.measure, size, memory, each)
        return by_tiles(jobs, size, members, striped=striped)

    def facts(self, facts: Facts, i: int) -> tuple[float, ...]:
        """Numbers of one representation, which all its pairs share."""
        if (facts, i) not in self._facts:
            self._facts[facts, i] = facts(self.measure, self.reps[i].load())
        return self._facts[facts, i]

    def get(
        self, which: Sequence[int], complete: Callable[[Any], Any] | None = None
    ) -> dict[int, Any]:
        """These representations, prepared and passed through `complete`.

        All others are released first, also of other measures. A small part of these
        stays: for statistics, and for the next task of a worker.
        """
        self.release(but=which)
        self._make_room()
        if complete is not None:  # what the scores have left
            self._held = {i: complete(p) for i, p in self._held.items()}
        if missing := [i for i in which if i not in self._held]:
            work = partial(_prepared, self.measure, self.seed, complete)
            memory = self.memory(missing)
            workers = memory.workers(8 * memory.n * memory.d)
            found = _parallel.imap(work, [self.reps[i] for i in missing], workers)
            self._hold(dict(zip(missing, found, strict=True)))
        return {i: self._held[i] for i in which}

    def _make_room(self) -> None:
        """Release what other measures hold, except for a share of the budget."""
        left = _config.current().memory_budget // KEPT
        for each in (other for other in self.siblings if other is not self):
            if (size := sum(each._bytes[i] for i in each._held)) <= left:
                left -= size
            else:
                each.release()

    def release(self, but: Sequence[int] = ()) -> None:
        """Release all others."""
        self._held = {i: p for i, p in self._held.items() if i in but}

    def release_all(self) -> None:
        """Release the prepared representations of all measures."""
        for each in self.siblings:
            each.release()

    def _hold(self, found: dict[int, Any]) -> None:
        self._held |= found
        for i, p in found.items():
            self._bytes.setdefault(i, bytes_of(p))


def _prepared(
    measure: Measure,
    seed: np.random.SeedSequence | None,
    complete: Callable[[Any], Any] | None,
    rep: Representation,
) -> Any:
    found = prepare(measure, seed, rep)
    return found if complete is None else complete(found)
