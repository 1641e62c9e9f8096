"""Names and contents of the checkpoints of the close-dist-rep-sim repository."""

import contextlib
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from similitude.errors import InvalidInput, require

__all__ = [
    "CloseDistCheckpoint",
    "CloseDistName",
    "find_close_dist_checkpoints",
    "read_close_dist_checkpoint",
]

_PATTERN = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)(?P<stage>trained|untrained)"
    r"_(?P<dataset>radial_classification|cifar10|digits)_(?P<model_type>[A-Za-z0-9]+)"
    r"(?:_fixf(?P<fix_length_f>\d+(?:_\d+)?))?"
    r"(?:_fixg(?P<fix_length_g>\d+(?:_\d+)?))?"
    r"_classes(?P<classes>\d+)_seed(?P<seed>\d+)"
    r"_features(?P<width>\d+)_fd(?P<dim>\d+)"
    r"(?:_data(?P<points>\d+)_lr(?P<learning_rate>[\d_]+(?:e-?\d+)?)"
    r"_steps(?P<steps>\d+))?"
)
_SUFFIX = ".safetensors"  # of our files; those of the authors have no suffix


@dataclass(frozen=True, order=True, kw_only=True)
class CloseDistName:
    """The fields of a checkpoint name; `str` returns the name.

    >>> name = CloseDistName.parse(
    ...     "2025-04-22untrained_radial_classification_SmallMLP_classes4_seed3"
    ...     "_features16_fd2"
    ... )
    >>> name.classes, name.width, name.seed, name.steps
    (4, 16, 3, None)
    """

    date: str
    stage: Literal["trained", "untrained"]
    dataset: str
    model_type: str
    classes: int
    width: int
    dim: int
    seed: int
    fix_length_f: float = 0  # 0: not constrained
    fix_length_g: float = 0
    points: int | None = None  # size of the training set; None if untrained
    learning_rate: float | None = None
    steps: int | None = None  # nominal: training runs whole epochs

    @classmethod
    def parse(cls, text: str) -> "CloseDistName":
        match = _PATTERN.fullmatch(text)
        if match is None:
            raise InvalidInput(
                f"{text!r} is not the name of a close-dist checkpoint. Names have the "
                f"form {{date}}trained_{{dataset}}_{{model}}_classes4_seed0_features16"
                f"_fd2_data20000_lr0_0001_steps15000."
            )
        fields: dict[str, Any] = {k: v for k, v in match.groupdict().items() if v}
        if (fields["stage"] == "trained") != ("steps" in fields):
            raise InvalidInput(
                f"{text!r}: the name of a trained checkpoint must have data, learning "
                f"rate and steps; that of an untrained one must not."
            )
        for key, value in fields.items():
            if value.isdecimal() and key != "learning_rate":
                fields[key] = int(value)
            elif key in {"learning_rate", "fix_length_f", "fix_length_g"}:
                fields[key] = float(value.replace("_", "."))
        return cls(**fields)

    def __str__(self) -> str:
        fixed = f"_fixf{_digits(self.fix_length_f)}" if self.fix_length_f else ""
        fixed += f"_fixg{_digits(self.fix_length_g)}" if self.fix_length_g else ""
        text = (
            f"{self.date}{self.stage}_{self.dataset}_{self.model_type}{fixed}"
            f"_classes{self.classes}_seed{self.seed}"
            f"_features{self.width}_fd{self.dim}"
        )
        if self.stage == "untrained":
            return text
        rate = _digits(self.learning_rate)
        return f"{text}_data{self.points}_lr{rate}_steps{self.steps}"

    @property
    def architecture(self) -> dict[str, Any]:
        """Keyword arguments for `similitude_lab.closeness.networks.SoftmaxNetworks`."""
        names = ("classes", "width", "dim", "fix_length_f", "fix_length_g")
        return {"model_type": self.model_type} | {n: getattr(self, n) for n in names}


def _digits(value: float | None) -> str:
    """A number in a file name: 0.0001 is 0_0001."""
    return str(value).replace(".", "_")


@dataclass(frozen=True, eq=False)
class CloseDistCheckpoint:
    """A state dictionary of torch tensors on the CPU, and the parsed name."""

    name: CloseDistName
    state: Mapping[str, Any]


