"""Whether rows are those of this model: in each pass, and in stored elements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...store import Store
from ._data._batches import Batch, Data
from ._failures import Place
from ._layers._collector import Collector
from ._layers._targets import Target
from ._models._interface import Model, Session
from ._passes import rows_of_batch

_FEW = 4  # samples
_READ = 2**26  # bytes of stored rows that may be read
_FLOORS = {"float64": 1e-9, "float16": 2e-2, "bfloat16": 1e-1}  # others: 1e-4

Rows = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Nature:
    """What a model does that makes its rows depend on more than their samples."""

    random: str = ""
    batch: str = ""
    state: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.random, self.batch, self.state)))


def floor_of(model: Model) -> float:
    """Relative differences up to this come from devices, threads and batch sizes."""
    return _FLOORS.get(model.dtype, 1e-4)


def nature_of(
    name: str, model: Model, session: Session, batch: Batch, targets: Sequence[Target]
) -> Nature:
    """Run a few samples with another seed, and in a smaller batch."""
    if any(target.reducer.uses_words for target in targets):
        few, less = batch, batch  # words are those of whole texts
    else:
        few = batch.take([i % batch.size for i in range(_FEW)])
        less = few.take(range(_FEW // 2))
    first, again = (rows(model, session, few, targets, seed) for seed in (0, 1))
    smaller = rows(model, session, less, targets, 0)
    texts = []
    for other, text in (
        (again, "draws random numbers: with another seed, rows differ by up to"),
        (smaller, "depends on the other samples of a batch: rows differ by up to"),
    ):
        apart, layer = max((difference(first[k], other[k]), k) for k in first)
        beyond = apart > floor_of(model)
        texts.append(f"{name} {text} {apart:.2g} ({layer or 'output'})." * beyond)
    state = f"{name} changes {', '.join(sorted(session.changed))} in a forward pass; "
    state = f"{state}the values are restored after each pass." * bool(session.changed)
    return Nature(texts[0], "" if texts[0] else texts[1], state)


def rows(
    model: Model, session: Session, batch: Batch, targets: Sequence[Target], number: int
) -> dict[str, np.ndarray]:
    """The rows of a batch; its number is the seed."""
    place = Place(number, np.arange(batch.size))
    found = rows_of_batch(model, session, batch, Collector(targets), place, kept=0)
    return {name: array.copy() for name, array in found.items()}


def difference(a: np.ndarray, b: np.ndarray) -> float:
    """The relative difference of the rows that both have."""
    a, b = (x[: min(len(a), len(b))].astype(np.float64) for x in (a, b))
    scale = max(np.abs(a).max(), np.abs(b).max()) or 1.0  # squares do not overflow
    size = float(np.linalg.norm(a / scale))
    return float(np.linalg.norm(a / scale - b / scale)) / (size or 1.0)


def differences(
    model: Model,
    session: Session,
    data: Data,
    store: Store,
    elements: Mapping[str, Target],
    *,
    nature: Nature,
) -> dict[str, float]:
    """How far the rows of stored elements are from those of the model.

    The first batch runs. If the data are in memory, a few samples of another batch
    run too, or all of them if rows depend on their batch.
    """
    ends = {
        element: store.manifest(element)["extraction"]["batches"]["boundaries"]
        for element in elements
    }
    read = {
        element: sum(end * _row_bytes(target) <= _READ for end in ends[element])
        for element, target in elements.items()
    }
    rng = np.random.default_rng()
    others = max(1, min(read.values()) - 1) if data.in_memory else 1
    found = dict.fromkeys(elements, 0.0)
    for number in {0, int(rng.integers(others))}:
        batch = next(data.read(number))
        size, samples = batch.size, np.arange(batch.size)
        if number and not nature.notes and batch.words is None:
            samples = np.sort(rng.choice(samples, min(_FEW, batch.size), replace=False))
            batch = batch.take(samples.tolist())
        values = rows(model, session, batch, list(elements.values()), number)
        for element, target in elements.items():
            start, end = ends[element][number : number + 2]
            old = next(store.get(element).values.batches(end))[start:end]
            if len(old) == size:
                old = old[samples]
            elif len(samples) < size:
                continue  # several rows per sample
            found[element] = max(found[element], difference(old, values[target.name]))
    return found


def _row_bytes(target: Target) -> int:
    return target.width * np.dtype(target.dtype).itemsize
