"""The training loop: steps, schedule, refreshed anchors, checkpoints."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from similitude.errors import InvalidInput, Undefined
from similitude.latent.align import ClassScores, class_scores
from similitude.plugins import Rng, as_seed, check_at_least, device_of
from similitude.representation import fingerprint
from similitude.store import digest_of

from ._checkpoint import load_run, save_run
from ._evaluate import Inputs, count, predict, take
from ._network import RelativeNetwork
from ._parameters import parameter_groups
from ._recipe import Recipe, warmup_cosine
from ._steps import Penalty, Sampler, Stage, Steps, shuffled


@dataclass(frozen=True)
class Tuned:
    """History of a run; the network itself is trained in place.

    Attributes
    ----------
    losses, penalties
        Mean cross-entropy of the samples of every step, and the penalty added to it.
    scores
        Scores on the validation samples after every epoch; empty without validation.
    """

    losses: tuple[float, ...]
    penalties: tuple[float, ...]
    scores: tuple[ClassScores, ...]


def fine_tune(
    network: RelativeNetwork,
    x: Inputs,
    labels: Any,
    recipe: Recipe = Recipe(),  # noqa: B008
    *,
    rng: Rng,
    anchors: Inputs = None,
    reference: Inputs = None,
    validation: tuple[Inputs, Any] | None = None,
    penalty: Penalty | None = None,
    sampler: Sampler = shuffled,
    layers: Sequence[nn.Module] | None = None,
    checkpoint: str | Path | None = None,
    every: int | None = None,
) -> Tuned:
    """Train encoder and head on a classification task, with AdamW.

    The anchors are embedded again every ``recipe.refresh`` steps and after every
    epoch, in evaluation mode and without gradients. Weights that do not require
    gradients stay fixed. If all weights of the encoder are fixed, it stays in
    evaluation mode and the anchors are not embedded again.

    The state of PyTorch's generators is restored: batches and dropout depend only on
    `rng` and the number of the step. A resumed run on the same machine therefore ends
    with the same weights as an uninterrupted run.

    Parameters
    ----------
    network
        Trained in place.
    x, labels
        Inputs and classes numbered from 0. Inputs are a tensor, a numpy array, or a
        mapping of names to them; floats are converted to the weights' precision.
    rng
        Seed of batches and dropout. The initial weights are those of the network.
    anchors, reference
        The inputs that the network was created with; not needed if the encoder is not
        trained.
    validation
        Inputs and classes, scored after every epoch.
    penalty
        A term added to the loss of every forward pass. It gets the rows before and
        after the relative layer, and the step number. See `Densification`.
    sampler
        A function from labels, recipe and a generator to the forward passes of one
        epoch. By default all samples once, in random order.
    layers
        Layers of the encoder from input to output, for ``recipe.layer_decay``.
    checkpoint
        A file written every `every` steps, or after every epoch. If it exists, a run
        with the same recipe, labels and seed resumes from it. Penalty, sampler and
        inputs are assumed to be the same.
    """
    labels = _check(network, x, labels, anchors)
    steps = Steps(labels, recipe, sampler, as_seed(rng))
    if every is not None:
        check_at_least("every", every, 1)
    groups = parameter_groups(network.encoder, network.head, recipe, layers)
    run = _Run(network, recipe, steps, torch.optim.AdamW(groups), penalty)
    run_id = _fingerprint(network, recipe, labels, as_seed(rng))
    if checkpoint is not None and Path(checkpoint).exists():
        run.resume(checkpoint, run_id)
    targets = torch.as_tensor(labels).to(device_of(network))
    anchors_move = network.relative is not None and network.encoder_is_trained
    with _restored_generators(network):
        for step in range(run.step, steps.total):
            if anchors_move and step % recipe.refresh == 0:
                network.refresh(anchors, reference)
            run.advance(x, targets)
            epoch_ended = run.step % steps.per_epoch == 0
            if epoch_ended and anchors_move:
                network.refresh(anchors, reference)
            if epoch_ended and validation is not None:
                run.scores.append(_score(network, *validation))
            due = run.step % every == 0 if every else epoch_ended
            if checkpoint is not None and due:
                run.save(checkpoint, run_id)
    network.eval()
    return Tuned(tuple(run.losses), tuple(run.penalties), tuple(run.scores))


class _Run:
    """The state that changes during training."""

    def __init__(
        self,
        network: RelativeNetwork,
        recipe: Recipe,
        steps: Steps,
        optimizer: torch.optim.Optimizer,
        penalty: Penalty | None,
    ) -> None:
        self.network, self.recipe, self.steps = network, recipe, steps
        self.optimizer, self.penalty = optimizer, penalty
        self.peak_rates = [group["lr"] for group in optimizer.param_groups]
        self.weights = [w for g in optimizer.param_groups for w in g["params"]]
        self.warmup = round(recipe.warmup * steps.per_epoch)
        self.step = 0
        self.losses: list[float] = []
        self.penalties: list[float] = []
        self.scores: list[ClassScores] = []

    def advance(self, x: Inputs, targets: Tensor) -> None:
        """Take one step with the mean gradient over all samples of its passes."""
        _seed_generators(self.steps.seed(self.step), targets.device)
        passes = self.steps.passes(self.step)
        share = 1.0 / sum(len(part) for part in passes)
        self.network.train()
        self.optimizer.zero_grad()
        loss_sum = penalty_sum = 0.0
        for number, part in enumerate(passes):
            loss, extra = self._forward(x, targets, part, (number, len(passes)))
            (share * len(part) * (loss + extra)).backward()
            loss_sum += share * len(part) * loss.item()
            penalty_sum += share * len(part) * extra.item()
        if not math.isfinite(loss_sum + penalty_sum):
            raise Undefined(
                f"at step {self.step} the loss is {loss_sum} and the penalty is "
                f"{penalty_sum}; lower the learning rates, or check the inputs."
            )
        nn.utils.clip_grad_norm_(self.weights, self.recipe.clip)
        factor = warmup_cosine(self.step, self.steps.total, self.warmup)
        groups = self.optimizer.param_groups
        for group, peak in zip(groups, self.peak_rates, strict=True):
            group["lr"] = factor * peak
        self.optimizer.step()
        self.losses.append(loss_sum)
        self.penalties.append(penalty_sum)
        self.step += 1

    def _forward(
        self, x: Inputs, targets: Tensor, part: np.ndarray, position: tuple[int, int]
    ) -> tuple[Tensor, Tensor]:
        rows = torch.as_tensor(part).to(targets.device)
        out = self.network.see(take(x, part, self.network))
        if out.logits.shape[1] <= targets[rows].max():
            raise InvalidInput(
                f"labels go up to {targets.max().item()}, but the head has "
                f"{out.logits.shape[1]} classes; number the classes from 0."
            )
        loss = nn.functional.cross_entropy(out.logits, targets[rows])
        if self.penalty is None:
            return loss, torch.zeros_like(loss)
        progress = (self.step, self.steps.total, *position)
        stage = Stage(out.pre, out.post, targets[rows], *progress)
        return loss, self.penalty(stage)

    def save(self, path: str | Path, run_id: str) -> None:
        scores = [[s.accuracy, s.f1] for s in self.scores]
        state = {
            "run": run_id,
            "step": self.step,
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "history": [self.losses, self.penalties, scores],
        }
        save_run(path, state)

    def resume(self, path: str | Path, run_id: str) -> None:
        found = load_run(path)
        if found["run"] != run_id:
            raise InvalidInput(
                f"checkpoint={path} belongs to another run ({found['run']}; this run "
                f"is {run_id}). Give another path, or delete the file."
            )
        self.network.load_state_dict(found["network"])
        self.optimizer.load_state_dict(found["optimizer"])
        self.step = found["step"]
        self.losses, self.penalties, scores = found["history"]
        self.scores = [ClassScores(a, f1, None) for a, f1 in scores]


def _check(
    network: RelativeNetwork, x: Inputs, labels: Any, anchors: Inputs
) -> np.ndarray:
    labels = labels.cpu().numpy() if isinstance(labels, Tensor) else np.asarray(labels)
    integers = labels.ndim == 1 and labels.dtype.kind in "iu" and labels.size > 0
    if not integers or labels.min() < 0:
        raise InvalidInput(
            f"labels must be classes numbered from 0, one per sample; got shape "
            f"{labels.shape} and dtype {labels.dtype}"
            f"{f', minimum {labels.min()}' if integers else ''}."
        )
    if count(x, "x") != len(labels):
        raise InvalidInput(
            f"x has {count(x, 'x')} samples, but there are {len(labels)} labels; give "
            f"one label per sample."
        )
    if anchors is None and network.relative is not None and network.encoder_is_trained:
        raise InvalidInput(
            "anchors is missing: training the encoder changes the anchors' embeddings. "
            "Give the inputs that the network was created with."
        )
    return labels.astype(np.int64)


def _score(network: RelativeNetwork, x: Inputs, labels: Any) -> ClassScores:
    return class_scores(predict(network, x).argmax(dim=1), labels)


def _fingerprint(
    network: RelativeNetwork, recipe: Recipe, labels: Any, seed: np.random.SeedSequence
) -> str:
    """Hash the recipe, transform, seed and labels of a run."""
    transform = network.transform
    request = {
        "recipe": str(recipe),
        "transform": None if transform is None else transform.to_json(),
        "seed": [str(seed.entropy), list(seed.spawn_key)],
        "labels": fingerprint(labels),
    }
    return digest_of(request)[:12]


@contextmanager
def _restored_generators(network: nn.Module) -> Iterator[None]:
    device = device_of(network)
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        yield


def _seed_generators(seed: int, device: torch.device) -> None:
    # torch.manual_seed would also seed devices that this run does not use.
    torch.default_generator.manual_seed(seed)
    if device.type == "cuda":
        torch.cuda.manual_seed(seed)
