"""A probe: layers of one model on the same data, read again and again."""

from dataclasses import replace
from typing import Any

from ...errors import InvalidInput
from ._data._batches import as_items
from ._data._fingerprint import DataHash
from ._models._find import as_model
from ._streaming import LayerOptions, ModelRun, StreamedBatch, merged, streamed_batches


class LayerProbe:
    """A model and data that stay the same while its weights change.

    All batches are read once and kept in memory, since a loader that shuffles or a
    random preprocessing would give other rows in each reading.
    """

    def __init__(self, name: str, model: Any, data: Any, options: LayerOptions) -> None:
        self._items = as_items(data, options.batch_size)
        self._kept = list(self._items.read())
        if not self._kept:
            raise InvalidInput("data has no batches; give at least one.")
        ids = self._items.ids if options.ids is None else options.ids
        self._options = replace(options, ids=ids)
        self._run = ModelRun(name, as_model(model), self._options)
        self._batches, seen, digest = [], 0, DataHash()
        for item in self._kept:
            batch = self._run.batch(item, seen)
            digest.update(batch.parts())
            self._batches.append(batch)
            seen += batch.size
        self.fingerprint = digest.hexdigest()
        with self._run.opened(self._batches[0]):
            self.layers = self._run.layers()

    def beside(self, name: str, model: Any) -> "LayerProbe":
        """Another model on the same data."""
        return LayerProbe(name, model, self._kept, self._options)

    def rows(self) -> StreamedBatch:
        """The rows of all data, from one pass."""
        with self._run.opened(self._batches[0]):
            reading = iter(self._batches)
            found = streamed_batches([self._run], reading, self._items, self._options)
            return merged([replace(b, rows=[r.copy() for r in b.rows]) for b in found])
