"""`Monitor`: representations of a network while it is trained."""

import hashlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...advice import dead_units, effective_rank
from ...errors import InvalidInput, Undefined, require
from ...extraction import LayerOptions, LayerProbe, Reducer, StreamedBatch
from ...measures import DEFAULT, Measure, find_measure
from ...representation import Representation
from ...store import load, open_store, read_arrays
from ..question._join import join
from ._members import Member, representations_of

_WAITING = 64  # elements that wait for the disk; more would take memory


class Monitor:
    """Watches the layers of a model during training, on a fixed probe.

    Each `step` runs the probe through the model once, writes the rows of each layer to
    a store, with their step, and returns scalars for any logger. The report of the
    store shows them as training dynamics.

    Parameters
    ----------
    model, probe, layers
        The model, the data and the layers, as for `extract`.
    reference
        What each layer is compared with: "start" (the first step), "previous" (the
        last step), a path of stored representations, or a teacher: a model that runs
        on the same probe. Or several of them.
    out
        The store. If it has steps of an interrupted run, the monitor continues it;
        steps that are repeated replace the old ones.
    measure
        A measure or its name; by default the first default measure, cka.
    name
        Name of the model in tables. By default, the name of its class.
    reducer, batch_size, ids, mask, device, batch_axis, preprocessing
        As for `extract`.

    Examples
    --------
    >>> import tempfile, torch, similitude as sim
    >>> net = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.Tanh())
    >>> with sim.Monitor(net, torch.rand(50, 8), out=tempfile.mkdtemp()) as monitor:
    ...     scalars = monitor.step(0)
    >>> sorted(scalars)[:2]
    ['dead_units/0', 'dead_units/1']
    """

    def __init__(
        self,
        model: Any,
        probe: Any,
        layers: str | Sequence[str] = "auto",
        *,
        reference: Any = ("start", "previous"),
        out: str | Path = "monitor",
        measure: Measure | str = DEFAULT[0],
        name: str | None = None,
        reducer: str | Reducer | Mapping[str, str | Reducer] | None = None,
        batch_size: int = 256,
        ids: Any = None,
        mask: Any = None,
        device: Any = None,
        batch_axis: int | Mapping[str, int] | None = None,
        preprocessing: Callable[[Any], Any] | None = None,
    ) -> None:
        options = LayerOptions(
            layers=layers,
            reducer=reducer,
            batch_size=batch_size,
            ids=ids,
            mask=mask,
            device=device,
            batch_axis=batch_axis,
            preprocessing=preprocessing,
        )
        self.name, self.measure = name or type(model).__name__, find_measure(measure)
        self._probe = LayerProbe(self.name, model, probe, options)
        self.store = open_store(out, create=True)
        self._folder = self.store.elements / f".monitor-{_slug(self.name)}"
        self._writer = ThreadPoolExecutor(max_workers=1)
        self._waiting: deque[Future[Any]] = deque()
        listed = [reference] if _is_one(reference) else list(reference)
        self._own = [each for each in listed if each in ("start", "previous")]
        self._others: dict[str, list[Representation]] = {}
        for each in listed:
            if isinstance(each, str | Path) and each not in ("start", "previous"):
                self._others["reference"] = load(each)
            elif not isinstance(each, str):
                teacher = LayerProbe("teacher", each, probe, options)
                self._others["teacher"] = _layers_of(teacher, teacher.rows())
        self._prepared: dict[str, dict[str, Any]] = {}  # by reference and layer
        self._ids: np.ndarray | None = None  # of the rows in the store
        self.steps: list[int] = []
        self._store_waiting()
        self._continue()

    def step(self, number: int) -> dict[str, float]:
        """Run the probe, write the layers, and return scalars by name.

        They are called ``cka_start/LAYER``, ``cka_previous/LAYER``,
        ``cka_teacher/LAYER``, ``effective_rank/LAYER`` and ``dead_units/LAYER``. A
        score that is undefined, such as that of a constant layer, is left out.
        """
        if self.steps and number <= self.steps[-1]:
            self._continue(before=number)
        rows = self._probe.rows()
        self._check_same_rows(rows.ids)
        found: dict[str, float] = {}
        now: dict[str, Any] = {}
        for rep in _layers_of(self._probe, rows):
            layer, values = str(rep.layer), rep.values
            now[layer] = self._prepare(values)
            for name in (*self._own, *self._others):
                if name in self._others and name not in self._prepared:
                    self._prepared[name] = self._given(name, rep)
                known = self._prepared.get(name, {} if name == "previous" else now)
                if layer in known and now[layer] is not None:
                    found |= self._score(name, layer, now[layer], known[layer])
            found[f"effective_rank/{layer}"] = effective_rank(values)
            found[f"dead_units/{layer}"] = float(dead_units(values))
            self._write(rep, number)
        self._prepared.setdefault("start", now)
        self._prepared["previous"] = now
        self.steps.append(number)
        return found

    def callback(
        self, every: int = 100, log: Callable[[dict[str, float]], Any] | None = None
    ) -> Any:
        """A callback of `transformers.Trainer`: a step every so many steps.

        The scalars are entries of the log history, and arguments of `log`.
        """
        library = require("transformers", feature="a callback", extra="huggingface")
        monitor = self

        class MonitorCallback(library.TrainerCallback):  # type: ignore[misc, name-defined]
            def on_step_end(
                self, args: Any, state: Any, control: Any, **others: Any
            ) -> None:
                if state.global_step % every == 0:
                    scalars = monitor.step(state.global_step)
                    state.log_history.append({**scalars, "step": state.global_step})
                    if log is not None:
                        log(scalars)

            def on_train_end(
                self, args: Any, state: Any, control: Any, **others: Any
            ) -> None:
                monitor.flush()

        return MonitorCallback()

    def flush(self) -> None:
        """Wait until all steps are on the disk."""
        while self._waiting:
            self._waiting.popleft().result()

    def close(self) -> None:
        self.flush()
        self._writer.shutdown()
        self._folder.rmdir()

    def __enter__(self) -> "Monitor":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _write(self, rep: Representation, number: int) -> None:
        """Write the rows to a plain file at once, and to the store in the background.

        An element of the store is flushed to the disk, which takes longer than a step
        of training. After a kill, the plain files have the rows that waited.
        """
        layers = [layer.layer for layer in self._probe.layers]
        file = self._folder / f"{number}-{layers.index(str(rep.layer))}.npz"
        blocks = {} if rep.blocks is None else {"blocks": rep.blocks}
        np.savez(file, values=rep.values, ids=rep.ids, **blocks)
        self._waiting.append(self._writer.submit(self._store, rep, number, file))
        while len(self._waiting) > _WAITING or (
            self._waiting and self._waiting[0].done()
        ):
            self._waiting.popleft().result()  # raises the error of a full disk

    def _store(self, rep: Representation, number: int, file: Path) -> None:
        self.store.put(replace(rep, name=f"{rep.name}@{number}", step=number))
        file.unlink()

    def _store_waiting(self) -> None:
        """Store the rows that waited when an earlier run was killed."""
        self._folder.mkdir(exist_ok=True)
        for file in sorted(self._folder.glob("*-*.npz")):
            number, index = map(int, file.stem.split("-"))
            try:
                found = read_arrays(file)
                layer, values = self._probe.layers[index], found["values"]
                rows = StreamedBatch(
                    found["ids"], found.get("blocks"), found["ids"], ()
                )
                rep = Member(None, self.name).representation(layer, values, rows)
                self._store(rep, number, file)
            except (InvalidInput, IndexError, KeyError):  # killed while it was written
                file.unlink()

    def _continue(self, before: int | None = None) -> None:
        """Take over the steps in the store; later or incomplete ones are removed."""
        self.flush()
        wanted = {layer.layer for layer in self._probe.layers}
        found: dict[int, dict[str, str]] = {}
        for element in self.store.ids():
            manifest = self.store.manifest(element)
            if manifest.get("model") == self.name and "step" in manifest:
                found.setdefault(manifest["step"], {})[manifest["layer"]] = element
        for number, elements in found.items():
            late = before is not None and number >= before
            if late or not elements.keys() >= wanted:
                for element in elements.values():
                    self.store.remove(element)
        left = {n for n, e in found.items() if e.keys() >= wanted}
        self.steps = sorted(n for n in left if before is None or n < before)
        for name, numbers in (("start", self.steps[:1]), ("previous", self.steps[-1:])):
            self._prepared.pop(name, None)
            for number in numbers:
                reps = [self.store.get(e) for e in found[number].values()]
                self._ids = reps[0].ids
                self._prepared[name] = {
                    str(rep.layer): self._prepare(rep.load()) for rep in reps
                }

    def _check_same_rows(self, ids: np.ndarray) -> None:
        if self._ids is not None and self._ids.tolist() != ids.tolist():
            raise InvalidInput(
                f"{self.store.path} has steps of another probe; choose another out= "
                f"or name=."
            )
        self._ids = ids

    def _prepare(self, values: np.ndarray) -> Any:
        try:
            return self.measure.prepare(values, np.random.SeedSequence(0))
        except Undefined:
            return None

    def _score(self, name: str, layer: str, p: Any, q: Any) -> dict[str, float]:
        try:
            score = float(self.measure.compare(q, p))
        except Undefined:
            return {}
        return {f"{self.measure.label}_{name}/{layer}": score}

    def _given(self, name: str, like: Representation) -> dict[str, Any]:
        """The prepared layers of a teacher or a path, for the rows of the probe."""
        reps, found = self._others[name], {}
        for layer in self._probe.layers:
            same = [rep for rep in reps if rep.layer == layer.layer]
            chosen = same or (reps if len(reps) == 1 else [])
            if chosen:
                _, other = join([like, chosen[0]])
                found[layer.layer] = self._prepare(other.load())
        if not found:
            raise InvalidInput(
                f"the {name} has the layers {', '.join(str(r.layer) for r in reps)}, "
                f"and none of them is watched; give one layer, or the same names."
            )
        return {layer: p for layer, p in found.items() if p is not None}


def _layers_of(probe: LayerProbe, rows: StreamedBatch) -> list[Representation]:
    name = probe.layers[0].model
    return representations_of(probe.layers, rows, {name: Member(None, name)})


def _slug(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:8]


def _is_one(reference: Any) -> bool:
    return isinstance(reference, str | Path) or not isinstance(reference, Sequence)
