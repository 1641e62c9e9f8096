"""The plan of training runs: finished epochs, missing epochs, estimated time."""

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike

from similitude.plugins import torch_threads

from .._loop import descent, seconds_per_step
from ._batches import Batches
from ._manifest import folder_of, work_in
from ._request import ImageTraining, with_starts
from ._steps import Trainer, new_network

KIND = ("network", "multiplier", "batch", "dataset", "classes", "images")


@dataclass(frozen=True)
class PlannedTraining:
    """One training run: finished epochs, and estimated seconds for the missing ones."""

    request: ImageTraining
    finished: int
    seconds: float


@dataclass(frozen=True)
class TrainingPlan:
    """All training runs of a request, in their order."""

    trainings: tuple[PlannedTraining, ...]

    @property
    def seconds(self) -> float:
        """Estimated seconds of all missing epochs in one process."""
        return sum(one.seconds for one in self.trainings)

    @property
    def missing(self) -> tuple[PlannedTraining, ...]:
        return tuple(one for one in self.trainings if one.finished < one.request.epochs)

    def __str__(self) -> str:
        lines = [
            f"{one.finished:>4} of {one.request.epochs:>3} epochs  {one.request}"
            for one in self.trainings
        ]
        return "\n".join(lines)


def plan_trainings(
    requests: Iterable[ImageTraining],
    folder: str | PathLike[str] | None = None,
    *,
    threads: int = 1,
    device: str = "cpu",
) -> TrainingPlan:
    """List training runs with their finished epochs, and time some steps of each kind.

    Parameters
    ----------
    requests, folder, threads, device
        As in `train_images`.
    """
    speeds: dict[tuple[object, ...], float] = {}
    found = []
    for request in with_starts(requests):
        manifest = work_in(folder_of(request, folder)).manifest()
        finished = 0 if manifest is None else manifest.epochs
        left, seconds = request.epochs - finished, 0.0
        if left:
            kind = tuple(getattr(request, name) for name in KIND)
            if kind not in speeds:
                with torch_threads(threads):
                    speeds[kind] = _seconds_per_epoch(request, device)
            seconds = left * speeds[kind]
        found.append(PlannedTraining(request, finished, seconds))
    return TrainingPlan(tuple(found))


def _seconds_per_epoch(request: ImageTraining, device: str) -> float:
    """Time a few steps of a throwaway network."""
    data = Batches(request, device)
    trainer = Trainer(request, new_network(request).to(device))
    step = descent(trainer.loss, trainer.optimizer)
    return data.steps * seconds_per_step(data.epoch(1), step)
