"""Language models with a random recurrent cell, trained for a short time."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ...training._loop import descent
from ...training._loop import train as run_training
from ._cells import Cell, Setting

RATE, CLIP = 3e-3, 0.5


class RecurrentCell(nn.Module):
    """One step of a `Cell`; the next state is in (-1, 1), which keeps it finite."""

    def __init__(self, cell: Cell, width: int) -> None:
        super().__init__()
        self.nodes = cell.nodes
        self.linear = nn.ModuleList(
            nn.ModuleList(nn.Linear(width, width) for _ in node.inputs)
            if node.operation == "linear"
            else nn.ModuleList()
            for node in cell.nodes
        )

    def forward(self, word: Tensor, state: Tensor) -> Tensor:
        values = [word, state]
        for node, maps in zip(self.nodes, self.linear, strict=True):
            inputs = [values[number] for number in node.inputs]
            values.append(_apply(node.operation, inputs, maps))
        return torch.tanh(values[-1])


def _apply(operation: str, inputs: list[Tensor], maps: nn.Module) -> Tensor:
    if operation == "linear":
        terms = [one(value) for one, value in zip(maps, inputs, strict=True)]
        return torch.stack(terms).sum(dim=0)
    if operation == "sum":
        return inputs[0] + inputs[1]
    if operation == "product":
        return inputs[0] * inputs[1]
    if operation == "blend":
        gate = torch.sigmoid(inputs[0])
        return gate * inputs[1] + (1 - gate) * inputs[2]
    activation = {
        "tanh": torch.tanh,
        "sigmoid": torch.sigmoid,
        "leaky_relu": functional.leaky_relu,
    }[operation]
    return activation(inputs[0])


class LanguageModel(nn.Module):
    """Predicts the next word; input and output share the word embeddings.

    The first state is learned: from 0, some cells would never leave 0.
    """

    def __init__(self, cell: Cell, words: int, width: int, seed: int) -> None:
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(seed)
            self.embedding = nn.Embedding(words, width)
            nn.init.uniform_(self.embedding.weight, -0.1, 0.1)
            self.cell = RecurrentCell(cell, width)
            self.bias = nn.Parameter(torch.zeros(words))
            self.first = nn.Parameter(torch.rand(width) - 0.5)

    def forward(self, words: Tensor) -> Tensor:
        embedded = self.embedding(words)
        state = self.first.expand(len(words), -1)
        states = []
        for step in range(words.shape[1]):
            state = self.cell(embedded[:, step], state)
            states.append(state)
        return torch.stack(states, dim=1) @ self.embedding.weight.T + self.bias


def loss_of(model: LanguageModel, rows: Tensor) -> Tensor:
    """Mean negative log-likelihood of the next word, in nats."""
    logits = model(rows[:, :-1])
    return functional.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())


def train(
    cell: Cell, text: np.ndarray, setting: Setting, seed: int, device: str = "cpu"
) -> dict[str, np.ndarray]:
    """Word embeddings after training, and the loss on the last tenth of the text."""
    model = LanguageModel(cell, setting.vocabulary, setting.width, seed).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    held_out = len(text) // 10
    batches = _batches(text[:-held_out], setting, setting.steps, seed)
    step = descent(partial(loss_of, model), optimizer, clip=CLIP)
    run_training((rows.to(device) for rows in batches), step)
    with torch.no_grad():
        # The seed 0 gives the same held-out text for all cells.
        rows = _batches(text[-held_out:], setting, max(1, setting.steps // 20), seed=0)
        loss = torch.stack([loss_of(model, row.to(device)) for row in rows]).mean()
    return {
        "embeddings": model.embedding.weight.detach().cpu().numpy().copy(),
        "log_perplexity": np.asarray(float(loss)),
    }


def _batches(
    text: np.ndarray, setting: Setting, steps: int, seed: int
) -> Iterator[Tensor]:
    """Random pieces of the text, `batch` x `length` + 1 words."""
    rng = np.random.default_rng(seed)
    places = np.arange(setting.length + 1)
    for _ in range(steps):
        starts = rng.integers(len(text) - len(places), size=setting.batch)
        yield torch.from_numpy(text[starts[:, None] + places])
