"""The plan of an experiment: which models to train or resume, and how long it takes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from similitude.errors import InvalidInput, either
from similitude.plugins import torch_threads

from ..._text import duration
from ...training._checkpoints import versions
from ...training._loop import seconds_per_step
from ._data import Data
from ._folder import MANIFEST, Folder
from ._group import Group, Options
from ._manifest import Manifest, model_of
from ._setting import Experiment, Setting


@dataclass(frozen=True, eq=False)
class Run:
    """Seeds of a setting that are trained together, from the start or resumed."""

    setting: Setting
    seeds: tuple[int, ...]
    manifest: Manifest | None = None  # of the interrupted run


@dataclass(frozen=True)
class Plan:
    """All runs of an experiment."""

    runs: tuple[Run, ...]
    models: int  # that the configuration asks for
    steps: int  # that remain, over all runs
    seconds: float  # of processor time, estimated

    @property
    def missing(self) -> int:
        return sum(len(run.seeds) for run in self.runs)

    def __str__(self) -> str:
        text = f"{self.models} models, {self.models - self.missing} exist"
        if not self.runs:
            return f"{text}; nothing to train."
        resumed = sum(run.manifest is not None for run in self.runs)
        text += f"; {len(self.runs)} training runs, {resumed} of them resumed"
        time = f"about {duration(self.seconds)} of processor time"
        return f"{text}; {self.steps:,} steps, {time}."


def find_runs(
    experiment: Experiment, folder: Folder, options: Options
) -> tuple[Run, ...]:
    """Runs for all models that do not exist; interrupted runs are resumed."""
    found = []
    for setting in experiment.settings():
        seeds = list(experiment.variations.random_seeds)
        for stem, manifest in folder.partial_runs(setting):
            if set(manifest.seeds).isdisjoint(seeds):
                continue  # a run of other models
            if not set(manifest.seeds) <= set(seeds):
                raise InvalidInput(
                    f"{stem}{MANIFEST} is an interrupted run of the seeds "
                    f"{list(manifest.seeds)}; request all of them to resume it, or "
                    f"delete the file."
                )
            _check(setting, manifest, f"{stem}{MANIFEST}", options)
            found.append(Run(setting, manifest.seeds, manifest))
            seeds = [seed for seed in seeds if seed not in manifest.seeds]
        missing = [seed for seed in seeds if not folder.is_finished(setting, seed)]
        if options.batched and missing:
            found.append(Run(setting, tuple(missing)))
        else:
            found += [Run(setting, (seed,)) for seed in missing]
    return tuple(found)


def make_plan(
    experiment: Experiment, data: Data, folder: Folder, options: Options
) -> Plan:
    """Find the runs, and time a few steps of each kind."""
    runs = find_runs(experiment, folder, options)
    settings = sum(1 for _ in experiment.settings())
    steps, seconds = 0, 0.0
    speeds: dict[tuple[Setting, int], float] = {}
    for run in runs:
        total = run.setting.total_steps(len(data.train))
        left = total if run.manifest is None else total - run.manifest.step
        key = (run.setting, len(run.seeds))
        if left and key not in speeds:
            group = Group(run.setting, run.seeds, data, folder, options)
            with torch_threads(options.threads):
                speeds[key] = seconds_per_step(group.batches(), group.take_step)
        steps += left
        seconds += left * speeds.get(key, 0.0)
    models = settings * len(experiment.variations.random_seeds)
    return Plan(runs, models, steps, seconds)


def _check(setting: Setting, manifest: Manifest, path: str, options: Options) -> None:
    """Refuse to resume a run that had other settings."""
    for before, now in (
        (manifest.dataset, setting.dataset),
        (manifest.model, model_of(setting)),
        (manifest.train, setting.train),
    ):
        for name, value in before:
            if value != getattr(now, name):
                raise InvalidInput(
                    f"{path} is an interrupted run with another {name}; use the same "
                    f"configuration, another folder or date, or delete the file."
                )
    if manifest.batched != options.batched:
        word = "with" if manifest.batched else "without"
        raise InvalidInput(
            f"{path} is an interrupted run {word} "
            f"{either(python='batched_seeds=True', shell='--batched-seeds')}; resume "
            f"it the same way, or delete the file."
        )
    for name in ("dtype", "device"):
        old, new = getattr(manifest, name), getattr(options, name)
        if old != new:
            raise InvalidInput(
                f"{path} is an interrupted run with {name} {old}, not {new}; resume it "
                f"with {old}, or delete the file."
            )


def choose_threads(
    runs: Sequence[Run], threads: int | None, default: int, say: Callable[[str], None]
) -> dict[Run, int]:
    """Threads of each run: those of the interrupted run, or the requested number.

    The last bits of a result depend on the number of threads.
    """
    found = {}
    for run in runs:
        found[run] = default if threads is None else threads
        if run.manifest is None:
            continue
        before = run.manifest.threads
        if before != found[run]:
            if threads is not None:
                now, then = (
                    either(python=f"threads={n}", shell=f"--threads {n}")
                    for n in (threads, before)
                )
                raise InvalidInput(
                    f"{now}: {run.setting}, seeds {run.seeds}, was interrupted with "
                    f"{before} threads; resume it with {then}, because the number "
                    f"changes the last bits."
                )
            say(f"{run.setting}: resumed with {before} threads, as it was started.")
            found[run] = before
        if run.manifest.versions != versions():
            say(
                f"{run.setting}: started with {run.manifest.versions}, resumed with "
                f"{versions()}; the last bits may differ."
            )
    return found
