"""A run that is sent to workers, and the work of a worker."""

import contextlib
import functools
import platform
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy

from ... import __version__
from ..._base import _config, _parallel
from ..._base._source import source_hash
from ...errors import InvalidInput, SimilitudeError, either, in_shell
from ...measures import Measure, find_measure, measures_of_inputs
from ...representation import Representation
from ...store import Store, open_store, read_element
from .._memory import block_bytes
from .._plan import Permutations
from .._run import Run
from ..out_of_core._fits import fits
from ..question._question import Question
from ..statistics import Resampling

SHARD_BYTES = 2**27  # of a copy, in float64
SAME_VERSIONS = "Install the same versions on all machines."
_ONE_AT_A_TIME = threading.Lock()  # the threads of one worker share a `Run`


class Stored(NamedTuple):
    """A representation in a store: the folder of its element, and its identity."""

    folder: str
    sha256: str
    name: str
    model: str | None
    layer: str | None

    def open(self) -> Representation:
        found = read_element(Path(self.folder))
        if found.sha256 != self.sha256:
            raise InvalidInput(
                f"{self.folder} has other values than at the start of the run. Run the "
                f"same command again."
            )
        return replace(
            found,
            name=self.name,
            model=self.model,
            layer=self.layer,
            baseline=None,  # the engine has already matched twins
            twin_of=None,
        )


class Sent(NamedTuple):
    """A run without the values of representations."""

    out: Path
    question: Question  # without representations and measures
    reps: tuple[Stored, ...]
    inputs: tuple[Stored, ...]  # one, or none
    # Measures that were built with the inputs are sent by name.
    measures: tuple[tuple[Measure | str, str], ...]
    permutations: Permutations
    seed: np.random.SeedSequence
    settings: Mapping[str, int]
    blocks: int
    versions: Mapping[str, str]
    shell: bool  # whether errors name options of the command line

    def pack(self) -> bytes:
        """Also measures that are defined where workers cannot import them."""
        from distributed.protocol import pickle

        packed: bytes = pickle.dumps(self)
        return packed

    @property
    def paths(self) -> list[str]:
        """Files that all workers must see."""
        folders = dict.fromkeys(each.folder for each in (*self.reps, *self.inputs))
        return [str(self.out / "run.json"), *(f"{f}/manifest.json" for f in folders)]


def as_sent(
    out: Path,
    question: Question,
    permutations: Permutations,
    seed: np.random.SeedSequence,
) -> Sent:
    """Values that are not in a store are copied to a store in the results folder."""
    out, budget = out.absolute(), _config.current().memory_budget
    given = () if question.inputs is None else (question.inputs,)
    own = {measure: measure.name for measure in question.of_inputs}
    return Sent(
        out,
        replace(question, reps=(), measures={}, inputs=None, of_inputs=()),
        tuple(_stored(rep, out) for rep in question.reps),
        tuple(_stored(rep, out) for rep in given),
        tuple((own.get(m, m), label) for m, label in question.measures.items()),
        permutations,
        seed,
        {"workers": 1, "threads": 1, "memory_budget": budget},
        block_bytes(),
        versions(),
        bool(either(python="", shell="shell")),
    )


def _stored(rep: Representation, out: Path) -> Stored:
    folder = getattr(rep.values, "folder", None)
    if folder is None or read_element(Path(folder)).sha256 != rep.sha256:
        plain = replace(rep, baseline=None, twin_of=None, meta={})
        store = open_store(out / "inputs", create=True)
        element = store.put(plain) if fits(rep) else _copy_in_parts(plain, store)
        folder = store.folder(element)
    model = None if rep.model is None else str(rep.model)
    layer = None if rep.layer is None else str(rep.layer)
    return Stored(str(Path(folder).absolute()), rep.sha256, rep.name, model, layer)


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


def versions() -> dict[str, str]:
    """The versions that must be equal on all machines."""
    import dask
    import distributed

    return {
        "similitude": __version__,
        "the source code of similitude": source_hash(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "dask": dask.__version__,
        "distributed": distributed.__version__,
        "Python": ".".join(platform.python_version_tuple()[:2]),
    }


def other_version(there: Mapping[str, str], here: Mapping[str, str]) -> str | None:
    """The first version of a worker that is not that of the sender, in words."""
    for name, version in here.items():
        if there[name] != version:
            said = f"{name} is {there[name]} there, and {version} here"
            return f"it has other versions: {said}. {SAME_VERSIONS}"
    return None


class Unfit(Exception):
    """The worker of a task joined after the start, and has other versions."""


def facts(paths: list[str], dask_worker: Any) -> tuple[dict[str, str], int, str | None]:
    """The versions of a worker, its memory limit, and why it cannot see these files."""
    limit = dask_worker.memory_manager.memory_limit or 0
    for path in paths:
        if not Path(path).is_file():
            reason = (
                f"{path} does not exist there. Stores and the results folder must have "
                f"the same path on all machines."
            )
            return versions(), limit, reason
    return versions(), limit, None


def compute(packed: bytes, jobs: Sequence[str], members: Sequence[int]) -> Any:
    """Compute jobs; return those for which memory or files ran out, with the reason.

    `members` are the representations of the jobs. A worker plans only jobs between
    these, and the jobs of the same products.
    """
    from distributed import get_worker

    sent = _unpacked(packed)
    if other_version(versions(), sent.versions):
        raise Unfit
    shell = in_shell() if sent.shell else contextlib.nullcontext()
    settings, blocks = _config.config(**sent.settings), _config.blocks(sent.blocks)
    try:
        with shell, _ONE_AT_A_TIME, settings, blocks, _parallel.one_thread():
            run = _run_of(packed)
            run.compute(frozenset(jobs), members)
            return dict(run.known.open)
    except (SimilitudeError, OSError, MemoryError) as error:
        reason = str(error) or "its memory does not suffice for the smallest task"
        raise SimilitudeError(f"worker {get_worker().address}: {reason}") from None


@functools.lru_cache(maxsize=1)
def _unpacked(packed: bytes) -> Sent:
    from distributed.protocol import pickle

    sent: Sent = pickle.loads(packed)
    return sent


@functools.lru_cache(maxsize=1)
def _run_of(packed: bytes) -> Run:
    """The run; it is kept for the next task, with what it has prepared."""
    sent = _unpacked(packed)
    inputs = next((each.open() for each in sent.inputs), None)
    own = [] if inputs is None else measures_of_inputs(inputs.load())
    by_name = {measure.name: measure for measure in own}
    named = ((by_name[m] if isinstance(m, str) else m, k) for m, k in sent.measures)
    question = replace(
        sent.question,
        reps=tuple(each.open() for each in sent.reps),
        measures={find_measure(measure): label for measure, label in named},
        inputs=inputs,
        of_inputs=tuple(own),
    )
    planned = question.plan(sent.permutations, sent.seed)
    n = min(rep.n for rep in question.reps)
    resampling = Resampling(sent.seed, n, question.blocks)
    return Run(question, planned, resampling, sent.out, _silent, in_worker=True)


def _silent(stage: str, done: int, total: int) -> None:
    """The process that sends the tasks reports the progress."""
