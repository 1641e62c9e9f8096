"""The request of a run, in a file that workers on other machines read.

A task names this file and its jobs. The file names elements of stores, so neither of
them has values of representations.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..._base import _strict_json
from ..._base._seed import key_of
from ...errors import InvalidInput
from ...measures import RECORDS, Measure, find_measure, measures_of_inputs
from ...representation import Representation
from ...store import Store, open_store, read_element, write_atomically
from .._plan import Pairs, Permutations, Plan
from .._run_record import RUN_BYTES, BaselineRecord
from .._schema import STRICT, Schema, sealed
from ..out_of_core._fits import fits
from ..question._baselines import Baseline
from ..question._join import common_blocks
from ..question._question import Question
from ..statistics import Resampling

SHARD_BYTES = 2**27  # of a copy, in float64


@dataclass(frozen=True)
class Element:
    """A representation in a store: the folder of its element, and its identity."""

    folder: str
    sha256: str
    name: str
    model: str | None = None
    layer: str | None = None

    __pydantic_config__ = STRICT

    def open(self) -> Representation:
        """The representation, or an error if this process cannot read it."""
        if not (Path(self.folder) / "manifest.json").is_file():
            raise InvalidInput(_unreadable(self.folder))
        found = read_element(Path(self.folder))
        if found.sha256 != self.sha256:
            raise InvalidInput(
                f"{self.folder} has other values than at the start of the run. Run the "
                f"same command again."
            )
        # The engine has already matched twins with their representations.
        return replace(
            found,
            name=self.name,
            model=self.model,
            layer=self.layer,
            baseline=None,
            twin_of=None,
        )


@dataclass(frozen=True)
class MeasureOf:
    """A measure: by its name and options, from the inputs, or sent with the task."""

    label: str
    name: str
    options: dict[str, Any] | None = None
    source: str = "options"  # or "inputs", or "task"

    __pydantic_config__ = STRICT


@dataclass(frozen=True)
class Request:
    """Everything that determines the jobs of a run."""

    elements: tuple[Element, ...]
    measures: tuple[MeasureOf, ...]
    count: int  # of the compared representations; the others are twins
    reference: int | None
    extra: tuple[tuple[int, int, str], ...]
    baselines: tuple[BaselineRecord, ...]
    paths: tuple[str | None, ...]
    dropped: int
    blocks: bool
    permutations: int | str
    seed: int | tuple[tuple[int, ...], ...]
    inputs: Element | None = None
    only: tuple[tuple[int, int], ...] | None = None

    __pydantic_config__ = STRICT


REQUESTS = Schema(Request, lambda request: None, RUN_BYTES)


def write_request(
    out: Path,
    question: Question,
    permutations: Permutations,
    seed: np.random.SeedSequence,
) -> Path:
    """Write the request to the results folder, and return the path of the file.

    Values that are not in a store are copied to a store in the results folder.
    """
    inputs, only = None, question.pairs.only
    if question.inputs is not None:
        inputs = _stored(question.inputs, out)
    request = Request(
        elements=tuple(_stored(rep, out) for rep in question.reps),
        measures=tuple(
            _described(measure, label, from_inputs=measure in question.of_inputs)
            for measure, label in question.measures.items()
        ),
        count=question.pairs.count,
        reference=question.pairs.reference,
        extra=question.pairs.extra,
        baselines=tuple(BaselineRecord(b.name, b.twins) for b in question.baselines),
        paths=question.paths,
        dropped=question.dropped,
        blocks=question.blocks is not None,
        permutations=permutations,
        seed=key_of(seed),
        inputs=inputs,
        only=None if only is None else tuple(sorted(only)),
    )
    line = sealed(vars(request))
    name = hashlib.sha256(line).hexdigest()[:16]
    path = (out / "requests" / f"{name}.json").absolute()
    write_atomically(path, lambda file: file.write(line))
    return path


def read_request(
    path: Path, custom: Mapping[str, Measure]
) -> tuple[Question, Plan, Resampling]:
    """The question and the plan of a request; `custom` are measures by label."""
    if not path.is_file():
        raise InvalidInput(_unreadable(str(path)))
    try:
        request = REQUESTS.read(_strict_json.read_limited(path, RUN_BYTES))
    except ValueError:
        raise InvalidInput(
            f"{path} is damaged. Run the same command again to write it."
        ) from None
    inputs = None if request.inputs is None else request.inputs.open()
    of_inputs = [] if inputs is None else measures_of_inputs(inputs.load())
    reps = tuple(element.open() for element in request.elements)
    measures = {}
    for entry in request.measures:
        if entry.source == "task":
            measure = custom[entry.label]
        elif entry.source == "inputs":
            measure = next(m for m in of_inputs if m.name == entry.name)
        else:
            measure = RECORDS[entry.name](**entry.options or {})
        measures[find_measure(measure)] = entry.label
    seed = _seed(request.seed)
    only = None if request.only is None else frozenset(request.only)
    question = Question(
        reps,
        measures,
        tuple(Baseline(b.name, b.twins) for b in request.baselines),
        Pairs(request.count, request.reference, request.extra, only),
        common_blocks(reps) if request.blocks else None,
        request.dropped,
        request.paths,
        inputs,
        tuple(of_inputs),
    )
    permutations: Any = request.permutations
    resampling = Resampling(seed, min(rep.n for rep in reps), question.blocks)
    return question, question.plan(permutations, seed), resampling


def custom_measures(question: Question) -> dict[str, Measure]:
    """The measures that are not part of this package, by label; tasks carry them."""
    return {
        label: measure
        for measure, label in question.measures.items()
        if _described(measure, label, from_inputs=measure in question.of_inputs).source
        == "task"
    }


def _described(measure: Measure, label: str, *, from_inputs: bool) -> MeasureOf:
    if from_inputs:
        return MeasureOf(label, measure.name, source="inputs")
    scalars = all(
        value is None or isinstance(value, bool | int | float | str)
        for value in measure.options.values()
    )
    if RECORDS.get(measure.name) is type(measure) and scalars:
        return MeasureOf(label, measure.name, measure.options)
    return MeasureOf(label, measure.name, source="task")


def _stored(rep: Representation, out: Path) -> Element:
    """The element of a representation; it is added to a store if it is not in one."""
    folder = getattr(rep.values, "folder", None)
    if folder is None or read_element(Path(folder)).sha256 != rep.sha256:
        plain = replace(rep, baseline=None, twin_of=None, meta={})
        store = open_store(out / "inputs", create=True)
        element = store.put(plain) if fits(rep) else _copy_in_parts(plain, store)
        folder = store.folder(element)
    model = None if rep.model is None else str(rep.model)
    layer = None if rep.layer is None else str(rep.layer)
    return Element(str(Path(folder).absolute()), rep.sha256, rep.name, model, layer)


def _copy_in_parts(rep: Representation, store: Store) -> str:
    """Store rows that do not fit into the memory budget, some shards at a time."""
    rows = max(1, SHARD_BYTES // (8 * rep.d))
    with store.writer(rep) as writer:
        for batch in rep.values.batches(rows):
            writer.append(batch)
        for name in ("ids", "blocks"):
            if getattr(rep, name) is not None:
                writer.append(getattr(rep, name), name)
        return writer.commit()


def _seed(key: int | tuple[tuple[int, ...], ...]) -> np.random.SeedSequence:
    if isinstance(key, int):
        return np.random.SeedSequence(key)
    return np.random.SeedSequence(list(key[0]), spawn_key=key[1])


def _unreadable(path: str) -> str:
    return (
        f"{path} does not exist there. Stores and the results folder must have the "
        f"same path on all machines."
    )
