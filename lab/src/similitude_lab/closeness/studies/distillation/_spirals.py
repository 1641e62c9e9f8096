"""Networks on spirals: teachers, and students that are distilled from them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from similitude.errors import require

LABELS, SPIRALS, DIM = 7, 4, 2
LOSSES = ("kl", "l1", "l2")
RATE, DECAY, DROPOUT, WARMUP_RATE = 1e-3, 0.995, 0.1, 1e-3
Points = tuple[np.ndarray, np.ndarray]  # n x 2 inputs, n labels


@dataclass(frozen=True, kw_only=True)
class Training:
    """Width of the three hidden layers, batches, and epochs at the lowest rate."""

    width: int
    batch: int
    warmup: int


def spirals(per_arm: int, rng: np.random.Generator) -> Points:
    """Four spirals of seven arms; each arm has one label.

    The labels are permuted in each spiral, except the first label.
    """
    radius = np.linspace(1, 10, per_arm)
    points, labels = [], []
    for spiral in range(SPIRALS):
        order = [0, *(1 + rng.permutation(LABELS - 1))]
        for arm, label in enumerate(order):
            start = 2 * np.pi * (LABELS * spiral + arm) / (LABELS * SPIRALS)
            width = 0.75 * np.pi / (LABELS * SPIRALS)
            angle = start + 0.1 * np.pi / LABELS * radius
            angle = angle + rng.uniform(-width, width, per_arm)
            points.append(radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1))
            labels.append(np.full(per_arm, label))
    return np.concatenate(points).astype(np.float32), np.concatenate(labels)


def divided(data: Points, rng: np.random.Generator) -> tuple[Points, Points]:
    """Half of the points of each label for training, and a quarter for the test."""
    train, test = [], []
    for label in range(LABELS):
        rows = rng.permutation(np.flatnonzero(data[1] == label))
        half, quarter = len(rows) // 2, len(rows) // 4
        train.append(rows[:half])
        test.append(rows[-quarter:])
    first, second = (
        (data[0][rows], data[1][rows])
        for rows in (np.concatenate(train), np.concatenate(test))
    )
    return first, second


def distillation_loss(kind: str, student: Any, teacher: Any) -> Any:
    """The loss between the logits of a batch, n x K each.

    ``"labels"``: cross-entropy; `teacher` are n labels. ``"kl"``: mean divergence of
    the teacher from the student. ``"l1"``: mean absolute difference over inputs and
    labels. ``"l2"``: squared distance, mean over inputs.
    """
    if kind == "labels":
        torch = require("torch", feature="training of networks", extra="torch")
        return torch.nn.functional.cross_entropy(student, teacher)
    if kind == "l1":
        return (student - teacher).abs().mean()
    if kind == "l2":
        return (student - teacher).square().sum(dim=1).mean()
    log_p, log_q = teacher.log_softmax(dim=1), student.log_softmax(dim=1)
    return (log_p.exp() * (log_p - log_q)).sum(dim=1).mean()


def trained(  # noqa: PLR0917 - what, then on which data, then how
    kind: str,
    target: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    epochs: int,
    seed: int,
    options: Training,
    device: str,
) -> dict[str, np.ndarray]:
    """Embeddings of test points, unembeddings, and the logits of training points.

    `target` has the labels of the training points for a teacher, and the logits of the
    teacher for a student, which is trained without labels; see `distillation_loss`.
    """
    torch = require("torch", feature="training of networks", extra="torch")
    from ....training._loop import descent, set_rates, shuffled
    from ....training._loop import train as run_training

    nn = torch.nn
    x, y = (torch.from_numpy(array).to(device) for array in (train, target))

    def loss(rows: Any) -> Any:
        return distillation_loss(kind, g(f(x[rows])), y[rows])

    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        layers: list[Any] = []
        for before in (2, options.width, options.width):
            layers += [nn.Linear(before, options.width), nn.ReLU(), nn.Dropout(DROPOUT)]
        f = nn.Sequential(*layers, nn.Linear(options.width, DIM)).to(device)
        g = nn.Linear(DIM, LABELS, bias=False).to(device)
        optimizer = torch.optim.Adam([*f.parameters(), *g.parameters()], lr=RATE)
        batches = shuffled(len(x), options.batch, epochs)

        def set_rate(number: int) -> None:
            epoch = number // -(-len(x) // options.batch)
            decayed = DECAY ** max(0, epoch - options.warmup)
            rate = RATE * (WARMUP_RATE if epoch < options.warmup else decayed)
            set_rates(optimizer, rate)

        run_training(batches, descent(loss, optimizer), before=set_rate)
    f.eval()
    with torch.no_grad():
        return {
            "f": f(torch.from_numpy(test).to(device)).cpu().numpy(),
            "g": g.weight.cpu().numpy().copy(),
            "train_logits": g(f(x)).cpu().numpy(),
        }
