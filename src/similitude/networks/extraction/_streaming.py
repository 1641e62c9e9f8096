"""Layers of several models in one pass over data; nothing is stored."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from ...errors import InvalidInput
from ._data._batches import (
    Batch,
    Items,
    as_batch,
    as_items,
    check_ids,
    encoded,
    survey_of,
)
from ._failures import Place
from ._layers._collector import Collector
from ._layers._patterns import ask
from ._layers._reducers import Reducer
from ._layers._targets import Target
from ._models._find import as_model
from ._models._interface import Model, Session
from ._passes import first_passes, rows_of_batch
from ._request import chosen_reducers, kind_of_rows, labels_of
from ._same import Nature, nature_of


@dataclass(frozen=True)
class LayerOptions:
    """How layers are found and reduced; the options of `extract`.

    `layers` may map names of models to their patterns. `lenient` leaves out layers
    that cannot be rows; `seed` is that of a model that draws random numbers.
    """

    layers: str | Sequence[str] | Mapping[str, str | Sequence[str]] = "auto"
    reducer: str | Reducer | Mapping[str, str | Reducer] | None = None
    batch_size: int = 256
    ids: Any = None
    mask: Any = None
    device: Any = None
    batch_axis: int | Mapping[str, int] | None = None
    preprocessing: Callable[[Any], Any] | None = None
    lenient: bool = False
    seed: int = 0

    def of(self, model: str) -> str | Sequence[str]:
        if not isinstance(self.layers, Mapping):
            return self.layers
        if model not in self.layers:
            raise InvalidInput(
                f"layers has patterns for {', '.join(self.layers)}, but not for the "
                f"model {model!r}."
            )
        return self.layers[model]


@dataclass(frozen=True)
class StreamedLayer:
    """One layer of one model: where its rows come from."""

    model: str
    layer: str
    width: int
    dtype: str
    rows: str | None  # "tokens" or "positions"; None if a row is a sample
    nature: Nature

    @property
    def name(self) -> str:
        return f"{self.model}/{self.layer.lstrip('/')}" if self.layer else self.model


@dataclass(frozen=True, eq=False)
class StreamedBatch:
    """The rows of one batch for all layers, which are the same stimuli.

    `samples` numbers the sample of each row, from the start of the data. Arrays are
    reused for the next batch.
    """

    ids: np.ndarray
    blocks: np.ndarray | None
    samples: np.ndarray
    rows: Sequence[np.ndarray] = field(repr=False)


@contextmanager
def streamed_layers(
    models: Mapping[str, Any], data: Any, options: LayerOptions
) -> Iterator[tuple[list[StreamedLayer], Iterator[StreamedBatch]]]:
    """Yield the layers, and the batches of their rows.

    Every batch of the data is read once, and runs through all models.
    """
    items = as_items(data, options.batch_size)
    reading = items.read()
    first = next(reading, None)
    if first is None:
        raise InvalidInput("data has no batches; give at least one.")
    with ExitStack() as stack:
        runs = []
        for name, model in models.items():
            run = ModelRun(name, as_model(model), options)
            stack.enter_context(run.opened(first))
            runs.append(run)
        layers = [layer for run in runs for layer in run.layers()]
        batches = streamed_batches(runs, chain([first], reading), items, options)
        yield layers, batches


class ModelRun:
    """A model that is ready to run, and its layers."""

    def __init__(self, name: str, model: Model, options: LayerOptions) -> None:
        self.name, self.model, self.options = name, model, options
        self.session: Session
        self.targets: list[Target] = []
        self.nature = Nature()
        self.collector: Collector

    @contextmanager
    def opened(self, item: Any) -> Iterator[None]:
        options, model = self.options, self.model
        names, aliases = model.layers()
        patterns = options.of(self.name)
        wanted = model.auto() if patterns == "auto" else patterns
        asked = ask(wanted, names, aliases)
        modules = list(dict.fromkeys(each.module for each in asked))
        with model.session(modules, options.device) as self.session:
            if self.targets:  # of an earlier pass
                yield
                return
            batch = self.batch(item, 0)
            self.targets = first_passes(
                model,
                self.session,
                asked,
                batch,
                reducers=chosen_reducers(options.reducer, asked),
                batch_axes=options.batch_axis,
                samples=batch.size,
                lenient=options.lenient,
            )
            self.collector = Collector(self.targets)
            if not options.lenient:
                self.nature = nature_of(
                    self.name, model, self.session, batch, self.targets
                )
            self.first = batch
            yield

    def batch(self, item: Any, first: int) -> Batch:
        if isinstance(item, Batch):
            return item
        given = encoded(item, self.model)
        batch = as_batch(given, self.options.mask, self.model.accepts, first)
        prepare = self.options.preprocessing
        return batch if prepare is None else batch.prepared(prepare)

    def layers(self) -> list[StreamedLayer]:
        survey = survey_of(self.first, np.arange(self.first.size))
        return [
            StreamedLayer(
                self.name,
                target.name,
                target.width,
                target.dtype,
                kind_of_rows(target.reducer, target.shape, survey),
                self.nature,
            )
            for target in self.targets
        ]


def merged(parts: Sequence[StreamedBatch]) -> StreamedBatch:
    """Several batches as one."""
    if len(parts) == 1:
        return parts[0]
    blocks = [part.blocks for part in parts if part.blocks is not None]
    return StreamedBatch(
        np.concatenate([part.ids for part in parts]),
        np.concatenate(blocks) if blocks else None,
        np.concatenate([part.samples for part in parts]),
        [np.concatenate(rows) for rows in zip(*(p.rows for p in parts), strict=True)],
    )


def streamed_batches(
    runs: Sequence[ModelRun],
    reading: Iterator[Any],
    items: Items,
    options: LayerOptions,
) -> Iterator[StreamedBatch]:
    given = items.ids if options.ids is None else options.ids
    first = 0
    for number, item in enumerate(reading):
        rows: list[np.ndarray] = []
        labels: list[tuple[str, np.ndarray, np.ndarray | None]] = []
        for run in runs:
            batch = run.batch(item, first)
            end = first + batch.size
            own = given[first:end] if given is not None else batch.ids
            own = np.arange(first, end) if own is None else own
            survey = survey_of(batch, check_ids(own, batch.size))
            place = Place(number, survey.ids)
            found = rows_of_batch(
                *(run.model, run.session, batch, run.collector, place),
                kept=0,
                seed=options.seed,
            )
            for target in run.targets:
                rows.append(found[target.name])
                label = labels_of(target.reducer, target.shape, survey)
                labels.append((f"{run.name}/{target.name}", *label))
        name, ids, blocks = labels[0]
        for other, other_ids, _ in labels[1:]:
            if ids.tolist() != other_ids.tolist():
                raise InvalidInput(
                    f"{name} and {other} do not have the same rows in batch {number}: "
                    f"tokens or positions of one are not those of the other. Use a "
                    f"reducer that gives them the same rows, such as words for texts "
                    f"or mean for images."
                )
        within = np.arange(end - first) if blocks is None else _numbered(blocks)
        yield StreamedBatch(ids, blocks, first + within, rows)
        first = end


def _numbered(blocks: np.ndarray) -> np.ndarray:
    """0 for the rows of the first block, 1 for those of the second, and so on."""
    starts = np.concatenate([[False], blocks[1:] != blocks[:-1]])
    return np.cumsum(starts)
