"""Outputs of a forward pass, reduced to rows on the host as soon as they arrive."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...._base import _array
from ....errors import InvalidInput
from .._data._batches import Batch
from .._models._interface import Model
from ._outputs import part_at
from ._patterns import Asked
from ._targets import Target, check_arrived


class Collector:
    """Turns the outputs of one pass into rows on the host, as soon as they arrive."""

    def __init__(self, targets: Sequence[Target]) -> None:
        self.targets = targets
        self._by_call: dict[tuple[str, int], list[Target]] = {}
        for target in targets:
            self._by_call.setdefault((target.module, target.call), []).append(target)
        self._calls: Counter[str] = Counter()
        self._batch: Batch | None = None
        self._space: dict[str, np.ndarray] = {}
        self.rows: dict[str, np.ndarray] = {}

    def start(self, batch: Batch) -> None:
        self._batch, self.rows, self._calls = batch, {}, Counter()

    def __call__(self, module: str, call: int, output: Any) -> None:
        self._calls[module] += 1
        assert self._batch is not None
        for target in self._by_call.get((module, call), []):
            self.rows[target.name] = self._reduce(target, output, self._batch)

    def _reduce(self, target: Target, output: Any, batch: Batch) -> np.ndarray:
        try:
            x = part_at(output, target.part)
        except KeyError:
            raise InvalidInput(
                f"layer {target.name!r} gave no output {target.part!r} in this batch."
            ) from None
        xp = _array.namespace(x)
        if target.batch_axis:
            x = xp.moveaxis(x, target.batch_axis, 0)
        shape = tuple(x.shape[1:])
        fixed = target.reducer.fixed_shape and shape != target.shape
        if x.shape[0] != batch.size or fixed:
            raise InvalidInput(
                f"layer {target.name!r} gives shape {tuple(x.shape)} for {batch.size} "
                f"samples, but {target.shape} per sample in the first batch."
            )
        mask: Any = None
        if target.reducer.uses_words:
            mask = batch.words
        elif target.reducer.uses_mask and len(shape) == 2:
            mask = batch.mask
        if isinstance(mask, np.ndarray) and mask.shape[1] != shape[0]:
            raise InvalidInput(
                f"layer {target.name!r} gives {shape[0]} tokens per sample, but the "
                f"mask has {mask.shape[1]}."
            )
        x = xp.astype(x, getattr(xp, np.dtype(target.dtype).name), copy=False)
        reduced = _array.to_numpy(target.reduce(x, mask))
        # A view would keep the whole tensor alive, and later operations may change it.
        expected = target.reducer.count(target.shape, batch.size, mask), target.width
        if reduced.shape != expected:
            raise InvalidInput(
                f"layer {target.name!r} gives {reduced.shape[0]} rows of "
                f"{reduced.shape[1]} units; {expected[0]} rows of {expected[1]} units "
                f"follow from the first batch."
            )
        return self._copied(target, reduced)

    def _copied(self, target: Target, rows: np.ndarray) -> np.ndarray:
        """A copy in the memory of the batch before, which is written already."""
        space = self._space.get(target.name)
        if space is None or len(space) < len(rows) or space.shape[1:] != rows.shape[1:]:
            space = self._space[target.name] = np.empty(rows.shape, target.dtype)
        np.copyto(space[: len(rows)], rows)
        return space[: len(rows)]

    def finish(self, model: Model) -> dict[str, np.ndarray]:
        """The rows of all targets, after a check that every call has arrived."""
        asked = [Asked(target.module) for target in self.targets]
        check_arrived(model, asked, [(module, 1) for module in self._calls])
        for target in self.targets:
            if self._calls[target.module] != target.calls:
                raise InvalidInput(
                    f"layer {target.module!r} was called {target.calls} times in the "
                    f"first batch and {self._calls[target.module]} times now; it needs "
                    f"the same number of calls in every batch."
                )
        return self.rows
