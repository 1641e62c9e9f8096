"""An experiment: all models of three configurations, and the names of their files."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from similitude.errors import InvalidInput

from ..data import CloseDistName
from ._config import (
    DatasetConfig,
    TrainConfig,
    VariationsConfig,
    load_config,
    replace_fields,
)

if TYPE_CHECKING:
    from ..networks import SoftmaxNetworks

__all__ = ["SHIPPED", "Experiment", "Setting", "load_experiment"]

Changes = Mapping[str, Any]


class Model(BaseModel):
    """Architecture of a model, without the number of classes."""

    model_config = ConfigDict(extra="forbid", strict=True)
    model_type: str
    nonlinearity: str
    width: int
    dim: int
    fix_length_f: int | float
    fix_length_g: int | float


def radial_configurations(classes: int | None, end: str = "") -> tuple[str, str, str]:
    """The authors' configurations of radial data with K classes."""
    return (
        f"radial_classification_20000_0_cls{classes}.json",
        f"model_variations_config_{classes}_classes{end}.json",
        "radial_classification_0_128_ADAM_0_0001.json",
    )


def image_configurations(dim: int) -> tuple[str, str, str]:
    """The authors' configurations of image models with M dimensions."""
    return (
        "cifar10_0_cls10.json",
        f"model_variations_config_resnetcifar10_128_fd{dim}.json",
        "cifar10_0_32_ADAM_0_0001_20000steps.json",
    )


#: Data set -> the authors' configurations of the data, the models and the training.
SHIPPED = {
    "radial_classification": radial_configurations(4),
    "cifar10": image_configurations(2),
}


@dataclass(frozen=True)
class Setting:
    """One architecture, one data set and one training; its models differ by seed."""

    dataset: DatasetConfig
    train: TrainConfig
    model_type: str
    nonlinearity: str
    width: int
    dim: int
    fix_length_f: float = 0
    fix_length_g: float = 0

    @property
    def classes(self) -> int:
        return self.dataset.num_classes

    def name(
        self, seed: int, date: str, *, trained: bool = True, steps: int | None = None
    ) -> CloseDistName:
        """The name of a checkpoint; `str` of it is the stem of the file.

        Parameters
        ----------
        seed, date
            Seed of the model, and a date as in 2025-04-22.
        trained
            False: the name of the untrained model.
        steps
            Nominal number of steps. [default: the number in the configuration]
        """
        fields: dict[str, int | float] = {}
        if trained:
            fields["points"] = self.dataset.num_points
            fields["learning_rate"] = self.train.learning_rate
            fields["steps"] = self.train.train_steps if steps is None else steps
        name = CloseDistName(
            date=date,
            stage="trained" if trained else "untrained",
            dataset=self.dataset.dataset_name,
            classes=self.classes,
            seed=seed,
            **{k: v for k, v in self.architecture.items() if k != "nonlinearity"},
            **fields,  # type: ignore[arg-type]
        )
        return CloseDistName.parse(str(name))  # an invalid date raises

    def networks(self, seed: int) -> "SoftmaxNetworks":
        """The untrained networks f and g of a seed."""
        from ..networks import SoftmaxNetworks

        return SoftmaxNetworks(self.classes, seed=seed, **self.architecture)

    @property
    def architecture(self) -> dict[str, Any]:
        """The fields of `Model`."""
        return {name: getattr(self, name) for name in Model.model_fields}

    def total_steps(self, samples: int, done: int = 0) -> int:
        """Nominal number of steps after `done` ones, rounded up to whole epochs."""
        per_epoch = math.ceil(samples / self.train.batch_size)
        return math.ceil((self.train.train_steps - done) / per_epoch) * per_epoch

    def __str__(self) -> str:
        norms = f"norms f={self.fix_length_f} g={self.fix_length_g}"
        sizes = f"K={self.classes} W={self.width} M={self.dim}"
        return f"{self.model_type} {sizes} {norms}"


@dataclass(frozen=True)
class Experiment:
    """Three configurations that belong together.

    Examples
    --------
    >>> experiment = load_experiment(SHIPPED["radial_classification"])
    >>> settings = list(experiment.settings())
    >>> len(settings), settings[0].total_steps(20_000)
    (20, 15072)
    >>> str(settings[0].name(3, "2025-04-22", trained=False))
    '2025-04-22untrained_radial_classification_SmallMLP_classes4_seed3_features16_fd2'
    """

    dataset: DatasetConfig
    variations: VariationsConfig
    train: TrainConfig

    def __post_init__(self) -> None:
        a, b = self.dataset.num_classes, self.variations.num_classes
        if a != b:
            raise InvalidInput(
                f"num_classes is {a} in the configuration of the data set and {b} in "
                f"that of the models; use configurations with the same number."
            )
        data, name = self.dataset.dataset_name, self.train.dataset_name
        if data != name:
            raise InvalidInput(
                f"dataset_name is {data!r} in the configuration of the data set and "
                f"{name!r} in that of the training; use configurations of one data set."
            )
        model = self.variations.model_type
        if (model == "SmallMLP") != (data == "radial_classification"):
            raise InvalidInput(
                f"model_type {model!r} does not fit the data set {data!r}: SmallMLP is "
                f"for radial_classification, the other types are for images."
            )
        if not self.train.use_forward_as_loss:
            raise InvalidInput(
                "use_forward_as_loss is false; the loss is the negative log-likelihood "
                "of the model, so set it to true."
            )
        if self.variations.target_type == "REGRESSION":
            raise InvalidInput(
                "target_type is 'REGRESSION', but these models classify; write "
                "CLASSIFICATION_MULTI."
            )

    def settings(self) -> Iterator[Setting]:
        """All settings: widths, then norms of g, then norms of f."""
        models = self.variations
        kind = (models.model_type, models.nonlinearity)
        norms = (models.fix_length_gs, models.fix_length_fs)
        for width, g, f in product(models.num_features, *norms):
            sizes = {"width": width, "dim": models.rep_dim}
            lengths = {"fix_length_f": f, "fix_length_g": g}
            yield Setting(self.dataset, self.train, *kind, **sizes, **lengths)  # type: ignore[arg-type, misc]


def load_experiment(
    files: Sequence[str],
    *,
    dataset: Changes | None = None,
    models: Changes | None = None,
    training: Changes | None = None,
) -> Experiment:
    """Read the three configurations; other values replace some of their fields.

    Parameters
    ----------
    files
        Configurations of the data set, the models and the training, as in
        `load_config`. `SHIPPED` has those of the authors.
    dataset, models, training
        Fields and their values, which are checked.
    """
    data, variations, train = files
    return Experiment(
        replace_fields(load_config(data, DatasetConfig), **dataset or {}),
        replace_fields(load_config(variations, VariationsConfig), **models or {}),
        replace_fields(load_config(train, TrainConfig), **training or {}),
    )


def seed_ranges(seeds: Sequence[int]) -> str:
    """Seeds as in 0-19 or 0,2-4."""
    ordered = sorted(seeds)
    starts = [0, *(i for i, (a, b) in enumerate(pairwise(ordered), 1) if b > a + 1)]
    parts = []
    for start, end in pairwise([*starts, len(ordered)]):
        first, last = ordered[start], ordered[end - 1]
        parts.append(str(first) if first == last else f"{first}-{last}")
    return ",".join(parts)
