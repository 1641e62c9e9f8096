"""The commands of the authors' `run.py`, with its options, files and defaults."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from similitude.errors import InvalidInput
from similitude.plugins import say

from ..._options import flag, option
from ..figures import FIGURES as FIGURES_BY_TYPE
from ..figures import FigureRequest
from ..training._setting import image_configurations, radial_configurations
from . import _figure
from ._measure import Sources, measured
from ._options import (
    DIR,
    DRAWS,
    LAMBDA,
    REDUCE,
    numbers,
    options_of,
    say_line,
    with_options,
)
from ._train import Training

# Options that `run.py` accepts with every command.
OPTIONS = (
    *("output-folder", "data-folder", "dataset-config", "log", "model-config"),
    *("model-var-config", "train-config", "train-seed", "train-epochs", "lr"),
    *("date-str", "weight-decay", "layer-size", "num-classes", "num-samples"),
    *("weight", "extra-suff", "dist-type", "sum-or-max", "continue-from"),
    *("plot-type", "final-dim"),
)
FLAGS = ("use-train", "cuda")
#: Settings of these commands: they ignore the options of other commands.
SETTINGS = {"ignore_unknown_options": True, "allow_extra_args": True}

RESULTS, FIGURES = Path("results"), Path("figures")
AUTHORS_DATE = "2025-04-22"

Folder = Annotated[Path, option("DIR", "Folder of the checkpoints.", "--output-folder")]


@dataclass(frozen=True, kw_only=True)
class Files(Sources):
    """Configurations and checkpoints of the commands that measure."""

    output_folder: Folder = DIR


@dataclass(frozen=True, kw_only=True)
class RadialModels(Files):
    """Models on radial data, and the set on which they are measured."""

    date_str: Annotated[str, option("DATE", "Date in the names of checkpoints.")]
    layer_size: Annotated[str, option("WIDTHS", "Widths, as in 16,32.")]
    num_classes: Annotated[int, option("K", "Number of classes.")]
    extra_suff: Annotated[
        str, option("TEXT", "End of the name of the model configuration.")
    ] = ""
    use_train: Annotated[bool, flag("--use-train", "Use the training set.")] = False

    def where(self) -> dict[str, Any]:
        split = "train" if self.use_train else "test"
        return super().where() | {"date": self.date_str, "split": split}


@with_options(Training)
def train_variations(
    training: Training,
    ctx: typer.Context,
    *,
    train_epochs: Annotated[int, option("N", "Replaces train_steps.")] = 0,
    file_format: Annotated[
        str,
        option(
            "FORMAT", "Also write the authors' files of torch.save (pt).", "--format"
        ),
    ] = "safetensors",
) -> None:
    """Train models as `run.py train-variations`; see `similitude closeness train`."""
    from .. import DatasetConfig, TrainConfig, load_config

    _check_options(ctx.args)
    steps = None
    if train_epochs > 0:
        points = load_config(training.dataset_config, DatasetConfig).num_points
        batch = load_config(training.train_config, TrainConfig).batch_size
        steps = train_epochs * -(-points // batch)
    seed, rate = training.train_seed, training.lr
    training = replace(  # as in `run.py`, these values mean that nothing is replaced
        training,
        date_str=training.date_str or None,
        train_seed=None if seed is None or seed < 0 else seed,
        lr=None if rate is None or rate <= 0 else rate,
    )
    if file_format not in ("safetensors", "pt"):
        raise InvalidInput(f"--format {file_format}: choose safetensors or pt.")
    training.run({}, steps, metrics="metrics", authors_files=file_format == "pt")


@with_options(RadialModels)
def get_distances(
    models: RadialModels,
    ctx: typer.Context,
    *,
    dist_type: Annotated[str, REDUCE],
    num_samples: Annotated[int, DRAWS] = 10,
    weight: Annotated[float, LAMBDA] = 1.0,
    sum_or_max: Annotated[str, option("sum|max", "Aggregation of the terms.")] = "sum",
    seed: Annotated[
        int, option("SEED", "Seed of the sets (not in run.py).", min=0)
    ] = 0,
) -> None:
    """Measure distances as `run.py get-distances`; see `closeness distances`."""
    from ..results import measure_distances, write_authors_distances

    _check_options(ctx.args)
    for name, value, allowed in (
        ("dist-type", dist_type, ("max", "mean")),
        ("sum-or-max", sum_or_max, ("sum", "max")),
    ):
        if value not in allowed:
            raise InvalidInput(f"--{name} {value}: write {' or '.join(allowed)}.")
    if (num_samples, weight, sum_or_max) == (10, 1.0, "sum"):
        say_line(
            "The defaults are those of the authors' code: weight 1, sum, 10 samples. "
            "The paper has weight 1e-5, max, 200: the defaults of `similitude "
            "closeness distances`."
        )
    _measure(
        measure_distances,
        models,
        write_authors_distances,
        weight=weight,
        aggregate=sum_or_max,
        reduce=dist_type,
        draws=num_samples,
        seed=seed,
        compat=True,
    )


@with_options(RadialModels)
def get_accuracies(models: RadialModels, ctx: typer.Context) -> None:
    """Measure accuracies as `run.py get-accuracies`; see `closeness accuracies`."""
    from ..results import measure_accuracies, write_authors_accuracies

    _check_options(ctx.args)
    _measure(measure_accuracies, models, write_authors_accuracies)


@with_options(Files)
def cal_mcca(
    models: Files,
    ctx: typer.Context,
    *,
    final_dim: Annotated[int, option("M", "Dimension of the last layer.", min=1)],
    date_str: Annotated[str, option("DATE", "Date in names.")] = AUTHORS_DATE,
) -> None:
    """Measure m_CCA of CIFAR-10 models as `run.py cal-mcca`; see `closeness mcca`."""
    from ..results import measure_mcca, write_authors_mcca

    _check_options(ctx.args)
    experiment = models.experiment(image_configurations(final_dim), {})
    where = {"date": date_str or AUTHORS_DATE, **models.where()}
    given = (measure_mcca, experiment, models.output_folder, RESULTS)
    train, test = (measured(*given, split=s, **where) for s in ("train", "test"))
    say(str(test))
    say_line(str(write_authors_mcca(train, test, RESULTS)))


def make_plot(
    ctx: typer.Context,
    *,
    plot_type: Annotated[str, option("TYPE", "As `closeness figure TYPE`.")],
    num_classes: Annotated[int, option("K", "K of synthetic_data.")] = 6,
    date_str: Annotated[str, option("DATE", "Date in names.")] = "",
    output_folder: Folder = DIR,
    cuda: Annotated[bool, flag("--cuda", "Use a CUDA device.")] = False,
) -> None:
    """Draw a figure as `run.py make-plot`; see `similitude closeness figure`."""
    from ..results import last_losses

    _check_options(ctx.args)
    if plot_type not in FIGURES_BY_TYPE:
        raise InvalidInput(
            f"--plot-type {plot_type}: choose from {', '.join(FIGURES_BY_TYPE)}."
        )
    if cuda:
        from ...training._checkpoints import check_device

        check_device("cuda")
    if plot_type == "loss_diff_vs_mcca":
        last_losses(RESULTS, Path("metrics"), date_str or AUTHORS_DATE)
    request = FigureRequest(
        results=RESULTS,
        checkpoints=output_folder,
        compute=plot_type in {"d_LLV_constructed", "KL_table"},
        num_classes=num_classes,
        each_setting=True,
        date=date_str or None,
    )
    _figure.draw(plot_type, request, FIGURES)


def _measure(
    measure: Callable[..., Any],
    models: RadialModels,
    write: Callable[..., list[Path]],
    **options: Any,
) -> None:
    """Measure models on radial data, and write files of the authors' form."""
    classes, suffix = models.num_classes, models.extra_suff
    widths = {"num_features": numbers(models.layer_size)}
    experiment = models.experiment(radial_configurations(classes, suffix), widths)
    if experiment.dataset.num_classes != classes:
        raise InvalidInput(
            f"--num-classes is {classes}, but the configurations have "
            f"{experiment.dataset.num_classes} classes."
        )
    options |= models.where()
    table = measured(measure, experiment, models.output_folder, **options)
    say(str(table))
    for path in write(table, RESULTS, suffix):
        say_line(str(path))


