"""What is to be computed, decided before anything is. Pure: no values are looked at."""

import hashlib
import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .. import _validate
from ..errors import InvalidInput
from ..measures import Measure
from ..representation import Representation

# By declared cost, never by measured time: the same table on every machine.
PERMUTATIONS = {"cheap": 199, "moderate": 19, "heavy": 0}
Permutations = int | Literal["auto"]
# Beyond so many entries of Grams, n^2 for each pair, "auto" takes the exact moments of
# all orders of rows, where the measure has them: 199 orders of 1e8 entries are about a
# minute, and would leave Benjamini-Hochberg without power at p >= 0.005.
COUNTED_ENTRIES = 10**8


@dataclass(frozen=True)
class Statistics:
    """What is asked for beside a score.

    `null` is how chance is judged: by random orders of rows, as many as `permutations`
    says, or by the closed moments of all orders; None where it is not. `blocks` is the
    sha256 of the labels of rows that stay together.
    """

    permutations: int = 0
    null: Literal["permutations", "moments"] | None = None
    blocks: str | None = None

    def to_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {"permutations": self.permutations}
        if self.null == "moments":
            document["null"] = self.null
        return document if self.blocks is None else document | {"blocks": self.blocks}


@dataclass(frozen=True)
class Job:
    """One score to compute: representations a and b, by index, under a measure."""

    hash: str
    a: int
    b: int
    measure: Measure
    seed: Any  # as JSON: a number, or all that tells it from others
    statistics: Statistics
    baseline_of: str | None = None


@dataclass(frozen=True)
class Plan:
    """All jobs, grouped by measure, and what was left out with the reason."""

    jobs: tuple[Job, ...]
    skipped: tuple[str, ...]

    def by_measure(self) -> dict[Measure, list[Job]]:
        groups: dict[Measure, list[Job]] = {}
        for job in self.jobs:
            groups.setdefault(job.measure, []).append(job)
        return groups


@dataclass(frozen=True)
class Pairs:
    """Which pairs: all of `count`, or those with `reference`; and baselines by name.

    `extra` lists (a, b, baseline) of pairs that are compared as baselines only.
    """

    count: int
    reference: int | None = None
    extra: tuple[tuple[int, int, str], ...] = ()

    def of(self, *, symmetric: bool) -> list[tuple[int, int]]:
        """Ordered pairs; of a symmetric measure one half."""
        if self.reference is None:
            halves = list(itertools.combinations(range(self.count), 2))
        else:
            others = [i for i in range(self.count) if i != self.reference]
            halves = [(self.reference, i) for i in others]
        if symmetric:
            return halves
        return [pair for i, j in halves for pair in ((i, j), (j, i))]


def plan(
    reps: Sequence[Representation],
    measures: Sequence[Measure],
    pairs: Pairs,
    *,
    permutations: Permutations = "auto",
    seed: Any = 0,
    blocks: np.ndarray | None = None,
) -> Plan:
    """The jobs of a comparison.

    A measure compares representations of its own domain; pairs of another are left
    out, and a measure for which none are there is an error.
    """
    if permutations != "auto":
        _validate.check_at_least("permutations", permutations, 0)
    jobs, skipped = [], []
    # Blocks that one representation knows hold for the rows of all of them.
    labels = None if blocks is None else np.asarray(blocks, dtype=np.int64).tobytes()
    grouped = None if labels is None else hashlib.sha256(labels).hexdigest()
    for measure in measures:
        claims = measure.claims()
        fitting = {i for i, rep in enumerate(reps) if rep.domain == measure.domain}
        if not fitting:
            raise InvalidInput(
                f"{measure.name} compares {measure.domain}, and none of the "
                f"representations are. Leave it out, or add some."
            )
        if left := [rep.name for i, rep in enumerate(reps) if i not in fitting]:
            skipped.append(
                f"{measure.name} compares {measure.domain}: without {', '.join(left)}"
            )
        chosen = [
            (i, j)
            for i, j in pairs.of(symmetric=claims.symmetric)
            if i in fitting and j in fitting
        ]
        entries = len(chosen) * max(reps[i].n for i in fitting) ** 2
        asked = _statistics(measure, entries, permutations, grouped)
        extra = [(i, j, r) for i, j, r in pairs.extra if i in fitting and j in fitting]
        document = measure.to_json()
        for i, j, baseline in [*((i, j, None) for i, j in chosen), *extra]:
            wanted = asked if baseline is None else Statistics(blocks=grouped)
            key = job_hash(reps[i], reps[j], document, wanted.to_json(), seed)
            jobs.append(Job(key, i, j, measure, seed, wanted, baseline))
    if not jobs:
        raise InvalidInput(
            f"there is no pair to compare: {skipped[0]}. Add another one, or "
            f"choose other measures."
        )
    return Plan(tuple(jobs), tuple(skipped))


def _statistics(
    measure: Measure, entries: int, permutations: Permutations, blocks: str | None
) -> Statistics:
    """What is asked of each pair: by what is declared and planned, never by time."""
    if not measure.claims().paired:
        return Statistics(blocks=blocks)
    if permutations != "auto":
        null: Any = "permutations" if permutations else None
        return Statistics(permutations, null, blocks)
    count = PERMUTATIONS[measure.cost]
    # Blocks allow only some of the orders that the moments are of.
    closed = measure.offers("null_moments") and blocks is None
    if closed and entries > COUNTED_ENTRIES:
        return Statistics(0, "moments")
    return Statistics(count, "permutations" if count else None, blocks)


def job_hash(
    a: Representation,
    b: Representation,
    measure: dict[str, Any],
    statistics: dict[str, Any],
    seed: Any,
) -> str:
    """The identity of a score: what goes in, and nothing about where it is computed.

    Names are part of it, since a row carries them.
    """
    document = {
        "a": [a.name, a.sha256],
        "b": [b.name, b.sha256],
        "measure": measure,
        "statistics": statistics,
        "seed": seed,
    }
    text = json.dumps(document, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
