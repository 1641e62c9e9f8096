"""Training of one group of seeds: steps, losses, checkpoints, resuming."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import torch
from torch import Tensor
from torch.nn import functional

from similitude.errors import InvalidInput
from similitude.plugins import torch_threads

from ...training._checkpoints import read_tensors, versions, write_tensors
from ...training._loop import train
from ..data import CloseDistName
from ._data import Data
from ._ensemble import EnsembleTrainer
from ._folder import MANIFEST, OPTIMIZER, Folder
from ._manifest import Manifest, model_of, work_at
from ._models import SUFFIX
from ._order import TEST_EVERY, DataOrder
from ._setting import Setting, seed_ranges
from ._single import SingleTrainer, State, Trainer

TRAIN_EVERY = 500  # steps of a window of the training loss
ROWS = 2000  # rows of one pass in an evaluation

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Options:
    """How to train; except for the threads, nothing here changes a result in float64.

    In float32, batched and single training give different last bits, and these
    differences grow.
    """

    checkpoint_every: int = 2000
    batched: bool = False
    threads: int = 1
    dtype: torch.dtype = torch.float32
    device: str = "cpu"


@dataclass(frozen=True)
class Start:
    """Initial state of one seed. Without moments, the optimizer starts anew."""

    weights: State
    moments: State = field(default_factory=dict)
    step: int = 0
    train_loss: tuple[float, ...] = ()
    test_loss: tuple[float, ...] = ()
    loss_sum: float = 0.0

    @classmethod
    def of(cls, manifest: Manifest, index: int, weights: State, moments: State) -> Self:
        """The state of one seed of a stored run."""
        losses = manifest.train_loss[index], manifest.test_loss[index]
        return cls(weights, moments, manifest.step, *losses, manifest.loss_sum[index])


class Group:
    """Seeds of one setting that are trained together."""

    def __init__(
        self,
        setting: Setting,
        seeds: Sequence[int],
        data: Data,
        folder: Folder,
        options: Options,
    ) -> None:
        self.setting, self.seeds, self.data = setting, tuple(seeds), data
        self.folder, self.options = folder, options
        self.stem = folder.partial_stem(setting, seeds)
        self.work = work_at(Path(f"{self.stem}{MANIFEST}"))
        self.continued_from: str | None = None
        self.total = setting.total_steps(len(data.train))
        self.step, self.seconds, self.cpu_seconds = 0, 0.0, 0.0
        self.loss_sum = torch.zeros(len(seeds), dtype=torch.float64)
        self.train_loss: list[list[float]] = [[] for _ in seeds]
        self.test_loss: list[list[float]] = [[] for _ in seeds]
        self.trainer = self._new_trainer()

    def _new_trainer(self) -> Trainer:
        options = self.options
        networks = [
            self.setting.networks(seed).to(options.device, options.dtype)
            for seed in self.seeds
        ]
        if options.batched:
            return EnsembleTrainer(
                networks, self.setting.train, self.setting.nonlinearity
            )
        return SingleTrainer(networks[0], self.setting.train)

    def begin(self, starts: Sequence[Start], file: str | None, total: int) -> None:
        """Set the state of all seeds; they are at the same step."""
        (self.step,) = {start.step for start in starts}
        self.continued_from, self.total = file, total
        for index, start in enumerate(starts):
            self.trainer.load(index, start.weights, start.moments, start.step)
            self.train_loss[index] = list(start.train_loss)
            self.test_loss[index] = list(start.test_loss)
            self.loss_sum[index] = start.loss_sum

    def write_untrained(self, index: int, name: CloseDistName) -> None:
        write_tensors(self.work, f"{name}{SUFFIX}", self.trainer.weights(index))

    def resume(self, manifest: Manifest) -> None:
        """Load the state of an interrupted run."""
        (name,) = manifest.files
        tensors = read_tensors(self.work, name, manifest)
        starts = []
        for index, seed in enumerate(self.seeds):
            weights, moments = (
                {
                    key.removeprefix(start): value
                    for key, value in tensors.items()
                    if key.startswith(start)
                }
                for start in (f"{seed}.weights.", f"{seed}.moments.")
            )
            starts.append(Start.of(manifest, index, weights, moments))
        self.begin(starts, manifest.continued_from, manifest.total_steps)
        self.seconds, self.cpu_seconds = manifest.seconds, manifest.cpu_seconds
        if self._order().position(self.step) != manifest.next_batch:
            raise InvalidInput(
                f"{self.stem}{MANIFEST}: the order of the data differs from that of "
                f"the interrupted run ({manifest.versions}); delete it to train again."
            )

    def run(self, progress: Progress) -> None:
        """Train the remaining steps, then write the models."""
        for stem in (self.stem, *self._stems(), *self._stems(trained=False)):
            self.folder.remove_unfinished_writes(stem)
        label = f"{self.setting}, seeds {seed_ranges(self.seeds)}"
        options, order = self.options, self._order()
        began, before = time.monotonic(), self.seconds
        cpu_began, cpu_before = time.process_time(), self.cpu_seconds
        saved = self.step if self.step else -1

        def after(number: int, rows: Tensor, losses: Tensor) -> None:
            nonlocal saved
            self.loss_sum += losses.cpu()
            if number % TRAIN_EVERY == 0:
                self._end_window()
            if number % TEST_EVERY == 0:
                for values, loss in zip(
                    self.test_loss, self.evaluate()[0].tolist(), strict=True
                ):
                    values.append(loss)
            self.step = number + 1
            self.seconds = before + time.monotonic() - began
            self.cpu_seconds = cpu_before + time.process_time() - cpu_began
            if self.step % options.checkpoint_every == 0:
                self.save(order)
                saved = self.step
            progress(label, self.step, self.total)

        with torch_threads(options.threads):
            left = map(order.rows, range(self.step, self.total))
            train(left, self.take_step, first=self.step, after=after)
            if saved != self.total:
                self.save(order)  # the models are written from a complete checkpoint
            self._finish(order)

    def take_step(self, rows: Tensor) -> Tensor:
        """Take a step of all seeds with these samples; the loss of each seed."""
        samples, device = self.data.train, self.options.device
        x = samples.inputs(rows, self.options.dtype).to(device)
        return self.trainer.step(x, samples.y[rows].to(device))

    def _end_window(self) -> None:
        window = TRAIN_EVERY if self.step else 1
        for values, total in zip(self.train_loss, self.loss_sum.tolist(), strict=True):
            values.append(total / window)
        self.loss_sum.zero_()

    @torch.no_grad()
    def evaluate(self) -> tuple[Tensor, Tensor]:
        """Mean loss and accuracy of each seed on the test set, in evaluation mode."""
        test, options = self.data.test, self.options
        loss = torch.zeros(len(self.seeds), dtype=torch.float64)
        right = torch.zeros(len(self.seeds), dtype=torch.float64)
        for start in range(0, len(test), ROWS):
            part = slice(start, start + ROWS)
            x = test.inputs(part, options.dtype).to(options.device)
            logits = self.trainer.logits(x).double().cpu()
            for index, values in enumerate(logits):
                y = test.y[part]
                loss[index] += functional.cross_entropy(values, y, reduction="sum")
                right[index] += (values.argmax(1) == y).sum()
        return loss / len(test), right / len(test)

    def _order(self) -> DataOrder:
        train = self.setting.train
        return DataOrder(
            train.random_seed, len(self.data.train), train.batch_size, self.total
        )

    def _stems(self, *, trained: bool = True) -> list[Path]:
        return [
            self.folder.path
            / str(self.setting.name(seed, self.folder.date, trained=trained))
            for seed in self.seeds
        ]

    def manifest(self, order: DataOrder, files: dict[str, str]) -> Manifest:
        return Manifest(
            status="partial",
            seeds=self.seeds,
            dataset=self.setting.dataset,
            model=model_of(self.setting),
            train=self.setting.train,
            batched=self.options.batched,
            dtype=str(self.options.dtype).removeprefix("torch."),
            device=self.options.device,
            threads=self.options.threads,
            versions=versions(),
            step=self.step,
            total_steps=self.total,
            continued_from=self.continued_from,
            next_batch=order.position(self.step),
            seconds=self.seconds,
            cpu_seconds=self.cpu_seconds,
            loss_sum=tuple(self.loss_sum.tolist()),
            train_loss=tuple(map(tuple, self.train_loss)),
            test_loss=tuple(map(tuple, self.test_loss)),
            files=files,
        )

    def save(self, order: DataOrder) -> None:
        """Write a checkpoint: tensors, then the manifest; then remove the older one."""
        path = Path(f"{self.stem}-{self.step}{SUFFIX}")
        tensors = {}
        for index, seed in enumerate(self.seeds):
            for key, value in self.trainer.weights(index).items():
                tensors[f"{seed}.weights.{key}"] = value
            for key, value in self.trainer.moments(index).items():
                tensors[f"{seed}.moments.{key}"] = value
        files = {path.name: write_tensors(self.work, path.name, tensors)}
        self.work.record(self.manifest(order, files))
        self.folder.remove_tensors(self.stem, keep=path.name)

    def _finish(self, order: DataOrder) -> None:
        """Write the files of each seed, then remove the files of the group."""
        loss, accuracy = self.evaluate()
        for index, stem in enumerate(self._stems()):
            files = {}
            for suffix, tensors in (
                (OPTIMIZER, self.trainer.moments(index)),
                (SUFFIX, self.trainer.weights(index)),
            ):
                name = f"{stem.name}{suffix}"
                files[name] = write_tensors(self.work, name, tensors)
            manifest = self.manifest(order, files).model_copy(
                update={
                    "status": "finished",
                    "loss_sum": (float(self.loss_sum[index]),),
                    "train_loss": (tuple(self.train_loss[index]),),
                    "test_loss": (tuple(self.test_loss[index]),),
                    "final_test_loss": (float(loss[index]),),
                    "final_test_accuracy": (float(accuracy[index]),),
                }
            )
            self.folder.write_metrics(stem, manifest)
            work_at(Path(f"{stem}{MANIFEST}")).record(manifest)
        self.folder.remove_partial(self.stem)
