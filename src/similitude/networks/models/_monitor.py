"""`Monitor`: representations of a network while it is trained."""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...advice import dead_units, effective_rank
from ...engine.question._join import join
from ...errors import InvalidInput, Undefined, require
from ...measures import DEFAULT, Measure, find_measure
from ...representation import Representation
from ...store import load
from ..extraction import LayerOptions, LayerProbe, Reducer
from ..extraction._reporter import Reporter
from ._members import Member, representations_of
from ._steps import Steps

_OWN = ("start", "previous")


class Monitor:
    """Watches the layers of a model during training, on a fixed probe.

    Each `step` runs the probe through the model once, writes the rows of each layer to
    a store, with their step, and returns scalars for any logger. The report of the
    store shows them as training dynamics.

    Parameters
    ----------
    model, probe, layers
        The model, the data and the layers, as for `extract`. The data stay in memory.
    reference
        What each layer is compared with: "start" (the first step), "previous" (the
        step before), a path of stored representations, or a teacher: a model that runs
        on the same probe once. Or several of them. A layer is compared with the layer
        of the same name, or with the only layer of the path or teacher;
        ``layers={"net": "encoder", "teacher": "blocks.11"}`` names both.
    out
        The store. Its runs are numbered: the second one is called ``name-2``. The
        monitor continues a run if the model has the weights of one of its steps, as
        after an interruption. A step that is repeated replaces that of this process,
        and removes those after it; steps of earlier processes are kept.
    run
        The number of the run to continue. By default, the run with these weights, or
        a new one.
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
    >>> sorted(scalars)
    ['dead_units/0', 'dead_units/1', 'effective_rank/0', 'effective_rank/1']
    """

    def __init__(
        self,
        model: Any,
        probe: Any,
        layers: str | Sequence[str] | Mapping[str, str | Sequence[str]] = "auto",
        *,
        reference: Any = _OWN,
        out: str | Path = "monitor",
        measure: Measure | str = DEFAULT[0],
        name: str | None = None,
        run: int | None = None,
        reducer: str | Reducer | Mapping[str, str | Reducer] | None = None,
        batch_size: int = 256,
        ids: Any = None,
        mask: Any = None,
        device: Any = None,
        batch_axis: int | Mapping[str, int] | None = None,
        preprocessing: Callable[[Any], Any] | None = None,
    ) -> None:
        options = LayerOptions(
            layers, reducer, batch_size, ids, mask, device, batch_axis, preprocessing
        )
        self.name, self.measure = name or type(model).__name__, find_measure(measure)
        self._probe = LayerProbe(self.name, model, probe, options)
        layers_found = [layer.layer for layer in self._probe.layers]
        for note in self._probe.layers[0].nature.notes:
            Reporter("auto").say(note)
        several = isinstance(reference, Sequence) and not isinstance(reference, str)
        listed = list(reference) if several else [reference]
        self._names = [
            each for each in listed if isinstance(each, str) and each in _OWN
        ]
        self._others: dict[str, list[Representation]] = {}
        for each in listed:
            if isinstance(each, str | Path) and each not in _OWN:
                self._others["reference"] = load(each)
            elif not isinstance(each, str | Path):
                self._others["teacher"] = _layers_of(
                    self._probe.beside("teacher", each)
                )
        self._names += self._others
        self._prepared: dict[str, dict[str, Any]] = {}  # by reference and layer
        facts = self._probe.fingerprint, layers_found
        self._steps = Steps(out, self.name, run or 1, *facts)
        self.store = self._steps.store
        reps = _layers_of(self._probe) if self.steps else []
        while run is None and self.steps and self._steps.at(reps) is None:
            self._steps = Steps(out, self.name, self._steps.run + 1, *facts)
        if self.steps:
            found = self._steps.at(reps) if run is None else self.steps[-1]
            self._steps.sure = math.inf if found is None else found
        self._continue()

    @property
    def steps(self) -> list[int]:
        """The steps so far, also those of the interrupted run."""
        return self._steps.numbers

    def step(self, number: int) -> dict[str, float]:
        """Run the probe, write the layers, and return scalars by name.

        They are called ``cka_start/LAYER``, ``cka_previous/LAYER``,
        ``cka_teacher/LAYER``, ``cka_reference/LAYER``, ``effective_rank/LAYER`` and
        ``dead_units/LAYER``. A score that is undefined, such as that of a constant
        layer, is left out, and so are scores of the first step with itself.
        """
        found: dict[str, float] = {}
        now: dict[str, Any] = {}
        reps, sure = _layers_of(self._probe), self._steps.sure
        foreign = {*self.steps} - self._steps.own
        if stored := number in foreign and self._steps.has(number, reps):
            self._steps.sure = number
        late = any(each >= number for each in self.steps)
        other = any(each > sure or each >= number for each in foreign)
        if other and not stored:  # another course of training
            self._steps = self._steps.next_run(number)
        elif late and not stored:
            self._steps.remove_from(number)
        if late or other:
            self._continue(number)
        for name in self._others.keys() - self._prepared.keys():
            self._prepared[name] = self._given(name, reps[0])
        for rep in reps:
            layer, values = str(rep.layer), rep.values
            now[layer] = self._prepare(values)
            for name in self._names:
                found |= self._score(name, layer, now[layer])
            found[f"effective_rank/{layer}"] = effective_rank(values)
            found[f"dead_units/{layer}"] = float(dead_units(values))
        if not stored:
            self._steps.write(reps, number)
        self._prepared.setdefault("start", now)
        self._prepared["previous"] = now
        return found

    def callback(
        self, every: int = 100, log: Callable[[dict[str, float]], Any] | None = None
    ) -> Any:
        """A callback of `transformers.Trainer`: a step at the start, and every so many.

        The scalars are entries of the log history, and arguments of `log`. All steps
        are on the disk before a checkpoint is used.
        """
        library = require("transformers", feature="a callback", extra="huggingface")
        monitor = self

        def watch(state: Any) -> None:
            if state.is_world_process_zero and state.global_step % every == 0:
                scalars = monitor.step(state.global_step)
                state.log_history.append({**scalars, "step": state.global_step})
                if log is not None:
                    log(scalars)

        class MonitorCallback(library.TrainerCallback):  # type: ignore[name-defined]
            def on_train_begin(self, args: Any, state: Any, *_: Any, **__: Any) -> None:
                watch(state)

            def on_step_end(self, args: Any, state: Any, *_: Any, **__: Any) -> None:
                watch(state)

            def on_save(self, *_: Any, **__: Any) -> None:
                monitor.flush()

            def on_train_end(self, *_: Any, **__: Any) -> None:
                monitor.flush()

        return MonitorCallback()

    def flush(self) -> None:
        """Wait until all steps are on the disk, for example with a checkpoint.

        A kill loses at most the steps after the last call.
        """
        self._steps.flush()

    def close(self) -> None:
        self._steps.close()

    def __enter__(self) -> "Monitor":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _continue(self, before: float = math.inf) -> None:
        """Prepare the first and the last of the steps before a number."""
        steps = [each for each in self.steps if each < before]
        for name, numbers in (("start", steps[:1]), ("previous", steps[-1:])):
            self._prepared.pop(name, None)
            for number in numbers:
                reps = self._steps.get(number)
                self._prepared[name] = {
                    str(rep.layer): self._prepare(rep.load()) for rep in reps
                }

    def _prepare(self, values: np.ndarray) -> Any:
        try:
            return self.measure.prepare(values, np.random.SeedSequence(0))
        except Undefined:
            return None

    def _score(self, name: str, layer: str, now: Any) -> dict[str, float]:
        other = self._prepared.get(name, {}).get(layer)
        if other is None or now is None:
            return {}
        try:
            score = float(self.measure.compare(other, now))
        except Undefined:
            return {}
        return {f"{self.measure.label}_{name}/{layer}": score}

    def _given(self, name: str, like: Representation) -> dict[str, Any]:
        """The prepared layers of a teacher or a path, for the rows of the probe."""
        reps, found = self._others[name], {}
        for layer in self._probe.layers:
            same = [rep for rep in reps if rep.layer == layer.layer]
            chosen = same or (reps if len(reps) == 1 else [])
            if len(chosen) > 1:
                raise InvalidInput(
                    f"the {name} has {len(chosen)} representations of the layer "
                    f"{layer.layer!r}; give the path of one of them."
                )
            if chosen:
                _, other = join([like, chosen[0]])
                found[layer.layer] = self._prepare(other.load())
        if not found:
            raise InvalidInput(
                f"the {name} has the layers {', '.join(str(r.layer) for r in reps)}, "
                f"and none of them is watched; give one layer, or the same names."
            )
        return found


def _layers_of(probe: LayerProbe) -> list[Representation]:
    name = probe.layers[0].model
    return representations_of(probe.layers, probe.rows(), {name: Member(None, name)})
