"""The steps of a training run in a store, also those of a run that was killed."""

import math
from collections import deque
from collections.abc import Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InvalidInput
from ...representation import Representation
from ...store import open_store

_WAITING = 64  # elements that wait for the disk; more would take memory
_MARK = ("written_by", "Monitor")
_EQUAL = 1e-4  # relative difference of the rows of equal weights


class Steps:
    """Elements of one run, one per step and layer. The runs of a model are numbered.

    A thread writes them: an element is flushed to the disk, which takes longer than a
    step of training.
    """

    def __init__(
        self, out: str | Path, model: str, run: int, data: str, layers: Collection[str]
    ) -> None:
        self.run, self._name = run, model
        self.store = open_store(out, create=True)
        self._model = model if run == 1 else f"{model}-{run}"
        self._data, self._layers = data, dict.fromkeys(layers)
        self.own: set[int] = set()  # steps that this process wrote
        self.sure: float = -math.inf  # the last step that this process had
        self._places = self._order()
        self._writer = ThreadPoolExecutor(max_workers=1)
        self._waiting: deque[Future[Any]] = deque()
        self._torn: list[str] = []
        self._elements = self._found()

    @property
    def numbers(self) -> list[int]:
        return sorted(self._elements)

    def get(self, number: int) -> list[Representation]:
        """The layers of a step that was stored by an earlier run, or before it."""
        self.flush()
        return [self.store.get(each) for each in self._elements[number].values()]

    def has(self, number: int, reps: Sequence[Representation]) -> bool:
        """Whether a step is stored with these rows."""
        stored = self.get(number) if number in self._elements else []
        by_layer = {rep.layer: rep.load() for rep in stored}
        return bool(stored) and all(
            np.linalg.norm(by_layer[rep.layer] - rep.load())
            <= _EQUAL * np.linalg.norm(rep.load())
            for rep in reps
        )

    def at(self, reps: Sequence[Representation]) -> int | None:
        """The last step with these rows, or None."""
        return next((n for n in reversed(self.numbers) if self.has(n, reps)), None)

    def next_run(self, before: int) -> "Steps":
        """The first new run, with a copy of the certain steps before a number."""
        found = self
        while found.numbers:
            found = Steps(
                self.store.path, self._name, found.run + 1, self._data, self._layers
            )
        for number in self.numbers:
            if number < before and number <= self.sure:
                found.write(self.get(number), number)
        self.close()
        return found

    def write(self, reps: Sequence[Representation], number: int) -> None:
        for element in self._torn:  # of this run, which was killed
            self.store.remove(element)
        self._torn = []
        self.own.add(number)
        self.sure = number
        self._elements[number] = {}
        for rep in reps:
            self._waiting.append(self._writer.submit(self._put, rep, number))
        while len(self._waiting) > _WAITING or (
            self._waiting and self._waiting[0].done()
        ):
            self._waiting.popleft().result()  # raises the error of a full disk

    def remove_from(self, number: int) -> None:
        """Remove this step and all later ones, which are repeated."""
        self.flush()
        for late in [each for each in self._elements if each >= number]:
            for element in self._elements.pop(late).values():
                self.store.remove(element)
        self._places = self._order()

    def _order(self) -> dict[str, int]:
        """The place of each layer; the store needs it for one step."""
        return {layer: place for place, layer in enumerate(self._layers)}

    def flush(self) -> None:
        """Wait until all steps are on the disk."""
        while self._waiting:
            self._waiting.popleft().result()

    def close(self) -> None:
        self.flush()
        self._writer.shutdown()

    def _put(self, rep: Representation, number: int) -> None:
        rep = replace(
            rep,
            name=f"{self._model}/{str(rep.layer).lstrip('/')}".rstrip("/")
            + f"@{number}",
            model=self._model,
            step=number,
            meta=dict([*rep.meta.items(), _MARK]),
        )
        element = self.store.put(rep, data=self._data)
        self._elements[number][str(rep.layer)] = element
        if (place := self._places.pop(str(rep.layer), None)) is not None:
            self.store.places.write({element: place})

    def _found(self) -> dict[int, dict[str, str]]:
        """The complete steps of this run; an incomplete one may be its last."""
        found: dict[int, dict[str, str]] = {}
        for element in self.store.ids():
            manifest = self.store.manifest(element)
            own = _MARK in manifest.get("meta", {}).items()
            if own and manifest.get("model") == self._model:
                if manifest.get("data") != self._data:
                    self._refuse("another probe")
                found.setdefault(manifest["step"], {})[manifest["layer"]] = element
        last = max(found, default=0)
        if found and found[last].keys() < self._layers.keys():  # the run was killed
            self._torn = [*found.pop(last).values()]
        if any(layers.keys() != self._layers.keys() for layers in found.values()):
            self._refuse("other layers")
        return found

    def _refuse(self, what: str) -> None:
        raise InvalidInput(
            f"{self.store.path} has steps of {self._model} with {what}; choose another "
            f"out= or name=."
        )
