"""What scoring and completing share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .. import __version__, advice
from .._base._seed import key_of
from .._base._source import source_hash
from ..measures import Measure
from ._plan import Job
from ._prepared import Outcome, Prepared
from ._rows import Row
from ._run_record import RepresentationRecord
from ._watch import Watch
from .machines._known_rows import KnownRows
from .machines._share import Share
from .question._question import Question
from .statistics import Resampling


@dataclass(frozen=True)
class Work:
    """The work of one process.

    Attributes
    ----------
    question, resampling
        The representations and measures; the seed of all statistics.
    origins
        The origin of each representation.
    ready
        The prepared representations of each measure. Scoring leaves some of them for
        the null distributions.
    share
        The jobs that this process computes.
    known
        The rows of this and all other processes.
    watch
        Reports the progress.
    advice
        Examines each representation at most once.
    """

    question: Question
    resampling: Resampling
    origins: tuple[RepresentationRecord, ...]
    ready: Mapping[Measure, Prepared]
    share: Share
    known: KnownRows
    watch: Watch
    advice: advice.Pairwise

    def shared_fields(self, measure: Measure) -> dict[str, Any]:
        """The fields that are equal in all rows of a measure."""
        seed, claims = key_of(self.resampling.seed), measure.claims()
        return {
            "measure": measure.name,
            "label": self.question.measures[measure],
            "options": measure.options,
            "kind": claims.kind,
            "paired": claims.paired,
            "reading": measure.reading(self.resampling.n),
            "seed": seed if isinstance(seed, int) else None,
            "version": __version__,
            "source": source_hash(),
        }

    def row(self, job: Job, outcome: Outcome, shared: dict[str, Any]) -> Row:
        """The row of a score, without advice and statistics."""
        a, b = self.question.reps[job.a], self.question.reps[job.b]
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
            a_model=self.origins[job.a].model,
            a_layer=self.origins[job.a].layer,
            b_model=self.origins[job.b].model,
            b_layer=self.origins[job.b].layer,
            details=outcome.details or {},
            baseline_of=job.baseline_of,
            complete=False,
            seconds=outcome.seconds,
            **shared,
        )


class Done:
    """The jobs that need no work. Other processes may finish more of them."""

    def __init__(self, contains: Callable[[str], bool]) -> None:
        self.contains = contains

    def __contains__(self, job: object) -> bool:
        return self.contains(str(job))
