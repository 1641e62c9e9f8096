"""The commands of the authors' `run.py`, with its options, files and defaults."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from similitude.errors import InvalidInput
from similitude.plugins import progress, resume_line, say

from . import _train
from ._measure import configurations

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

Config = Annotated[str, typer.Option(help="A configuration file, or a shipped name.")]
OptionalConfig = Annotated[
    str | None, typer.Option(help="A configuration file, or a shipped name.")
]
Cuda = Annotated[bool, typer.Option("--cuda", help="Use a CUDA device.")]
Existing = Annotated[
    bool, typer.Option("--existing", help="Use the models that exist (not in run.py).")
]
Folder = Annotated[
    Path, typer.Option("--output-folder", help="Folder of the checkpoints.")
]


def train_variations(
    ctx: typer.Context,
    *,
    dataset_config: Config,
    model_var_config: Config,
    train_config: Config,
    output_folder: Folder = CHECKPOINTS,
    date_str: Annotated[str, typer.Option(help="[default: today]")] = "",
    train_seed: Annotated[int, typer.Option(help="Replaces random_seed.")] = -1,
    train_epochs: Annotated[int, typer.Option(help="Replaces train_steps.")] = 0,
    lr: Annotated[float, typer.Option(help="Replaces learning_rate.")] = -1,
    weight_decay: Annotated[
        float | None, typer.Option(help="Replaces weight_decay.")
    ] = None,
    continue_from: Annotated[
        int, typer.Option(help="Start from the models of this number of steps.")
    ] = 0,
    cuda: Cuda = False,
) -> None:
    """Train models as `run.py train-variations`; see `similitude closeness train`."""
    from .. import DatasetConfig, TrainConfig, load_config, train_models

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
    kept = f"the last checkpoints are kept in {output_folder}"
    with resume_line(kept), progress("steps") as report:
        train_models(
            experiment,
            output_folder,
            date=date_str or None,
            continue_from=continue_from,
            device="cuda" if cuda else "cpu",
            metrics="metrics",
            progress=report,
            say=say_line,
        )
    say_line(f"Models: {output_folder}")


def get_distances(
    ctx: typer.Context,
    *,
    date_str: Annotated[str, typer.Option(help="Date in the names of checkpoints.")],
    layer_size: Annotated[str, typer.Option(help="Widths, as in 16,32.")],
    num_classes: Annotated[int, typer.Option(help="K.")],
    dist_type: Annotated[str, typer.Option(help="max or mean.")],
    dataset_config: OptionalConfig = None,
    model_var_config: OptionalConfig = None,
    train_config: OptionalConfig = None,
    output_folder: Folder = CHECKPOINTS,
    num_samples: Annotated[int, typer.Option(help="Random sets of inputs.")] = 10,
    weight: Annotated[float, typer.Option(help="lambda.")] = 1.0,
    sum_or_max: Annotated[str, typer.Option(help="sum or max of the terms.")] = "sum",
    extra_suff: Annotated[
        str, typer.Option(help="End of the name of the model configuration.")
    ] = "",
    use_train: Annotated[
        bool, typer.Option("--use-train", help="Use the training set.")
    ] = False,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of the sets (not in run.py).")
    ] = 0,
    existing: Existing = False,
    cuda: Cuda = False,
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
    experiment = _experiment(
        num_classes,
        (dataset_config, model_var_config, train_config),
        layer_size,
        extra_suff,
    )
    with resume_line("no file was written"), progress("rows") as report:
        table = measure_distances(
            experiment,
            output_folder,
            date=date_str,
            split="train" if use_train else "test",
            weight=weight,
            aggregate=sum_or_max,  # type: ignore[arg-type]
            reduce=dist_type,  # type: ignore[arg-type]
            draws=num_samples,
            seed=seed,
            compat=True,
            existing=existing,
            device="cuda" if cuda else "cpu",
            progress=report,
            say=say_line,
        )
    say(str(table))
    for path in write_authors_distances(table, RESULTS, extra_suff):
        say_line(str(path))


def get_accuracies(
    ctx: typer.Context,
    *,
    date_str: Annotated[str, typer.Option(help="Date in the names of checkpoints.")],
    layer_size: Annotated[str, typer.Option(help="Widths, as in 16,32.")],
    num_classes: Annotated[int, typer.Option(help="K.")],
    dataset_config: OptionalConfig = None,
    model_var_config: OptionalConfig = None,
    train_config: OptionalConfig = None,
    output_folder: Folder = CHECKPOINTS,
    extra_suff: Annotated[
        str, typer.Option(help="End of the name of the model configuration.")
    ] = "",
    use_train: Annotated[
        bool, typer.Option("--use-train", help="Use the training set.")
    ] = False,
    existing: Existing = False,
    cuda: Cuda = False,
) -> None:
    """Measure accuracies as `run.py get-accuracies`; see `closeness accuracies`."""
    from ..results import measure_accuracies, write_authors_accuracies

    _check_options(ctx.args)
    experiment = _experiment(
        num_classes,
        (dataset_config, model_var_config, train_config),
        layer_size,
        extra_suff,
    )
    with resume_line("no file was written"), progress("rows") as report:
        table = measure_accuracies(
            experiment,
            output_folder,
            date=date_str,
            split="train" if use_train else "test",
            existing=existing,
            device="cuda" if cuda else "cpu",
            progress=report,
            say=say_line,
        )
    say(str(table))
    for path in write_authors_accuracies(table, RESULTS, extra_suff):
        say_line(str(path))


def cal_mcca(
    ctx: typer.Context,
    *,
    final_dim: Annotated[int, typer.Option(min=1, help="M.")],
    date_str: Annotated[str, typer.Option(help="Date in names.")] = AUTHORS_DATE,
    dataset_config: OptionalConfig = None,
    model_var_config: OptionalConfig = None,
    train_config: OptionalConfig = None,
    output_folder: Folder = CHECKPOINTS,
    existing: Existing = False,
    cuda: Cuda = False,
) -> None:
    """Measure m_CCA of CIFAR-10 models as `run.py cal-mcca`; see `closeness mcca`."""
    from ..results import measure_mcca, write_authors_mcca

    _check_options(ctx.args)
    experiment = _train.experiment(
        image_configurations(final_dim, dataset_config, model_var_config, train_config),
        models={},
        training={},
    )
    tables = []
    kept = f"the rows so far are kept in {RESULTS}"
    for split in ("train", "test"):
        with resume_line(kept), progress("rows") as report:
            table = measure_mcca(
                experiment,
                output_folder,
                RESULTS,
                date=date_str or AUTHORS_DATE,
                split=split,
                existing=existing,
                device="cuda" if cuda else "cpu",
                progress=report,
                say=say_line,
            )
        tables.append(table)
    say(str(tables[1]))
    say_line(str(write_authors_mcca(tables[0], tables[1], RESULTS)))


def make_plot(
    ctx: typer.Context,
    *,
    plot_type: Annotated[str, typer.Option(help="As `closeness figure TYPE`.")],
    num_classes: Annotated[int, typer.Option(help="K of synthetic_data.")] = 6,
    date_str: Annotated[str, typer.Option(help="Date in names.")] = "",
    output_folder: Folder = CHECKPOINTS,
    cuda: Cuda = False,
) -> None:
    """Draw a figure as `run.py make-plot`; see `similitude closeness figure`."""
    from ..figures import draw_figure, last_losses

    _check_options(ctx.args)
    if cuda:
        from ...training._device import check_device

        check_device("cuda")
    if plot_type == "loss_diff_vs_mcca":
        last_losses(RESULTS, Path("metrics"), date_str or AUTHORS_DATE)
    with progress("rows") as report:
        drawn = draw_figure(
            plot_type,
            results=RESULTS,
            checkpoints=output_folder,
            output=FIGURES,
            compute=plot_type in {"d_LLV_constructed", "KL_table"},
            num_classes=num_classes,
            each_setting=True,
            date=date_str or None,
            progress=report,
            say=say_line,
        )
    if drawn.text:
        say(drawn.text)
    for path in drawn.files:
        say_line(str(path))


def image_configurations(
    dim: int, dataset: str | None, models: str | None, train: str | None
) -> tuple[str, str, str]:
    return (
        dataset or "configs/cifar10_0_cls10.json",
        models or f"configs/model_variations_config_resnetcifar10_128_fd{dim}.json",
        train or "configs/cifar10_0_32_ADAM_0_0001_20000steps.json",
    )


def _experiment(
    classes: int,
    paths: tuple[str | None, str | None, str | None],
    layer_size: str,
    suffix: str,
) -> Any:
    dataset, models, train = paths
    if models is None:
        models = f"configs/model_variations_config_{classes}_classes{suffix}.json"
    experiment = _train.experiment(
        configurations(classes, (dataset, models, train)),
        models={"num_features": layer_size},
        training={},
    )
    if experiment.dataset.num_classes != classes:
        raise InvalidInput(
            f"--num-classes is {classes}, but the configurations have "
            f"{experiment.dataset.num_classes} classes."
        )
    return experiment


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


def say_line(text: str) -> None:
    say(text, err=True)
