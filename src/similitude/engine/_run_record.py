"""The content of `run.json`: the request of the last run in a results folder."""

from dataclasses import dataclass, field
from typing import Any

from ..measures import as_stored
from ._schema import STRICT, Schema, sealed

SCHEMA = 2
RUN_BYTES = 2**28  # 7 million jobs


@dataclass(frozen=True)
class RepresentationRecord:
    """Where the values of a representation come from.

    `path` is the file or folder of the values, None if they were passed as an array.
    `shape` and `dtype` are those of the compared rows.
    """

    name: str
    sha256: str
    path: str | None = None
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    domain: str | None = None
    model: str | None = None
    layer: str | None = None
    step: int | float | str | None = None
    seed: int | None = None  # of a stitching table
    meta: dict[str, Any] = field(default_factory=dict)

    __pydantic_config__ = STRICT


@dataclass(frozen=True)
class MeasureRecord:
    """A measure of the run, with its label in tables."""

    name: str
    version: int | str
    options: dict[str, Any]
    label: str

    __pydantic_config__ = STRICT

    def __post_init__(self) -> None:
        label, options = as_stored(self.name, self.label, self.options)
        object.__setattr__(self, "label", label)
        object.__setattr__(self, "options", options)


@dataclass(frozen=True)
class BaselineRecord:
    """A baseline of the run, with the index of the twin of each representation."""

    name: str
    twins: tuple[int | None, ...]

    __pydantic_config__ = STRICT


@dataclass(frozen=True)
class RunRecord:
    """The request of a run: its inputs, its measures, its jobs.

    `earlier` are the jobs of earlier runs with the same representations. `meta` has
    facts about runs of other kinds, such as stitching.
    """

    version: str
    jobs: tuple[str, ...]
    representations: tuple[RepresentationRecord, ...] = ()
    measures: tuple[MeasureRecord, ...] = ()
    baselines: tuple[BaselineRecord, ...] = ()
    notes: tuple[str, ...] = ()
    dropped: int = 0
    earlier: tuple[str, ...] = ()
    meta: dict[str, Any] = field(default_factory=dict)
    memory_budget: int = 0
    blocks: int = 0  # bytes for the intermediate results of a measure
    holds: str = "scores"
    schema: int = SCHEMA

    __pydantic_config__ = STRICT

    @property
    def inputs(self) -> list[tuple[Any, ...]]:
        """The identity of all representations, without where they come from."""
        return [(rep.name, rep.seed, rep.sha256) for rep in self.representations]

    def line(self) -> bytes:
        return sealed({"schema": self.schema, "holds": self.holds} | vars(self))


def _check(run: RunRecord) -> None:
    if run.schema != SCHEMA:
        raise ValueError("another schema")
    if not all(0 <= n < 2**63 for n in (run.dropped, run.memory_budget, run.blocks)):
        raise ValueError("a count is negative or too large")
    count = len(run.representations)
    for baseline in run.baselines:
        if len(baseline.twins) > count or len(baseline.twins) != len(
            run.baselines[0].twins
        ):
            raise ValueError("a baseline has another number of twins")
        if any(twin is not None and not 0 <= twin < count for twin in baseline.twins):
            raise ValueError("a twin is not a representation")


RUNS = Schema(RunRecord, _check, RUN_BYTES)
