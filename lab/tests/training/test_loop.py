"""One training loop; the order of random draws is that of the loops before it."""

from pathlib import Path

import numpy as np
import torch

import similitude_lab
from similitude_lab.training._loop import descent, set_rates, shuffled, train


def test_gradients_are_computed_in_one_module() -> None:
    root = Path(similitude_lab.__file__).parent
    found = {p.name for p in root.rglob("*.py") if ".backward()" in p.read_text()}
    # Fine-tuning, which came from the library, has steps of its own (two rates, parts).
    assert found == {"_loop.py", "_fine_tune.py"}


def test_batches_and_dropout_share_one_generator_in_the_order_of_a_plain_loop() -> None:
    x, y = torch.linspace(-1, 1, 14).reshape(7, 2), torch.arange(7) % 2

    def network() -> tuple[torch.nn.Module, torch.optim.Optimizer]:
        torch.manual_seed(3)
        parts = torch.nn.Linear(2, 4), torch.nn.Dropout(0.5), torch.nn.Linear(4, 2)
        found = torch.nn.Sequential(*parts)
        return found, torch.optim.Adam(found.parameters(), lr=0.1)

    with torch.random.fork_rng(devices=[]):
        plain, optimizer = network()
        for epoch in range(3):
            for rows in torch.randperm(7).split(3):
                for group in optimizer.param_groups:
                    group["lr"] = 0.1 / (1 + epoch)
                loss = torch.nn.functional.cross_entropy(plain(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(plain.parameters(), 0.3)
                optimizer.step()
    seen = []
    with torch.random.fork_rng(devices=[]):
        ours, optimizer = network()
        step = descent(
            lambda rows: torch.nn.functional.cross_entropy(ours(x[rows]), y[rows]),
            optimizer,
            clip=0.3,
        )
        train(
            shuffled(7, 3, epochs=3),
            step,
            first=9,
            before=lambda n: set_rates(optimizer, 0.1 / (1 + (n - 9) // 3)),
            after=lambda n, rows, loss: seen.append((n, len(rows), loss.item() > 0)),
        )
    assert seen == [(9 + n, 1 if n % 3 == 2 else 3, True) for n in range(9)]
    for a, b in zip(plain.parameters(), ours.parameters(), strict=True):
        np.testing.assert_array_equal(a.detach(), b.detach())
