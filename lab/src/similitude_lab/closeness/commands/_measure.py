"""`similitude closeness distances|accuracies|mcca`: measure all models of a setting."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from similitude import config
from similitude.errors import InvalidInput
from similitude.plugins import progress, resume_line, say

from ..._options import flag, option
from . import _train
from ._options import (
    DATASET,
    DIR,
    DRAWS,
    LAMBDA,
    MODELS,
    NORMS_F,
    NORMS_G,
    REDUCE,
    SEEDS,
    TRAINING,
    WIDTHS,
    with_options,
)
from ._train import say_line

Workers = Annotated[int | None, option("N", "Number of processes. [default: 1]", min=1)]


@dataclass(frozen=True, kw_only=True)
class Models:
    """The models to measure, where they are, and where the rows are written."""

    num_classes: Annotated[
        int | None, option("K", "K: use the shipped configurations of radial data.")
    ] = None
    dataset_config: Annotated[str | None, DATASET] = None
    model_var_config: Annotated[str | None, MODELS] = None
    train_config: Annotated[str | None, TRAINING] = None
    checkpoints: Annotated[Path, option("DIR", "Folder of the checkpoints.")] = DIR
    results: Annotated[Path, option("DIR", "Folder of the results.")] = Path("results")
    date_str: Annotated[
        str | None,
        option("DATE", "Date in the names of the checkpoints. [default: the only one]"),
    ] = None
    seeds: Annotated[str | None, SEEDS] = None
    widths: Annotated[str | None, WIDTHS] = None
    fix_length_f: Annotated[str | None, NORMS_F] = None
    fix_length_g: Annotated[str | None, NORMS_G] = None
    use_train: Annotated[
        bool, flag("--use-train", "Use the training set, not the test set.")
    ] = False
    existing: Annotated[bool, flag("--existing", "Use the models that exist.")] = False
    cuda: Annotated[bool, flag("--cuda", "Run networks on a CUDA device.")] = False
    csv: Annotated[
        Path | None, option("FILE", "Also write all rows to a CSV file.")
    ] = None


@with_options(Models)
def distances(
    models: Models,
    *,
    weight: Annotated[float, LAMBDA] = 1e-5,
    aggregate: Annotated[
        str, option("max|sum", "Aggregation of the four terms.")
    ] = "max",
    reduce: Annotated[str, REDUCE] = "max",
    draws: Annotated[int, DRAWS] = 200,
    seed: Annotated[int, option("SEED", "Seed of these sets.", min=0)] = 0,
    workers: Workers = None,
) -> None:
    """Measure d_LLV, d_fg and KL between all seeds of each setting.

    Rows are written to the results folder as they are computed. To resume an
    interrupted run, run the same command again. The defaults are those of the paper.
    """
    from ..results import measure_distances

    _run(
        measure_distances,
        models,
        workers,
        weight=weight,
        aggregate=aggregate,
        reduce=reduce,
        draws=draws,
        seed=seed,
    )


@with_options(Models)
def accuracies(models: Models) -> None:
    """Measure the accuracy and the loss of each model.

    The loss is the mean negative log-likelihood. To resume an interrupted run, run the
    same command again.
    """
    from ..results import measure_accuracies

    _run(measure_accuracies, models, None)


@with_options(Models)
def mcca(models: Models, *, workers: Workers = None) -> None:
    """Measure mean canonical correlations between all seeds of each setting.

    There is one number for the embeddings f and one for the unembeddings g. To resume
    an interrupted run, run the same command again.
    """
    from ..results import measure_mcca

    _run(measure_mcca, models, workers)


def configurations(
    classes: int | None, dataset: str | None, models: str | None, train: str | None
) -> tuple[str, str, str]:
    """The three configurations: given files, or the shipped ones for K classes."""
    if classes is None and None in {dataset, models, train}:
        raise InvalidInput(
            "give --num-classes for the shipped configurations, or --dataset-config, "
            "--model-var-config and --train-config."
        )
    return (
        dataset or f"configs/radial_classification_20000_0_cls{classes}.json",
        models or f"configs/model_variations_config_{classes}_classes.json",
        train or "configs/radial_classification_0_128_ADAM_0_0001.json",
    )


def measured(
    measure: Callable[..., Any],
    experiment: Any,
    checkpoints: Path,
    results: Path | None = None,
    **options: Any,
) -> Any:
    """The table of a function that measures, with progress and a line on Ctrl-C."""
    kept = "no file was written"
    if results is not None:
        kept = f"the rows so far are kept in {results}"
    with resume_line(kept), progress("rows") as report:
        return measure(
            experiment, checkpoints, results, progress=report, say=say_line, **options
        )


def _run(
    measure: Callable[..., Any], models: Models, workers: int | None, **options: Any
) -> None:
    """Measure, print the means, and say where the rows are."""
    from ..results import only_date

    experiment = _train.experiment(
        configurations(
            models.num_classes,
            models.dataset_config,
            models.model_var_config,
            models.train_config,
        ),
        models={
            "random_seeds": models.seeds,
            "num_features": models.widths,
            "fix_length_fs": models.fix_length_f,
            "fix_length_gs": models.fix_length_g,
        },
        training={},
    )
    settings: dict[str, Any] = {} if workers is None else {"workers": workers}
    block: AbstractContextManager[Any] = config(**settings)
    with block:
        table = measured(
            measure,
            experiment,
            models.checkpoints,
            models.results,
            date=models.date_str or only_date(experiment, models.checkpoints),
            split="train" if models.use_train else "test",
            existing=models.existing,
            device="cuda" if models.cuda else "cpu",
            **options,
        )
    say(str(table))
    if models.csv is not None:
        table.to_csv(models.csv)
    say_line(f"Results: {models.results / table.kind}")
