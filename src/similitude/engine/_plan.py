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


@dataclass(frozen=True)
class Job:
    """One score to compute: representations a and b, by index, under a measure."""

    hash: str
    a: int
    b: int
    measure: Measure
    permutations: int
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
    """Which pairs: all of `count`, or those with `reference`; and baselines by role.

    `extra` lists (a, b, role) of pairs that are compared as baselines only.
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
    grouped = {} if labels is None else {"blocks": hashlib.sha256(labels).hexdigest()}
    for measure in measures:
        claims = measure.claims()
        count = PERMUTATIONS[measure.cost] if permutations == "auto" else permutations
        count = count if claims.paired else 0
        fitting = {i for i, rep in enumerate(reps) if rep.role == measure.domain}
        if not fitting:
            raise InvalidInput(
                f"{measure.name} compares {measure.domain}, and none of the "
                f"representations are. Leave it out, or add some."
            )
        if left := [rep.name for i, rep in enumerate(reps) if i not in fitting]:
            skipped.append(
                f"{measure.name} compares {measure.domain}: without {', '.join(left)}"
            )
        chosen = [(i, j, None) for i, j in pairs.of(symmetric=claims.symmetric)]
        document = measure.to_json()
        for i, j, role in [*chosen, *pairs.extra]:
            if i in fitting and j in fitting:
                drawn = count if role is None else 0
                statistics = {"permutations": drawn, **grouped}
                key = job_hash(reps[i], reps[j], document, statistics, seed)
                jobs.append(Job(key, i, j, measure, drawn, role))
    if not jobs:
        raise InvalidInput(
            f"there is no pair to compare: {skipped[0]}. Add another one, or "
            f"choose other measures."
        )
    return Plan(tuple(jobs), tuple(skipped))


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