#: The commands of `run.py` in the order of the authors.
COMMANDS = (train_variations, get_distances, get_accuracies, cal_mcca, make_plot)


def run_py(arguments: Sequence[str]) -> None:
    """The authors' `run.py`: one of its commands, or all options with -h."""
    from importlib.metadata import entry_points

    (start,) = entry_points(group="console_scripts", name="similitude")
    names = [command.__name__.replace("_", "-") for command in COMMANDS]
    if not arguments or arguments[0] in ("-h", "--help"):
        say("Usage: python run.py COMMAND [options]")
        for name, command in zip(names, COMMANDS, strict=True):
            say(f"\n{name}: {(command.__doc__ or '').partition(';')[0]}")
            for line in options_of(command):
                say(f"  {line}")
        return
    if arguments[0] not in names:
        say_line(f"error: {arguments[0]!r} is not a command: {', '.join(names)}.")
        sys.exit(2)
    sys.argv = ["similitude", *arguments]
    start.load()()


def _check_options(extra: Sequence[str]) -> None:
    """Accept the options of other commands of `run.py`, and refuse all else."""
    value_follows = False
    for word in extra:
        name = word.removeprefix("--").partition("=")[0]
        if word.startswith("--") and name in (*OPTIONS, *FLAGS):
            value_follows = name in OPTIONS and "=" not in word
        elif value_follows:
            value_follows = False
        else:
            raise InvalidInput(f"{word!r} is not an option of this command.")
