"""Training of all models of an experiment."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date as day
from os import PathLike
from pathlib import Path

import torch

from similitude.errors import InvalidInput, either
from similitude.plugins import Progress, check_at_least, check_one_of

from ...training._checkpoints import check_device, read_tensors, write_tensors
from ..data import read_close_dist_checkpoint
from ._data import load_data
from ._folder import MANIFEST, OPTIMIZER, Folder
from ._group import Group, Options
from ._manifest import PER_SEED, Manifest, read_manifest, work_at
from ._models import SUFFIX
from ._plan import Plan, choose_threads, make_plan
from ._setting import Experiment
from ._single import State

__all__ = ["train_models"]


def train_models(
    experiment: Experiment,
    folder: str | PathLike[str],
    *,
    date: str | None = None,
    batched_seeds: bool = False,
    checkpoint_every: int = 2000,
    continue_from: int = 0,
    threads: int | None = None,
    dtype: str = "float32",
    device: str = "cpu",
    metrics: str | PathLike[str] | None = None,
    authors_files: bool = False,
    progress: Progress = lambda stage, done, total: None,
    say: Callable[[str], None] = lambda text: None,
) -> Plan:
    """Train every model of an experiment that does not exist yet.

    After an interruption, the same call resumes from the last checkpoints. On a CPU the
    trained weights are then the same to the last bit. Order of batches and initial
    weights depend only on the seeds.

    Parameters
    ----------
    experiment
        Data set, models and training.
    folder
        Folder of the checkpoints. A model has three files, with the authors' stem:
        ``.safetensors`` with the weights, ``.optimizer.safetensors``, and ``.json``
        with the manifest. Models of the authors in this folder also count as existing.
    date
        Date in the names of the files. [default: that of an unfinished run of these
        models in the folder, else today]
    batched_seeds
        Train all seeds of a setting together, which is several times faster. Only for
        the model type SmallMLP. In float32 the weights differ from those of single
        training after some hundred steps, because rounding differs and the differences
        grow; in float64 they agree.
    checkpoint_every
        Steps between two checkpoints.
    continue_from
        If above 0, start from the models of this nominal number of steps, which must
        exist. Our files continue exactly. Files of the authors contain only weights:
        the optimizer and the order of the data start anew.
    threads
        Threads of PyTorch. [default: PyTorch's number, or that of the interrupted run]
    dtype
        ``"float32"`` or ``"float64"``, of weights and gradients. The loss is always
        computed in float64.
    device
        A PyTorch device.
    metrics
        Folder of the losses. [default: ``metrics`` next to `folder`]
    authors_files
        Also write each model as the authors do: a state dictionary of ``torch.save``
        whose file has no suffix.
    progress
        Called with the setting, the number of steps and their total.
    say
        Called with lines of text for the user, first with the plan.

    Returns
    -------
    Plan
        The runs that this call trained.
    """
    check_at_least("checkpoint_every", checkpoint_every, 1)
    check_at_least("continue_from", continue_from, 0)
    check_one_of("dtype", dtype, ("float32", "float64"))
    if threads is not None:
        check_at_least("threads", threads, 1)
    if batched_seeds and experiment.variations.model_type != "SmallMLP":
        raise InvalidInput(
            f"batched_seeds is for SmallMLP; train "
            f"{experiment.variations.model_type} without it."
        )
    check_device(device)
    default = torch.get_num_threads()
    options = Options(
        checkpoint_every=checkpoint_every,
        batched=batched_seeds,
        threads=threads or default,
        dtype=dtype,
        device=device,
    )
    if date is None:
        date = day.today().isoformat()
        found = unfinished_date(experiment, Path(folder))
        if found not in (None, date):
            option = either(python=f"date={date!r}", shell=f"--date-str {date}")
            say(f"Resuming the unfinished run of {found}; {option} starts a new one.")
            date = str(found)
    next(experiment.settings()).name(0, date)  # an invalid date raises
    files = Folder(Path(folder), date, None if metrics is None else Path(metrics))
    data = load_data(experiment.dataset)
    files.remove_orphans()
    plan = make_plan(experiment, data, files, options)
    say(str(plan))
    chosen = choose_threads(plan.runs, threads, default, say)
    for run in plan.runs:
        group = Group(
            run.setting, run.seeds, data, files, replace(options, threads=chosen[run])
        )
        with files.locked(group.stem):
            if run.manifest is not None:
                group.resume(run.manifest)
            elif continue_from:
                _continue(group, continue_from, say)
            else:
                _initialize(group)
            group.run(progress)
    if authors_files:
        for setting in experiment.settings():
            for seed in experiment.variations.random_seeds:
                files.write_authors_file(setting, seed)
    return plan


def unfinished_date(experiment: Experiment, folder: Path) -> str | None:
    """The latest date with some models of an experiment, or a part of one.

    Models of the authors alone are not an unfinished run.
    """
    seeds = experiment.variations.random_seeds
    for date in Folder(folder, "").dates:
        files, settings = Folder(folder, date), list(experiment.settings())
        stems = [files.stem(one, seed) for one in settings for seed in seeds]
        ours = [Path(f"{stem}{MANIFEST}").is_file() for stem in stems]
        if any(map(files.partial_runs, settings)) or 0 < sum(ours) < len(ours):
            return date
    return None


def _initialize(group: Group) -> None:
    """Start from the untrained models in the folder, or write those of the seeds."""
    for index, seed in enumerate(group.seeds):
        name = group.setting.name(seed, group.folder.date, trained=False)
        path = group.folder.find(name)
        drawn = group.trainer.weights(index)
        if path is None:
            write_tensors(group.work, f"{name}{SUFFIX}", drawn)
            continue
        state = dict(read_close_dist_checkpoint(path).state)
        if path.suffix == SUFFIX:
            _check_drawn(path, state, drawn)
        group.trainer.load(index, state, {}, 0)


def _check_drawn(path: Path, state: State, drawn: State) -> None:
    """Compare an untrained model of ours, which has no manifest, with its seed."""
    for key, value in state.items():
        expected = drawn.get(key, value).to("cpu", value.dtype)
        if expected.shape == value.shape and (expected != value).any():
            raise InvalidInput(
                f"{path} is damaged, or not from this version of PyTorch: {key} is not "
                f"that of its seed; delete it to start from the seed."
            )


def _continue(group: Group, steps: int, say: Callable[[str], None]) -> None:
    """Start from models that were trained for fewer steps."""
    option = either(python=f"continue_from={steps}", shell=f"--continue-from {steps}")
    total = group.setting.train.train_steps
    if steps >= total:
        raise InvalidInput(f"{option} must be less than train_steps, which is {total}.")
    starts, names = [], []
    for seed in group.seeds:
        name = group.setting.name(seed, group.folder.date, steps=steps)
        path = group.folder.find(name)
        if path is None:
            raise InvalidInput(
                f"{option}: {group.folder.path / str(name)} does not "
                f"exist; train it first, or name its folder and date."
            )
        names.append(path.name)
        starts.append(_trained(path))
    if len({None if run is None else run.step for _, _, run in starts}) > 1:
        raise InvalidInput(
            f"{option}: some models of {group.setting} have an "
            f"optimizer state and some do not; train without "
            f"{either(python='batched_seeds=True', shell='--batched-seeds')}."
        )
    state = group.state
    state.continued_from = names[0]
    for index, (weights, moments, run) in enumerate(starts):
        if run is not None:
            state.step = run.step
            for field in PER_SEED:
                getattr(state, field)[index] = getattr(run, field)[0]
        group.trainer.load(index, weights, moments, state.step)
    if run is None:
        state.total_steps = group.setting.total_steps(len(group.data.train), steps)
        say(
            f"{group.setting}: {names[0]} has no optimizer state, so the optimizer and "
            f"the order of the data start anew."
        )


def _trained(path: Path) -> tuple[State, State, Manifest | None]:
    """Weights, moments and manifest of a model; only weights without a manifest."""
    stem = str(path).removesuffix(SUFFIX)
    manifest_path = Path(f"{stem}{MANIFEST}")
    if path.suffix != SUFFIX or not manifest_path.is_file():
        return dict(read_close_dist_checkpoint(path).state), {}, None
    manifest, work = read_manifest(manifest_path), work_at(manifest_path)
    names = path.name, f"{Path(stem).name}{OPTIMIZER}"
    weights, moments = (read_tensors(work, name, manifest) for name in names)
    return weights, moments, manifest
