"""`similitude closeness distances|accuracies|mcca`: measure all models of a setting."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from similitude import config
from similitude.errors import InvalidInput
from similitude.plugins import progress, resume_line, say

from ..._options import flag, option
from .. import Experiment, load_experiment
from ..training._setting import radial_configurations
from ._options import (
    DATASET,
    DIR,
    DRAWS,
    LAMBDA,
    MODELS,
    REDUCE,
    TRAINING,
    Variations,
    say_line,
    with_options,
)

Workers = Annotated[int | None, option("N", "Number of processes. [default: 1]", min=1)]


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Configurations of the models to measure, and how their networks are run."""

    dataset_config: Annotated[str | None, DATASET] = None
    model_var_config: Annotated[str | None, MODELS] = None
    train_config: Annotated[str | None, TRAINING] = None
    existing: Annotated[bool, flag("--existing", "Use the models that exist.")] = False
    cuda: Annotated[bool, flag("--cuda", "Run networks on a CUDA device.")] = False

    def experiment(
        self, default: tuple[str, str, str], models: Mapping[str, Any]
    ) -> Experiment:
        """The given configurations, or default ones; `models` replaces fields."""
        given = (self.dataset_config, self.model_var_config, self.train_config)
        pairs = zip(given, default, strict=True)
        files = [path or f"configs/{name}" for path, name in pairs]
        return load_experiment(files, models=models)

    def where(self) -> dict[str, Any]:
        device = "cuda" if self.cuda else "cpu"
        return {"existing": self.existing, "device": device}


@dataclass(frozen=True, kw_only=True)
class Models(Variations, Sources):
    """The models to measure, where they are, and where the rows are written."""

    num_classes: Annotated[
        int | None, option("K", "K: use the shipped configurations of radial data.")
    ] = None
    checkpoints: Annotated[Path, option("DIR", "Folder of the checkpoints.")] = DIR
    results: Annotated[Path, option("DIR", "Folder of the results.")] = Path("results")
    date_str: Annotated[
        str | None,
        option("DATE", "Date in the names of the checkpoints. [default: the only one]"),
    ] = None
    use_train: Annotated[
        bool, flag("--use-train", "Use the training set, not the test set.")
    ] = False
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

    options = {"weight": weight, "aggregate": aggregate, "reduce": reduce}
    _run(measure_distances, models, workers, draws=draws, seed=seed, **options)


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


def measured(
    measure: Callable[..., Any],
    experiment: Experiment,
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

    given = (models.dataset_config, models.model_var_config, models.train_config)
    if models.num_classes is None and None in given:
        raise InvalidInput(
            "give --num-classes for the shipped configurations, or --dataset-config, "
            "--model-var-config and --train-config."
        )
    default = radial_configurations(models.num_classes)
    experiment = models.experiment(default, models.fields())
    options |= models.where()
    settings = {} if workers is None else {"workers": workers}
    with config(**settings):
        table = measured(
            measure,
            experiment,
            models.checkpoints,
            models.results,
            date=models.date_str or only_date(experiment, models.checkpoints),
            split="train" if models.use_train else "test",
            **options,
        )
    say(str(table))
    if models.csv is not None:
        table.to_csv(models.csv)
    say_line(f"Results: {models.results / table.kind}")
