"""`similitude closeness distances|accuracies|mcca`: measure all models of a setting."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any

import typer

from similitude import config
from similitude.errors import InvalidInput
from similitude.plugins import progress, resume_line, say

from . import _train

Classes = Annotated[
    int | None,
    typer.Option(help="K: use the shipped configurations of radial data."),
]
DatasetConfig = Annotated[
    str | None, typer.Option(help="Data set: a JSON or TOML file, or a shipped name.")
]
ModelConfig = Annotated[
    str | None, typer.Option(help="Models: a JSON or TOML file, or a shipped name.")
]
TrainConfig = Annotated[
    str | None, typer.Option(help="Training: a JSON or TOML file, or a shipped name.")
]
Checkpoints = Annotated[Path, typer.Option(help="Folder of the checkpoints.")]
Results = Annotated[Path, typer.Option(help="Folder of the results.")]
DateStr = Annotated[
    str | None,
    typer.Option(help="Date in the names of the checkpoints. [default: the only one]"),
]
Seeds = Annotated[
    str | None, typer.Option(help="Seeds, as in 0-19 or 0,3,5. [default: all]")
]
Widths = Annotated[str | None, typer.Option(help="As in 16,32. [default: all]")]
FixF = Annotated[
    str | None, typer.Option(help="Norms of f, as in 0,20; 0 is free. [default: all]")
]
FixG = Annotated[
    str | None, typer.Option(help="Norms of g, as in 0,20; 0 is free. [default: all]")
]
UseTrain = Annotated[
    bool, typer.Option("--use-train", help="Use the training set, not the test set.")
]
Existing = Annotated[
    bool, typer.Option("--existing", help="Use the models that exist.")
]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Number of processes. [default: 1]")
]
Cuda = Annotated[bool, typer.Option("--cuda", help="Run networks on a CUDA device.")]
Csv = Annotated[Path | None, typer.Option(help="Also write all rows to a CSV file.")]


def distances(
    *,
    num_classes: Classes = None,
    dataset_config: DatasetConfig = None,
    model_var_config: ModelConfig = None,
    train_config: TrainConfig = None,
    checkpoints: Checkpoints = Path("checkpoints"),
    results: Results = Path("results"),
    date_str: DateStr = None,
    seeds: Seeds = None,
    widths: Widths = None,
    fix_length_f: FixF = None,
    fix_length_g: FixG = None,
    weight: Annotated[float, typer.Option(help="lambda, of t3 and t4.")] = 1e-5,
    aggregate: Annotated[
        str, typer.Option(help="max or sum of the four terms.")
    ] = "max",
    reduce: Annotated[
        str, typer.Option(help="max or mean over the entries of a term.")
    ] = "max",
    draws: Annotated[int, typer.Option(help="Random sets of inputs.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Seed of these sets.")] = 0,
    use_train: UseTrain = False,
    existing: Existing = False,
    workers: Workers = None,
    cuda: Cuda = False,
    csv: Csv = None,
) -> None:
    """Measure d_LLV, d_fg and KL between all seeds of each setting.

    Rows are written to the results folder as they are computed. To resume an
    interrupted run, run the same command again. The defaults are those of the paper.
    """
    from ..results import measure_distances

    experiment = _experiment(
        num_classes,
        (dataset_config, model_var_config, train_config),
        (seeds, widths, fix_length_f, fix_length_g),
    )
    options = {
        "weight": weight,
        "aggregate": aggregate,
        "reduce": reduce,
        "draws": draws,
        "seed": seed,
    }
    _run(
        measure_distances,
        (experiment, checkpoints, results, date_str),
        options,
        use_train=use_train,
        existing=existing,
        workers=workers,
        cuda=cuda,
        csv=csv,
    )


def accuracies(
    *,
    num_classes: Classes = None,
    dataset_config: DatasetConfig = None,
    model_var_config: ModelConfig = None,
    train_config: TrainConfig = None,
    checkpoints: Checkpoints = Path("checkpoints"),
    results: Results = Path("results"),
    date_str: DateStr = None,
    seeds: Seeds = None,
    widths: Widths = None,
    fix_length_f: FixF = None,
    fix_length_g: FixG = None,
    use_train: UseTrain = False,
    existing: Existing = False,
    cuda: Cuda = False,
    csv: Csv = None,
) -> None:
    """Measure the accuracy and the loss of each model.

    The loss is the mean negative log-likelihood. To resume an interrupted run, run the
    same command again.
    """
    from ..results import measure_accuracies

    experiment = _experiment(
        num_classes,
        (dataset_config, model_var_config, train_config),
        (seeds, widths, fix_length_f, fix_length_g),
    )
    _run(
        measure_accuracies,
        (experiment, checkpoints, results, date_str),
        {},
        use_train=use_train,
        existing=existing,
        workers=None,
        cuda=cuda,
        csv=csv,
    )


def mcca(
    *,
    num_classes: Classes = None,
    dataset_config: DatasetConfig = None,
    model_var_config: ModelConfig = None,
    train_config: TrainConfig = None,
    checkpoints: Checkpoints = Path("checkpoints"),
    results: Results = Path("results"),
    date_str: DateStr = None,
    seeds: Seeds = None,
    widths: Widths = None,
    fix_length_f: FixF = None,
    fix_length_g: FixG = None,
    use_train: UseTrain = False,
    existing: Existing = False,
    workers: Workers = None,
    cuda: Cuda = False,
    csv: Csv = None,
) -> None:
    """Measure mean canonical correlations between all seeds of each setting.

    There is one number for the embeddings f and one for the unembeddings g. To resume
    an interrupted run, run the same command again.
    """
    from ..results import measure_mcca

    experiment = _experiment(
        num_classes,
        (dataset_config, model_var_config, train_config),
        (seeds, widths, fix_length_f, fix_length_g),
    )
    _run(
        measure_mcca,
        (experiment, checkpoints, results, date_str),
        {},
        use_train=use_train,
        existing=existing,
        workers=workers,
        cuda=cuda,
        csv=csv,
    )


def configurations(
    classes: int | None, paths: tuple[str | None, str | None, str | None]
) -> tuple[str, str, str]:
    """The three configurations: given files, or the shipped ones for K classes."""
    dataset, models, train = paths
    if classes is None and None in paths:
        raise InvalidInput(
            "give --num-classes for the shipped configurations, or --dataset-config, "
            "--model-var-config and --train-config."
        )
    return (
        dataset or f"configs/radial_classification_20000_0_cls{classes}.json",
        models or f"configs/model_variations_config_{classes}_classes.json",
        train or "configs/radial_classification_0_128_ADAM_0_0001.json",
    )


def _experiment(
    classes: int | None,
    paths: tuple[str | None, str | None, str | None],
    chosen: tuple[str | None, str | None, str | None, str | None],
) -> Any:
    names = ("random_seeds", "num_features", "fix_length_fs", "fix_length_gs")
    return _train.experiment(
        configurations(classes, paths),
        models=dict(zip(names, chosen, strict=True)),
        training={},
    )


def _run(
    measure: Callable[..., Any],
    where: tuple[Any, Path, Path, str | None],
    options: dict[str, Any],
    *,
    use_train: bool,
    existing: bool,
    workers: int | None,
    cuda: bool,
    csv: Path | None,
) -> None:
    """Measure, print the means, and say where the rows are."""
    from ..results import only_date

    experiment, checkpoints, results, date = where
    settings: dict[str, Any] = {} if workers is None else {"workers": workers}
    block: AbstractContextManager[Any] = config(**settings)
    kept = f"the rows so far are kept in {results}"
    with block, resume_line(kept), progress("rows") as report:
        table = measure(
            experiment,
            checkpoints,
            results,
            date=only_date(experiment, checkpoints) if date is None else date,
            split="train" if use_train else "test",
            existing=existing,
            device="cuda" if cuda else "cpu",
            progress=report,
            say=lambda text: say(text, err=True),
            **options,
        )
    say(str(table))
    if csv is not None:
        table.to_csv(csv)
    say(f"Results: {results / table.kind}", err=True)
