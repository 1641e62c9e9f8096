"""Training with a checkpoint after each epoch; finished epochs are not repeated."""

import time
from collections.abc import Iterable
from contextlib import suppress
from os import PathLike
from pathlib import Path

from similitude.errors import InvalidInput
from similitude.plugins import Progress, check_at_least, torch_threads
from similitude.store import locked

from .._checkpoints import check_device, read_tensors, versions, write_tensors
from ._batches import Batches
from ._manifest import (
    LOCK,
    Busy,
    EpochRecord,
    Manifest,
    folder_of,
    optimizer_file,
    weights_file,
    work_in,
)
from ._request import ImageTraining, with_starts
from ._steps import HEAD, Trainer, new_network
from ._trained import TrainedImages


def train_images(
    request: ImageTraining,
    folder: str | PathLike[str] | None = None,
    *,
    threads: int = 1,
    device: str = "cpu",
    progress: Progress | None = None,
    wait: bool = True,
) -> TrainedImages:
    """Train a network unless its checkpoints exist, and return them.

    A checkpoint is written after each epoch. After an interruption, the same call
    resumes after the last finished epoch. On a CPU the weights are then the same to the
    last bit.

    Parameters
    ----------
    request
        The configuration. If it has a `start`, that training comes first.
    folder
        Folder of all trainings; each has a folder named by the digest of its
        configuration. [default: ``training`` in the cache]
    threads
        Threads of PyTorch. For these small networks, two processes with one thread each
        are faster than one process with two threads.
    device
        A PyTorch device.
    progress
        Called with the training, the number of steps and their total.
    wait
        If another process trains this network, wait for it. Otherwise raise an error.

    Examples
    --------
    >>> import tempfile
    >>> request = ImageTraining(
    ...     network="vgg11", multiplier=0.02, dataset="digits", images=64, epochs=1,
    ...     seed=0,
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     trained = train_images(request, folder)
    ...     len(trained.epochs), trained.network().training
    (2, False)
    """
    check_at_least("threads", threads, 1)
    check_device(device)
    place = folder_of(request, folder)
    found = work_in(place).manifest()
    if found is not None and found.epochs == request.epochs:
        return TrainedImages(request, place, found)
    start = None
    if request.start is not None:
        options = {"threads": threads, "device": device, "progress": progress}
        start = train_images(request.start, folder, wait=wait, **options)  # type: ignore[arg-type]
    busy = Busy(f"another process trains {place.name}; wait for it.")
    with locked(place / LOCK, busy, wait=wait), torch_threads(threads):
        run = _Run(request, place, start, threads, device)
        run.finish(progress)
    return TrainedImages(request, place, run.manifest)


def train_all(
    requests: Iterable[ImageTraining],
    folder: str | PathLike[str] | None = None,
    *,
    threads: int = 1,
    device: str = "cpu",
    progress: Progress | None = None,
) -> dict[ImageTraining, TrainedImages]:
    """Train several networks. Several processes with the same call share the work.

    Networks that another process trains come last; this call waits for them.

    Parameters
    ----------
    requests, folder, threads, device, progress
        As in `train_images`.
    """
    chosen = with_starts(requests)
    options = {"threads": threads, "device": device, "progress": progress}
    found: dict[ImageTraining, TrainedImages] = {}
    for wait in (False, True):
        for request in chosen:
            if request not in found:
                with suppress(Busy):
                    found[request] = train_images(request, folder, wait=wait, **options)  # type: ignore[arg-type]
    return {request: found[request] for request in chosen}


class _Run:
    """One training run in its folder, which is locked."""

    def __init__(
        self,
        request: ImageTraining,
        folder: Path,
        start: TrainedImages | None,
        threads: int,
        device: str,
    ) -> None:
        self.request, self.work = request, work_in(folder)
        self.threads, self.device = threads, device
        self.data = Batches(request, device)
        network = new_network(request)
        if start is not None:
            weights = start.network().state_dict()
            if request.new_classifier:
                own = network.state_dict()
                weights |= {k: v for k, v in own.items() if k.startswith(HEAD)}
            network.load_state_dict(weights)
        self.trainer = Trainer(request, network.to(device))
        self.work.remove_leftovers(keep=[LOCK])
        manifest = self.work.manifest()
        self.manifest = self._begin() if manifest is None else self._resume(manifest)

    def finish(self, progress: Progress | None) -> None:
        """Train the epochs that are missing."""
        total = self.request.epochs * self.data.steps

        def report(step: int) -> None:
            if progress is not None:
                progress(f"training: {self.request}", step, total)

        for epoch in range(self.manifest.epochs + 1, self.request.epochs + 1):
            began = time.process_time()
            loss = self.trainer.epoch(epoch, self.data, report)
            self._save(epoch, loss, began)

    def _begin(self) -> Manifest:
        """Write the network before the first step, as epoch 0."""
        self.manifest = Manifest(
            request=self.request.to_json(),
            data=self.data.fingerprint,
            versions=versions(),
            threads=self.threads,
            device=self.device,
            log=(),
            files={},
        )
        self._save(0, None, time.process_time())
        return self.manifest

    def _resume(self, manifest: Manifest) -> Manifest:
        if manifest.data != self.data.fingerprint:
            raise InvalidInput(
                f"{self.work.folder} is a training with other images than those of "
                f"{self.request.dataset} in the cache; delete this folder to train "
                f"again."
            )
        weights, moments = (
            read_tensors(self.work, name, manifest)
            for name in (weights_file(manifest.epochs), optimizer_file(manifest.epochs))
        )
        self.trainer.load(weights, moments)
        return manifest

    def _save(self, epoch: int, loss: float | None, began: float) -> None:
        """Write weights and optimizer, then the manifest, then remove the old state."""
        accuracy = self.trainer.accuracy(self.data)
        files = dict(self.manifest.files)
        old = files.pop(optimizer_file(epoch - 1), None)
        for name, tensors in (
            (weights_file(epoch), self.trainer.weights()),
            (optimizer_file(epoch), self.trainer.moments()),
        ):
            files[name] = write_tensors(self.work, name, tensors)
        record = EpochRecord(
            epoch=epoch,
            loss=loss,
            accuracy=accuracy,
            cpu_seconds=round(time.process_time() - began, 3),
        )
        self.manifest = self.manifest.model_copy(
            update={"log": (*self.manifest.log, record), "files": files}
        )
        self.work.record(self.manifest)
        if old is not None:
            (self.work.folder / optimizer_file(epoch - 1)).unlink(missing_ok=True)
