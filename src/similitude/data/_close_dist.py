"""Checkpoints of the close-dist-rep-sim repository: their names and their contents."""

import contextlib
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from ..errors import InvalidInput, require

__all__ = [
    "CloseDistCheckpoint",
    "CloseDistName",
    "find_close_dist_checkpoints",
    "read_close_dist_checkpoint",
]

_PATTERN = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)(?P<stage>trained|untrained)"
    r"_(?P<dataset>radial_classification|cifar10)_(?P<model_type>[A-Za-z0-9]+)"
    r"(?:_fixf(?P<fix_length_f>\d+))?(?:_fixg(?P<fix_length_g>\d+))?"
    r"_classes(?P<classes>\d+)_seed(?P<seed>\d+)"
    r"_features(?P<width>\d+)_fd(?P<dim>\d+)"
    r"(?:_data(?P<points>\d+)_lr(?P<learning_rate>[\d_]+(?:e-?\d+)?)"
    r"_steps(?P<steps>\d+))?"
)
_TRAINING = ("points", "learning_rate", "steps")


@dataclass(frozen=True, order=True, kw_only=True)
class CloseDistName:
    """What the name of a checkpoint says; `str` gives the name again.

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
    fix_length_f: int = 0  # 0: not constrained
    fix_length_g: int = 0
    points: int | None = None  # of the training set; None where untrained
    learning_rate: float | None = None
    steps: int | None = None  # nominal: whole epochs are run

    @classmethod
    def parse(cls, text: str) -> "CloseDistName":
        match = _PATTERN.fullmatch(text)
        if match is None:
            raise InvalidInput(
                f"{text!r} is not the name of a close-dist checkpoint, which reads "
                f"{{date}}trained_{{dataset}}_{{model}}_classes4_seed0_features16_fd2"
                f"_data20000_lr0_0001_steps15000."
            )
        said: dict[str, Any] = {k: v for k, v in match.groupdict().items() if v}
        if (said["stage"] == "trained") != ("steps" in said):
            raise InvalidInput(
                f"{text!r}: a trained checkpoint names its data, learning rate and "
                f"steps, an untrained one does not."
            )
        for key, value in said.items():
            if key == "learning_rate":
                said[key] = float(value.replace("_", "."))
            elif value.isdecimal():
                said[key] = int(value)
        return cls(**said)

    def __str__(self) -> str:
        fixed = f"_fixf{self.fix_length_f}" if self.fix_length_f else ""
        fixed += f"_fixg{self.fix_length_g}" if self.fix_length_g else ""
        text = (
            f"{self.date}{self.stage}_{self.dataset}_{self.model_type}{fixed}"
            f"_classes{self.classes}_seed{self.seed}"
            f"_features{self.width}_fd{self.dim}"
        )
        if self.stage == "untrained":
            return text
        rate = str(self.learning_rate).replace(".", "_")
        return f"{text}_data{self.points}_lr{rate}_steps{self.steps}"

    @property
    def architecture(self) -> dict[str, int]:
        """What `similitude.nets.SoftmaxNetworks` wants to know."""
        names = ("classes", "width", "dim", "fix_length_f", "fix_length_g")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, eq=False)
class CloseDistCheckpoint:
    """A state dictionary of torch tensors on the CPU, and what its name says."""

    name: CloseDistName
    state: Mapping[str, Any]


def find_close_dist_checkpoints(
    folder: str | PathLike[str],
) -> dict[CloseDistName, Path]:
    """The checkpoints of a folder by what their names say, in order; nothing is read.

    Files with other names are passed over.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InvalidInput(f"folder: {folder} is not a folder that can be read.")
    found = {}
    for path in folder.iterdir():
        with contextlib.suppress(InvalidInput):
            found[CloseDistName.parse(path.name)] = path
    return {name: found[name] for name in sorted(found, key=_place)}


def _place(name: CloseDistName) -> tuple[Any, ...]:
    """By architecture, then by stage and seed."""
    architecture = tuple(name.architecture.values())
    return (name.dataset, *architecture, name.stage, name.seed, str(name))


def read_close_dist_checkpoint(path: str | PathLike[str]) -> CloseDistCheckpoint:
    """Read one checkpoint of the authors, wherever it was saved, onto the CPU.

    Only weights are read (``weights_only=True``): a file that would run code is
    refused. The name must be one of theirs, and the weights what it says.

    Parameters
    ----------
    path
        A file named as in the repository ``bemigini/close-dist-rep-sim``.

    Notes
    -----
    Together with `similitude.nets` and `radial_classification` it gives the models of
    the paper:

    .. code-block:: python

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
    name = CloseDistName.parse(path.name)
    torch = require("torch", feature="read_close_dist_checkpoint", extra="torch")
    if not path.is_file():
        raise InvalidInput(f"path: there is no file {path}.")
    try:
        _check_sums(path)
        state = torch.load(path, map_location="cpu", weights_only=True)
    except PermissionError:
        raise
    except Exception as error:  # an unpickler given noise raises whatever it likes
        raise InvalidInput(
            f"path: {path.name} cannot be read as a file of weights "
            f"({type(error).__name__}). Was it damaged or cut short, or saved with "
            f"more than weights?"
        ) from error
    if not isinstance(state, Mapping) or not all(
        str(key).startswith(("f_net.", "g_net.")) and isinstance(weights, torch.Tensor)
        for key, weights in state.items()
    ):
        raise InvalidInput(
            f"path: {path.name} is not a state dictionary of f_net. and g_net. weights."
        )
    _check_shapes(name, state)
    return CloseDistCheckpoint(name, dict(state))


def _check_sums(path: Path) -> None:
    """The check sums of the archive, which torch does not look at."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()
        if damaged is not None:
            raise zipfile.BadZipFile(damaged)


def _check_shapes(name: CloseDistName, state: Mapping[str, Any]) -> None:
    """The weights are those of the network that the name speaks of."""
    if name.model_type != "SmallMLP":
        return
    for key, shape in (
        ("f_net.l4.weight", (name.dim, name.width)),
        ("g_net.l1.weight", (name.width, name.classes - 1)),
    ):
        got = tuple(state[key].shape) if key in state else "nothing"
        if got != shape:
            raise InvalidInput(
                f"path: the name {name} means that {key} is {shape}; the file has "
                f"{got}. Was it renamed?"
            )
