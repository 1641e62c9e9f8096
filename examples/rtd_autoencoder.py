"""Train an autoencoder of digits with two-dimensional codes, with and without RTD.

    python examples/rtd_autoencoder.py [--steps 600] [--weight 1.0]

Both networks start from the same weights and are trained on the same batches. The loss
of the second is the squared error plus RTD between a batch and its codes: all bars, at
the scale that the network chooses. These scores are printed for 400 held-out images:

mse   squared error divided by the variance of the pixels
rtd   RTD between pixels and codes, without normalizing distances
best  RTD at the best scale of the codes, since the plain loss does not select a scale
rsa   rank correlation of the distances
nts   NTS-M: rank correlation of merge heights (-0.3 by chance in the plane)

It takes less than a minute on one core.
"""

import argparse
import itertools
import time

import numpy as np
import torch
from sklearn.datasets import load_digits

import similitude as sim
from similitude.topology import rtd_loss

BATCH, HELD_OUT = 96, 400


def autoencoder() -> tuple[torch.nn.Module, torch.nn.Module]:
    torch.manual_seed(0)

    def layers(*widths: int) -> torch.nn.Module:
        found: list[torch.nn.Module] = []
        for a, b in itertools.pairwise(widths):
            found += [torch.nn.Linear(a, b), torch.nn.ReLU()]
        return torch.nn.Sequential(*found[:-1])

    return layers(64, 128, 64, 2), layers(2, 64, 128, 64)


def squared_error(decoded: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return torch.mean((decoded - x) ** 2) / x.var(dim=0).mean()


@torch.no_grad()
def scores(
    encoder: torch.nn.Module, decoder: torch.nn.Module, x: torch.Tensor
) -> dict[str, float]:
    code = encoder(x)

    def rtd(scale: float) -> float:
        return float(sim.rtd(x, scale * code, normalize="none"))

    return {
        "mse": float(squared_error(decoder(code), x)),
        "rtd": rtd(1.0),
        "best": min(rtd(scale) for scale in np.geomspace(0.5, 50, 20)),
        "rsa": float(sim.rsa(x, code, inner="euclidean")),
        "nts": float(sim.nts_m(x, code)),
    }


def train(
    train_x: torch.Tensor, test_x: torch.Tensor, weight: float, steps: int
) -> None:
    """Train, and print scores before, during and after training."""
    encoder, decoder = autoencoder()
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], 2e-3)
    draw = np.random.default_rng(0)
    show(0, scores(encoder, decoder, test_x))
    for step in range(1, steps + 1):
        x = train_x[draw.choice(len(train_x), BATCH, replace=False)]
        code = encoder(x)
        loss = squared_error(decoder(code), x)
        if weight:
            loss = loss + weight * rtd_loss(x, code, normalize="none") / BATCH
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % max(1, steps // 3) == 0:
            show(step, scores(encoder, decoder, test_x))


def show(step: int, found: dict[str, float]) -> None:
    print(
        f"  step {step:4d}   mse {found['mse']:.3f}   rtd {found['rtd']:6.2f}   "
        f"best {found['best']:6.2f}   rsa {found['rsa']:.3f}   nts {found['nts']:+.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument(
        "--weight", type=float, default=1.0, help="weight of RTD per row"
    )
    options = parser.parse_args()
    images = torch.tensor(load_digits().data, dtype=torch.float32)
    images = images / torch.quantile(torch.pdist(images[:500]), 0.9)
    order = np.random.default_rng(1).permutation(len(images))
    train_x, test_x = images[order[HELD_OUT:]], images[order[:HELD_OUT]]
    for name, weight in (("plain", 0.0), ("with RTD", options.weight)):
        start = time.perf_counter()
        print(name)
        train(train_x, test_x, weight, options.steps)
        print(f"  {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
