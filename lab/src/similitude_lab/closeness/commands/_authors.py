"""The commands of the authors' `run.py`, with its options, files and defaults."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from similitude.errors import InvalidInput
from similitude.plugins import say

from ..._options import flag, option
from . import _figure, _train
from ._measure import configurations, measured
from ._options import DRAWS, LAMBDA, REDUCE, START, with_options
from ._train import say_line

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

RESULTS, FIGURES, CHECKPOINTS = Path("results"), Path("figures"), Path("checkpoints")
AUTHORS_DATE = "2025-04-22"

Config = Annotated[str, option("CONFIG", "A configuration file, or a shipped name.")]
OptionalConfig = Annotated[
    str | None,
    option("CONFIG", "A configuration file, or a shipped name."),
]
Cuda = Annotated[bool, flag("--cuda", "Use a CUDA device.")]
Folder = Annotated[Path, option("DIR", "Folder of the checkpoints.", "--output-folder")]


@dataclass(frozen=True, kw_only=True)
class Files:
    """Configurations and checkpoints of the commands that measure."""

    dataset_config: OptionalConfig = None
    model_var_config: OptionalConfig = None
    train_config: OptionalConfig = None
    output_folder: Folder = CHECKPOINTS
    existing: Annotated[
        bool, flag("--existing", "Use the models that exist (not in run.py).")
    ] = False
    cuda: Cuda = False

    def where(self) -> dict[str, Any]:
        device = "cuda" if self.cuda else "cpu"
        return {"existing": self.existing, "device": device}


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


def train_variations(
    ctx: typer.Context,
    *,
    dataset_config: Config,
    model_var_config: Config,
    train_config: Config,
    output_folder: Folder = CHECKPOINTS,
    date_str: Annotated[
        str, option("DATE", "Date in the names of files. [default: today]")
    ] = "",
    train_seed: Annotated[int, option("SEED", "Replaces random_seed.")] = -1,
    train_epochs: Annotated[int, option("N", "Replaces train_steps.")] = 0,
    lr: Annotated[float, option("RATE", "Replaces learning_rate.")] = -1,
    weight_decay: Annotated[float | None, option("X", "Replaces weight_decay.")] = None,
    continue_from: Annotated[int, START] = 0,
    cuda: Cuda = False,
) -> None:
    """Train models as `run.py train-variations`; see `similitude closeness train`."""
    from .. import DatasetConfig, TrainConfig, load_config

    _check_options(ctx.args)
    steps = None
    if train_epochs > 0:
        points = load_config(dataset_config, DatasetConfig).num_points
        batch = load_config(train_config, TrainConfig).batch_size
        steps = train_epochs * -(-points // batch)
    experiment = _train.experiment(
        (dataset_config, model_var_config, train_config),
        models={},
        training={
            "train_steps": steps,
            "random_seed": train_seed if train_seed >= 0 else None,
            "learning_rate": lr if lr > 0 else None,
            "weight_decay": weight_decay,
        },
    )
    _train.train(
        experiment,
        output_folder,
        date=date_str or None,
        continue_from=continue_from,
        device="cuda" if cuda else "cpu",
        metrics="metrics",
    )


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
    for name, value in (("dist-type", dist_type), ("sum-or-max", sum_or_max)):
        allowed = ("max", "mean") if name == "dist-type" else ("sum", "max")
        if value not in allowed:
            raise InvalidInput(f"--{name} {value}: write {' or '.join(allowed)}.")
    say_line(
        "The defaults are those of the authors' code: weight 1, sum, 10 samples. The "
        "paper has weight 1e-5, max, 200: the defaults of `similitude closeness "
        "distances`."
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
    name = f"configs/model_variations_config_resnetcifar10_128_fd{final_dim}.json"
    experiment = _train.experiment(
        (
            models.dataset_config or "configs/cifar10_0_cls10.json",
            models.model_var_config or name,
            models.train_config or "configs/cifar10_0_32_ADAM_0_0001_20000steps.json",
        ),
        models={},
        training={},
    )
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
    output_folder: Folder = CHECKPOINTS,
    cuda: Cuda = False,
) -> None:
    """Draw a figure as `run.py make-plot`; see `similitude closeness figure`."""
    from ..figures import FigureRequest
    from ..results import last_losses

    _check_options(ctx.args)
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
    variations = f"configs/model_variations_config_{classes}_classes{suffix}.json"
    experiment = _train.experiment(
        configurations(
            classes,
            models.dataset_config,
            models.model_var_config or variations,
            models.train_config,
        ),
        models={"num_features": models.layer_size},
        training={},
    )
    if experiment.dataset.num_classes != classes:
        raise InvalidInput(
            f"--num-classes is {classes}, but the configurations have "
            f"{experiment.dataset.num_classes} classes."
        )
    table = measured(
        measure, experiment, models.output_folder, **models.where(), **options
    )
    say(str(table))
    for path in write(table, RESULTS, suffix):
        say_line(str(path))


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
