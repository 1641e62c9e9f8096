"""The loop: steps, schedule, anchors that follow the encoder, checkpoints."""

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..._seed import Rng, as_seed
from ..._validate import check_at_least
from ...align import ClassScores, class_scores
from ...errors import InvalidInput, Undefined
from .._weights import device_of
from ._checkpoint import load_run, save_run
from ._evaluate import predict
from ._network import RelativeNetwork
from ._parameters import parameter_groups
from ._recipe import Recipe, warmup_cosine
from ._rows import Inputs, count, take
from ._steps import Penalty, Sampler, Stage, Steps, shuffled


@dataclass(frozen=True)
class Tuned:
    """What a run has to show; the network itself was trained in place.

    Attributes
    ----------
    losses, penalties
        Of every step: mean cross-entropy of its samples, and what was added to it.
    scores
        On the validation samples, after every epoch; empty if there are none.
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
    epoch, in evaluation mode and without gradients. Weights that need no gradient are
    left alone; an encoder that has no others stays in evaluation mode, and anchors
    where they are.

    The state of PyTorch's generators is left as it was: batches and dropout follow
    from `rng` and the number of the step alone. So does a run that was stopped and
    goes on: on the same machine it ends with the weights that it would have had.

    Parameters
    ----------
    network
        Trained in place.
    x, labels
        Inputs (a tensor, a numpy array, or a mapping of names to them; floating
        numbers are taken in the precision of the weights) and classes from 0 on.
    rng
        For batches and dropout. Initial weights are those of the network.
    anchors, reference
        The inputs that the network was made with; not needed where the encoder is not
        trained.
    validation
        Inputs and classes, scored after every epoch.
    penalty
        A term that is added to the loss of every forward pass: it sees the rows before
        and after the relative layer, and how far training is. See `Densification`.
    sampler
        Which samples meet: labels, recipe and a generator to the forward passes of
        one epoch. By default all samples once, in random order.
    layers
        Of the encoder, from the input upwards, for ``recipe.layer_decay``.
    checkpoint
        A file that is written every `every` steps, or after every epoch; from which a
        run with the same recipe, labels and seed goes on. Penalty, sampler and inputs
        are taken to be the same.
    """
    labels = _check(network, x, labels, anchors)
    steps = Steps(labels, recipe, sampler, as_seed(rng))
    if every is not None:
        check_at_least("every", every, 1)
    groups = parameter_groups(network.encoder, network.head, recipe, layers)
    run = _Run(network, recipe, steps, torch.optim.AdamW(groups), penalty)
    name = _fingerprint(network, recipe, labels, as_seed(rng))
    if checkpoint is not None and Path(checkpoint).exists():
        run.resume(checkpoint, name)
    targets = torch.as_tensor(labels).to(device_of(network))
    moving = network.relative is not None and network.encoder_is_trained
    with _own_generators(network):
        for step in range(run.step, steps.total):
            if moving and step % recipe.refresh == 0:
                network.refresh(anchors, reference)
            run.advance(x, targets)
            ended = run.step % steps.per_epoch == 0
            if ended and moving:
                network.refresh(anchors, reference)
            if ended and validation is not None:
                run.scores.append(_score(network, *validation))
            if checkpoint is not None and (run.step % every == 0 if every else ended):
                run.save(checkpoint, name)
    network.eval()
    return Tuned(tuple(run.losses), tuple(run.penalties), tuple(run.scores))


class _Run:
    """Everything that changes while training."""

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
        self.highest = [group["lr"] for group in optimizer.param_groups]
        self.weights = [w for g in optimizer.param_groups for w in g["params"]]
        self.warmup = round(recipe.warmup * steps.per_epoch)
        self.step = 0
        self.losses: list[float] = []
        self.penalties: list[float] = []
        self.scores: list[ClassScores] = []

    def advance(self, x: Inputs, targets: Tensor) -> None:
        """One step: the mean gradient over all samples of its forward passes."""
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
                f"the loss is {loss_sum} and the penalty {penalty_sum} at step "
                f"{self.step}; lower the learning rates, or look at the inputs."
            )
        nn.utils.clip_grad_norm_(self.weights, self.recipe.clip)
        factor = warmup_cosine(self.step, self.steps.total, self.warmup)
        groups = self.optimizer.param_groups
        for group, highest in zip(groups, self.highest, strict=True):
            group["lr"] = factor * highest
        self.optimizer.step()
        self.losses.append(loss_sum)
        self.penalties.append(penalty_sum)
        self.step += 1

    def _forward(
        self, x: Inputs, targets: Tensor, part: np.ndarray, place: tuple[int, int]
    ) -> tuple[Tensor, Tensor]:
        rows = torch.as_tensor(part).to(targets.device)
        seen = self.network.see(take(x, part, self.network))
        if seen.logits.shape[1] <= targets[rows].max():
            raise InvalidInput(
                f"labels go up to {targets.max().item()} and the head has "
                f"{seen.logits.shape[1]} classes; number them from 0 on."
            )
        loss = nn.functional.cross_entropy(seen.logits, targets[rows])
        if self.penalty is None:
            return loss, torch.zeros_like(loss)
        when = (self.step, self.steps.total, *place)
        stage = Stage(seen.pre, seen.post, targets[rows], *when)
        return loss, self.penalty(stage)

    def save(self, path: str | Path, name: str) -> None:
        scores = [[s.accuracy, s.f1] for s in self.scores]
        state = {
            "run": name,
            "step": self.step,
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "history": [self.losses, self.penalties, scores],
        }
        save_run(path, state)

    def resume(self, path: str | Path, name: str) -> None:
        found = load_run(path)
        if found["run"] != name:
            raise InvalidInput(
                f"{path} belongs to another run ({found['run']}; this is {name}). Give "
                f"another path, or delete it."
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
    whole = labels.ndim == 1 and labels.dtype.kind in "iu" and labels.size > 0
    if not whole or labels.min() < 0:
        raise InvalidInput(
            f"labels must be classes from 0 on, one per sample; got shape "
            f"{labels.shape} and dtype {labels.dtype}"
            f"{f', the least {labels.min()}' if whole else ''}."
        )
    if count(x, "x") != len(labels):
        raise InvalidInput(
            f"x has {count(x, 'x')} samples and there are {len(labels)} labels."
        )
    if anchors is None and network.relative is not None and network.encoder_is_trained:
        raise InvalidInput(
            "anchors are needed: the encoder is trained, and its anchors move with it. "
            "Give the inputs that the network was made with."
        )
    return labels.astype(np.int64)


def _score(network: RelativeNetwork, x: Inputs, labels: Any) -> ClassScores:
    return class_scores(predict(network, x).argmax(dim=1), labels)


def _fingerprint(
    network: RelativeNetwork, recipe: Recipe, labels: Any, seed: np.random.SeedSequence
) -> str:
    """Of what a run depends on and can be told from a few bytes."""
    transform = "none"
    if network.transform is not None:
        transform = json.dumps(network.transform.to_json())
    parts = f"{recipe} {transform} {seed.entropy} {seed.spawn_key}".encode()
    classes = np.asarray(labels, dtype=np.int64).tobytes()
    return hashlib.sha256(parts + classes).hexdigest()[:12]


@contextmanager
def _own_generators(network: nn.Module) -> Iterator[None]:
    device = device_of(network)
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        yield


def _seed_generators(seed: int, device: torch.device) -> None:
    # Not torch.manual_seed, which would also seed devices that are not ours.
    torch.default_generator.manual_seed(seed)
    if device.type == "cuda":
        torch.cuda.manual_seed(seed)
