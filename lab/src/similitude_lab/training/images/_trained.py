"""A finished training run: its networks after each epoch, and its log."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from similitude.errors import InvalidInput

from ._manifest import EpochRecord, Manifest, weights_file, work_in
from ._request import ImageTraining

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True, eq=False)
class TrainedImages:
    """The checkpoints of a training run.

    Parameters
    ----------
    request
        The configuration of the run.
    folder
        The folder of the checkpoints.
    manifest
        The record of the run.
    """

    request: ImageTraining
    folder: Path
    manifest: Manifest

    @property
    def epochs(self) -> range:
        """The epochs with a checkpoint: 0 is before the first step."""
        return range(self.manifest.epochs + 1)

    @property
    def log(self) -> tuple[EpochRecord, ...]:
        """Training loss and test accuracy of each epoch."""
        return self.manifest.log

    @property
    def cpu_seconds(self) -> float:
        """Processor time of all epochs."""
        return sum(record.cpu_seconds for record in self.log)

    def network(self, epoch: int = -1) -> "nn.Module":
        """The network after an epoch, in evaluation mode, on the CPU.

        Parameters
        ----------
        epoch
            0 is the network before the first step; -1 is the last epoch.
        """
        from .._checkpoints import read_tensors  # it imports torch
        from ._steps import new_network

        count = len(self.epochs)
        if not -count <= epoch < count:
            raise InvalidInput(
                f"epoch={epoch}; this training has the epochs 0 to {count - 1}."
            )
        file = weights_file(epoch % count)
        network = new_network(self.request)
        tensors = read_tensors(work_in(self.folder), file, self.manifest)
        network.load_state_dict(tensors)
        return network.eval()