def find_close_dist_checkpoints(
    folder: str | PathLike[str],
) -> dict[CloseDistName, Path]:
    """Find the checkpoints in a folder by their names, without reading them.

    These are the files of the authors, and ours, which end with ``.safetensors``. If a
    folder has both files of a name, ours is returned. They are sorted by dataset,
    architecture, stage and seed. Files with other names are ignored.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InvalidInput(f"folder: {folder} is not a folder. Give an existing one.")
    found = {}
    for path in sorted(folder.iterdir()):  # ours follows that of the authors
        with contextlib.suppress(InvalidInput):
            found[CloseDistName.parse(path.name.removesuffix(_SUFFIX))] = path
    return {name: found[name] for name in sorted(found, key=_sort_key)}


def _sort_key(name: CloseDistName) -> tuple[Any, ...]:
    """Sort by dataset and architecture, then by stage and seed."""
    architecture = tuple(name.architecture.values())
    return (name.dataset, *architecture, name.stage, name.seed, str(name))


def read_close_dist_checkpoint(path: str | PathLike[str]) -> CloseDistCheckpoint:
    """Read one checkpoint of the authors, or one of ours, onto the CPU.

    It may have been saved on any device. Only weights are read
    (``weights_only=True``): files that would run code are rejected. The file must be
    named as by the authors, and the shapes of the weights must match the name.

    Parameters
    ----------
    path
        A file named as in the repository ``bemigini/close-dist-rep-sim``, or such a
        name with ``.safetensors``, as `similitude closeness train` writes it.

    Notes
    -----
    Together with `SoftmaxNetworks` and `radial_classification` it gives the models of
    the paper::

        checkpoint = read_close_dist_checkpoint(path)
        networks = SoftmaxNetworks(**checkpoint.name.architecture)
        networks.load(checkpoint.state)
        test = radial_classification(classes=checkpoint.name.classes, split="test")
        model = networks.softmax_model(test.points)

    References
    ----------
    nielsen2025when
    """
    path = Path(path)
    name = CloseDistName.parse(path.name.removesuffix(_SUFFIX))
    torch = require("torch", feature="read_close_dist_checkpoint", extra="torch")
    if not path.is_file():
        raise InvalidInput(f"path: the file {path} does not exist.")
    try:
        state = _read_state(torch, path)
    except PermissionError:
        raise
    except Exception as error:  # unpickling damaged data can raise any exception
        raise InvalidInput(
            f"path: {path.name} cannot be read as a file of weights "
            f"({type(error).__name__}). It may be damaged, truncated, or contain more "
            f"than weights."
        ) from error
    if not isinstance(state, Mapping) or not all(
        str(key).startswith(("f_net.", "g_net.")) and isinstance(weights, torch.Tensor)
        for key, weights in state.items()
    ):
        raise InvalidInput(
            f"path: {path.name} must be a state dictionary of tensors whose keys start "
            f"with f_net. or g_net."
        )
    _check_shapes(name, state)
    return CloseDistCheckpoint(name, dict(state))


def _read_state(torch: Any, path: Path) -> Any:
    if path.suffix == _SUFFIX:
        from safetensors.torch import load_file

        return load_file(path)
    _check_sums(path)
    return torch.load(path, map_location="cpu", weights_only=True)


def _check_sums(path: Path) -> None:
    """Verify the checksums of the archive, which torch does not do."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()
        if damaged is not None:
            raise zipfile.BadZipFile(damaged)


def _check_shapes(name: CloseDistName, state: Mapping[str, Any]) -> None:
    """Check that the shapes of the weights match the name."""
    expected = {"g_net.l1.weight": (name.width, name.classes - 1)}
    if name.model_type == "SmallMLP":
        expected["f_net.l4.weight"] = (name.dim, name.width)
    else:
        expected["g_net.l4.weight"] = (name.dim, name.width)
    for key, shape in expected.items():
        got = tuple(state[key].shape) if key in state else "no such key"
        if got != shape:
            raise InvalidInput(
                f"path: by the name {name}, {key} must have shape {shape}; the file "
                f"has {got}. The file may have been renamed."
            )
