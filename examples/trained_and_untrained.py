"""Compare two networks trained on digits with their untrained twins as a baseline.

    python examples/trained_and_untrained.py

A multilayer perceptron and a convolutional network are compared on 300 held-out images,
at their last hidden layer. Their score looks convincing, and so does its p-value. Three
baselines explain the score. The untrained networks show how much of it was learned. The
same architectures trained from another seed show how high it can get. The images show
how much of it comes from the inputs.
"""

import textwrap
from collections.abc import Callable

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn

import similitude as sim

HELD_OUT = 300


def digits() -> tuple[torch.Tensor, torch.Tensor]:
    """All 1,797 images and their labels, shuffled once."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(images))
    x = torch.asarray(images[order] / 16, dtype=torch.float32).reshape(-1, 1, 8, 8)
    return x, torch.asarray(labels[order])


def mlp() -> nn.Sequential:
    hidden = nn.Sequential(
        nn.Flatten(), nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU()
    )
    return nn.Sequential(hidden, nn.Linear(64, 10))


def cnn() -> nn.Sequential:
    hidden = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 16, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(256, 64),
        nn.ReLU(),
    )
    return nn.Sequential(hidden, nn.Linear(64, 10))


def before_and_after(
    make: Callable[[], nn.Sequential], seed: int, x: torch.Tensor, y: torch.Tensor
) -> tuple[np.ndarray, np.ndarray, float]:
    """The hidden layer on held-out images, untrained and trained, and the accuracy."""
    torch.manual_seed(seed)
    network = make()
    test_x, train_x = x[:HELD_OUT], x[HELD_OUT:]
    with torch.inference_mode():
        before = network[0](test_x).numpy()
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    for _ in range(20):
        for batch in torch.randperm(len(train_x)).split(64):
            target = y[HELD_OUT:][batch]
            loss = nn.functional.cross_entropy(network(train_x[batch]), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.inference_mode():
        correct = network(test_x).argmax(dim=1) == y[:HELD_OUT]
        return before, network[0](test_x).numpy(), float(correct.float().mean())


def main() -> None:
    torch.set_num_threads(1)  # more threads do not speed up small products
    x, y = digits()
    untrained, trained, other_seed = {}, {}, {}
    for name, make in (("mlp", mlp), ("cnn", cnn)):
        untrained[name], trained[name], accuracy = before_and_after(make, 0, x, y)
        _, other_seed[name], _ = before_and_after(make, 1, x, y)
        print(f"{name}: accuracy {accuracy:.0%} on {HELD_OUT} held-out digits")
    images = x[:HELD_OUT].flatten(1).numpy()
    measures = ["cka", "procrustes", "mutual_knn"]

    print("\nBefore training\n")
    alone = sim.compare(untrained, measures, inputs=images)
    print(alone)
    print("\nAfter training, with the untrained and other-seed baselines\n")
    baselines = {"untrained": untrained, "seed": other_seed}
    found = sim.compare(trained, measures, baselines=baselines, inputs=images)
    print(found)
    print()
    print(textwrap.fill(conclusion(alone, found), 80))


def conclusion(alone: sim.Results, found: sim.Results) -> str:
    """The conclusion without baselines, and with them."""
    before = {row.label: row for row in alone.rows}
    after = {row.label: row for row in found.rows}
    cka, p = after["cka"], before["cka"].p
    floor, ceiling = cka.baselines["untrained"], cka.baselines["seed"]
    without = [rows["deconfounded_cka"].score for rows in (before, after)]
    learned = (cka.score - floor) / (ceiling - floor)
    return (
        f"Without baselines, the conclusion would be: two architectures without shared "
        f"weights are similar, CKA {cka.score:.2f} [{cka.low:.2f}, {cka.high:.2f}], p "
        f"{'< 1e-6' if cka.p < 1e-6 else f'= {cka.p:.3f}'}. But the same two networks "
        f"had CKA {floor:.2f} before training, with p "
        f"{'< 1e-6' if p < 1e-6 else f'= {p:.3f}'}. The p-value only shows that both "
        f"networks processed the same images: random layers preserve much of the "
        f"similarity of images. Training increased CKA from {floor:.2f} to "
        f"{cka.score:.2f}. Two seeds of one architecture reach {ceiling:.2f}, so this "
        f"is {learned:.0%} of the possible increase. After removing the images "
        f"(deconfounded CKA), the networks score {without[0]:.2f} before and "
        f"{without[1]:.2f} after training."
    )


if __name__ == "__main__":
    main()
