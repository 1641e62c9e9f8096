"""Configuration files of the closeness experiments: JSON of the authors' form, or TOML.

A file describes a data set, a set of models, or the training. Fields are checked
strictly: an unknown, missing or ill-typed field is an error that names it.
"""

import json
import tomllib
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from similitude.errors import InvalidInput, did_you_mean

__all__ = [
    "DatasetConfig",
    "TrainConfig",
    "VariationsConfig",
    "load_config",
    "replace_fields",
    "shipped_configs",
]

Count = Annotated[int, Field(ge=1)]
Seed = Annotated[int, Field(ge=0, lt=2**63)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Length = Annotated[int | float, Field(ge=0, allow_inf_nan=False)]


class _Config(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class DatasetConfig(_Config):
    """A data set. The last three fields exist in the authors' files, and must be 0."""

    dataset_name: Literal["radial_classification", "cifar10", "digits"]
    random_seed: Seed
    num_points: Count
    num_classes: Annotated[int, Field(ge=2)]
    equal_weighting_classes: bool = False
    min_length: Annotated[float, Field(ge=0, le=0)] = 0
    dist_scale: Annotated[float, Field(ge=0, le=0)] = 0
    vert_dist_scale: Annotated[float, Field(ge=0, le=0)] = 0


class VariationsConfig(_Config):
    """The models: every combination of widths, norm options and seeds.

    A value above 0 in `fix_length_gs` or `fix_length_fs` is the norm of all
    unembeddings or embeddings; 0 does not constrain them.
    """

    random_seeds: Annotated[tuple[Seed, ...], Field(min_length=1)]
    model_type: Literal[
        "SmallMLP", "SmallCIFAR10", "MedCIFAR10", "ResNetCIFAR10", "SmallResNetCIFAR10"
    ]
    target_type: Literal["CLASSIFICATION_MULTI", "CLASSIFICATION_BI", "REGRESSION"]
    nonlinearity: Literal["relu", "leaky_relu"]
    num_classes: Annotated[int, Field(ge=2)]
    num_features: Annotated[tuple[Count, ...], Field(min_length=1)]
    rep_dim: Count
    fix_length_gs: Annotated[tuple[Length, ...], Field(min_length=1)] = (0,)
    fix_length_fs: Annotated[tuple[Length, ...], Field(min_length=1)] = (0,)

    @model_validator(mode="after")
    def _check_duplicates(self) -> Self:
        for name in ("random_seeds", "num_features", "fix_length_gs", "fix_length_fs"):
            values = getattr(self, name)
            if len(set(values)) < len(values):
                raise ValueError(f"{name} contains a value twice")
        return self


class TrainConfig(_Config):
    """The training. It runs whole epochs, so at least `train_steps` steps."""

    dataset_name: Literal["radial_classification", "cifar10", "digits"]
    random_seed: Seed
    batch_size: Count
    train_steps: Count
    reduction: Literal["mean", "sum"] = "mean"
    use_forward_as_loss: bool = True
    learning_rate: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    optimizer_type: Literal["ADAM", "SGD"]
    weight_decay: NotNegative = 0.0


T = TypeVar("T", bound=_Config)


def shipped_configs() -> dict[str, Path]:
    """The configuration files in this package by name. They have the authors' values.

    Examples
    --------
    >>> "radial_classification_20000_0_cls4.json" in shipped_configs()
    True
    """
    folder = Path(str(resources.files(__package__))) / "configs"
    return {path.name: path for path in sorted(folder.glob("*.json"))}


def load_config(path: str | PathLike[str], kind: type[T]) -> T:
    """Read a configuration from a JSON or TOML file.

    If the file does not exist, a configuration of this package with the same name is
    used. So ``configs/radial_classification_20000_0_cls4.json`` works in any folder.

    Parameters
    ----------
    path
        A ``.toml`` file; every other file is JSON.
    kind
        `DatasetConfig`, `VariationsConfig` or `TrainConfig`.

    Examples
    --------
    >>> load_config("radial_classification_20000_0_cls4.json", DatasetConfig).num_points
    20000
    """
    path = find_config(path)
    content = path.read_bytes()
    try:
        if path.suffix == ".toml":
            content = json.dumps(tomllib.loads(content.decode())).encode()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, TypeError) as error:
        raise InvalidInput(f"{path} is not a TOML file of settings: {error}.") from None
    return _checked(kind, content, f"{path}: ")


def replace_fields(config: T, **changes: Any) -> T:
    """A copy with other values of some fields, which are checked.

    Examples
    --------
    >>> config = load_config("radial_classification_20000_0_cls4.json", DatasetConfig)
    >>> replace_fields(config, num_points=100).num_points
    100
    """
    return _checked(type(config), json.dumps(config.model_dump() | changes))


def find_config(path: str | PathLike[str]) -> Path:
    """The file itself if it exists, otherwise the one of this package."""
    path = Path(path)
    if path.is_file():
        return path
    shipped = shipped_configs()
    in_package = path.parent in {Path(), Path("configs")}
    if in_package and path.name in shipped:
        return shipped[path.name]
    hint = did_you_mean(path.name, shipped) if in_package else ""
    raise InvalidInput(f"{path} does not exist. Give a configuration file.{hint}")


def _checked(kind: type[T], content: str | bytes, file: str = "") -> T:
    """A configuration of JSON; an error begins with the name of the file."""
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        raise InvalidInput(f"{file}{_sentence(error, kind)}") from None


def _sentence(error: ValidationError, kind: type[_Config]) -> str:
    """The first problem of a file in one sentence."""
    first: Any = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    fields = list(kind.model_fields)
    if first["type"] == "json_invalid":
        reason = str(first["ctx"]["error"])
        return f"it is not JSON ({reason}). Correct the file, or name it .toml."
    if first["type"] == "extra_forbidden":
        hint = did_you_mean(key, fields)
        return f"unknown field {key!r}.{hint} The fields are {', '.join(fields)}."
    if first["type"] == "missing":
        return f"the field {key!r} is missing. The fields are {', '.join(fields)}."
    message = first["msg"].removeprefix("Value error, ")
    where = f"{key} is {first['input']!r}: " if key else ""
    return f"{where}{message[0].lower()}{message[1:]}."
