"""Trained models in files: ours and those of the authors."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from similitude.errors import InvalidInput

from ..data import CloseDistName
from ..data import read_close_dist_checkpoint as read

if TYPE_CHECKING:
    from ..networks import SoftmaxNetworks

__all__ = ["find_model", "load_model"]

SUFFIX = ".safetensors"


def load_model(
    path: str | PathLike[str], *, nonlinearity: str = "leaky_relu"
) -> "SoftmaxNetworks":
    """The networks f and g of a checkpoint, in evaluation mode, on the CPU.

    Parameters
    ----------
    path
        A checkpoint of `similitude closeness train` (``.safetensors``) or of the
        authors. Its name gives the architecture.
    nonlinearity
        Not in the name; the nonlinearity in the configuration of the models.
    """
    from ..networks import SoftmaxNetworks

    _check_manifest(Path(path))
    checkpoint = read(path)
    networks = SoftmaxNetworks(
        **checkpoint.name.architecture, nonlinearity=nonlinearity
    )
    try:
        return networks.load(checkpoint.state).eval()
    except InvalidInput as error:
        raise InvalidInput(
            f"{Path(path).name} has weights of another architecture than its name "
            f"says; the file may have been renamed. {error}"
        ) from error


def find_model(folder: str | PathLike[str], name: CloseDistName) -> Path | None:
    """The file of a checkpoint, ours or the authors', or None if there is none."""
    for path in (Path(folder) / f"{name}{SUFFIX}", Path(folder) / str(name)):
        if path.is_file():
            return path
    return None


def _check_manifest(path: Path) -> None:
    """Compare a checkpoint of ours with the sha256 in its manifest.

    Checkpoints of the authors, and copies without their manifest, cannot be checked.
    """
    from ._manifest import read_manifest, work_at

    manifest = Path(f"{path.with_suffix('')}.json")
    if path.suffix == SUFFIX and manifest.exists():
        work_at(manifest).read(path.name, read_manifest(manifest))
