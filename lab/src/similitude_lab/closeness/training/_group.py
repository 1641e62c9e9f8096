"""Training of one group of seeds: steps, losses, checkpoints, resuming."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from similitude.errors import InvalidInput
from similitude.plugins import Progress, torch_threads

from ...training._checkpoints import read_tensors, versions, write_tensors
from ...training._loop import train
from ._data import Data
from ._ensemble import EnsembleTrainer
from ._folder import MANIFEST, OPTIMIZER, Folder
from ._manifest import PER_SEED, Manifest, Position, model_of, work_at
from ._models import SUFFIX
from ._order import TEST_EVERY, DataOrder
from ._setting import Setting, seed_ranges
from ._single import SingleTrainer

TRAIN_EVERY = 500  # steps of a window of the training loss
ROWS = 2000  # rows of one pass in an evaluation


@dataclass(frozen=True)
class Options:
    """How to train; except for the threads, nothing here changes a result in float64.

    In float32, batched and single training give different last bits, and these
    differences grow.
    """

    checkpoint_every: int = 2000
    batched: bool = False
    threads: int = 1
    dtype: str = "float32"
    device: str = "cpu"


class Group:
    """Seeds of one setting that are trained together; `state` is their manifest."""

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
        self.dtype: torch.dtype = getattr(torch, options.dtype)
        self.stem = folder.partial_stem(setting, seeds)
        self.work = work_at(Path(f"{self.stem}{MANIFEST}"))
        self.trainer = self._new_trainer()
        self.state = Manifest(
            status="partial",
            seeds=self.seeds,
            dataset=setting.dataset,
            model=model_of(setting),
            train=setting.train,
            batched=options.batched,
            dtype=options.dtype,
            device=options.device,
            threads=options.threads,
            versions=versions(),
            step=0,
            total_steps=setting.total_steps(len(data.train)),
            continued_from=None,
            next_batch=Position(epoch=0, batch=0, shuffle_seed=0),
            seconds=0.0,
            loss_sum=[0.0 for _ in seeds],
            train_loss=[[] for _ in seeds],
            test_loss=[[] for _ in seeds],
            files={},
        )

    def _new_trainer(self) -> EnsembleTrainer | SingleTrainer:
        options = self.options
        networks = [
            self.setting.networks(seed).to(options.device, self.dtype)
            for seed in self.seeds
        ]
        if options.batched:
            return EnsembleTrainer(
                networks, self.setting.train, self.setting.nonlinearity
            )
        return SingleTrainer(networks[0], self.setting.train)

    def resume(self, manifest: Manifest) -> None:
        """Load the state of an interrupted run."""
        (name,) = manifest.files
        tensors = read_tensors(self.work, name, manifest)
        for index, seed in enumerate(self.seeds):
            weights, moments = (
                {
                    key.removeprefix(start): value
                    for key, value in tensors.items()
                    if key.startswith(start)
                }
                for start in (f"{seed}.weights.", f"{seed}.moments.")
            )
            self.trainer.load(index, weights, moments, manifest.step)
        self.state = manifest.model_copy(update={"versions": versions()})
        if self._order().position(manifest.step) != manifest.next_batch:
            raise InvalidInput(
                f"{self.stem}{MANIFEST}: the order of the data differs from that of "
                f"the interrupted run ({manifest.versions}); delete it to train again."
            )

    def run(self, progress: Progress) -> None:
        """Train the remaining steps, then write the models."""
        for stem in (self.stem, *self._stems(), *self._stems(trained=False)):
            self.folder.remove_unfinished_writes(stem)
        label = f"{self.setting}, seeds {seed_ranges(self.seeds)}"
        state, order = self.state, self._order()
        began = time.monotonic() - state.seconds
        cpu_began = time.process_time() - state.cpu_seconds
        saved = state.step if state.step else -1

        def after(number: int, rows: Tensor, losses: Tensor) -> None:
            nonlocal saved
            sums = zip(state.loss_sum, losses.tolist(), strict=True)
            state.loss_sum = [total + loss for total, loss in sums]
            if number % TRAIN_EVERY == 0:
                window = TRAIN_EVERY if number else 1
                _append(state.train_loss, [total / window for total in state.loss_sum])
                state.loss_sum = [0.0 for _ in self.seeds]
            if number % TEST_EVERY == 0:
                _append(state.test_loss, self.evaluate()[0].tolist())
            state.step = number + 1
            state.seconds = time.monotonic() - began
            state.cpu_seconds = time.process_time() - cpu_began
            if state.step % self.options.checkpoint_every == 0:
                self.save(order)
                saved = state.step
            progress(label, state.step, state.total_steps)

        with torch_threads(self.options.threads):
            train(self.batches(), self.take_step, first=state.step, after=after)
            if saved != state.total_steps:
                self.save(order)  # the models are written from a complete checkpoint
            self._finish()

    def batches(self) -> Iterator[Tensor]:
        """Numbers of the samples of all remaining steps."""
        return map(self._order().rows, range(self.state.step, self.state.total_steps))

    def take_step(self, rows: Tensor) -> Tensor:
        """Take a step of all seeds with these samples; the loss of each seed."""
        samples, device = self.data.train, self.options.device
        x = samples.inputs(rows, self.dtype).to(device)
        return self.trainer.step(x, samples.y[rows].to(device))

    @torch.no_grad()
    def evaluate(self) -> tuple[Tensor, Tensor]:
        """Mean loss and accuracy of each seed on the test set, in evaluation mode."""
        test = self.data.test
        loss = torch.zeros(len(self.seeds), dtype=torch.float64)
        right = torch.zeros(len(self.seeds), dtype=torch.float64)
        for start in range(0, len(test), ROWS):
            part = slice(start, start + ROWS)
            x = test.inputs(part, self.dtype).to(self.options.device)
            logits = self.trainer.logits(x).double().cpu()
            for index, values in enumerate(logits):
                y = test.y[part]
                loss[index] += functional.cross_entropy(values, y, reduction="sum")
                right[index] += (values.argmax(1) == y).sum()
        return loss / len(test), right / len(test)

    def _order(self) -> DataOrder:
        train, samples = self.setting.train, len(self.data.train)
        total = self.state.total_steps
        return DataOrder(train.random_seed, samples, train.batch_size, total)

    def _stems(self, *, trained: bool = True) -> list[Path]:
        one = self.folder.stem
        return [one(self.setting, seed, trained=trained) for seed in self.seeds]

    def save(self, order: DataOrder) -> None:
        """Write a checkpoint: tensors, then the manifest; then remove the older one."""
        path = Path(f"{self.stem}-{self.state.step}{SUFFIX}")
        tensors = {}
        for index, seed in enumerate(self.seeds):
            for key, value in self.trainer.weights(index).items():
                tensors[f"{seed}.weights.{key}"] = value
            for key, value in self.trainer.moments(index).items():
                tensors[f"{seed}.moments.{key}"] = value
        self.state.files = {path.name: write_tensors(self.work, path.name, tensors)}
        self.state.next_batch = order.position(self.state.step)
        self.work.record(self.state)
        self._remove_tensors()

    def _finish(self) -> None:
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
            own = {name: [getattr(self.state, name)[index]] for name in PER_SEED}
            final = {
                "status": "finished",
                "final_test_loss": (float(loss[index]),),
                "final_test_accuracy": (float(accuracy[index]),),
                "files": files,
            }
            manifest = self.state.model_copy(update=own | final)
            self.folder.write_metrics(stem, manifest)
            work_at(Path(f"{stem}{MANIFEST}")).record(manifest)
        # Without the manifest, the tensors of the group are useless.
        self.work.path.unlink(missing_ok=True)
        self._remove_tensors()

    def _remove_tensors(self) -> None:
        """Remove files of tensors to which the manifest does not refer."""
        self.work.remove_leftovers(prefix=f"{self.stem.name}-")


def _append(lists: list[list[float]], values: list[float]) -> None:
    for one, value in zip(lists, values, strict=True):
        one.append(value)
