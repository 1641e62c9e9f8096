"""Stitch the encoders and decoders of six networks trained on digits.

    python lab/examples/stitching_digits.py [--out FOLDER] [--quick]

Two architectures (an MLP and a CNN), three seeds each. Every encoder is stitched to
every decoder in four ways: directly, by maps between the two spaces, by relative
representations (zero-shot, with 128 parallel anchors drawn for each seed of the table),
and by trained stitch layers. Finally the six networks are trained again *through* a
robust relative layer. Their heads are then exchanged without any map.

Writes all cells (cells/; run the same command again to resume), the means (summary.csv)
and the paired differences with their intervals (differences.csv). It takes about a
minute and a half on two cores.
"""

import argparse
import csv
import itertools
import time
from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits
from torch import nn

from similitude import networks as nets
from similitude.latent import align
from similitude.latent.align.relative import Robust, WhitenedCosine
from similitude.latent.stitching import (
    Decoder,
    LogisticHead,
    StitchingData,
    StitchingTable,
    stitching_table,
    train_stitch,
)
from similitude_lab.training.tuning import Recipe, RelativeNetwork, fine_tune, predict

ARCHITECTURES = {
    "mlp": partial(nets.SmallMLP, 64, (128, 64)),
    "cnn": partial(nets.SmallCNN, 8, (16, 16), 64),
}
TRANSFORMS = {
    "affine": partial(align.fit_affine, ridge=1.0),
    "monomial": align.fit_monomial,
    "cosine": align.relative.Cosine(),
    "scaled cosine": align.relative.ScaledCosine(),
    "centered cosine": align.relative.CenteredCosine(),
    "robust": Robust(),
    "whitened cosine": WhitenedCosine(shrinkage=0.1),
}
TRAIN, ANCHORS, TEST = slice(0, 900), slice(900, 1200), slice(1200, None)
RECIPE = Recipe(epochs=15, batch=64, head_rate=3e-3, encoder_rate=3e-3, refresh=5)


def digits() -> tuple[torch.Tensor, np.ndarray]:
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(images))
    x = torch.asarray(images[order] / 16, dtype=torch.float32).reshape(-1, 1, 8, 8)
    return x, labels[order]


def trained(x: torch.Tensor, y: np.ndarray, seeds: Iterable[int]) -> dict[str, Any]:
    """Train the encoder and head of every architecture and seed."""
    found = {}
    for (kind, make), seed in itertools.product(ARCHITECTURES.items(), seeds):
        net = make(seed=seed)
        whole = RelativeNetwork(net.encoder, None, net.head)
        fine_tune(whole, x[TRAIN], y[TRAIN], RECIPE, rng=seed)
        found[f"{kind} {seed}"] = net.eval()
    return found


def zero_shot(
    networks: dict[str, Any],
    x: torch.Tensor,
    y: np.ndarray,
    seeds: list[int],
    out: Path,
) -> StitchingTable:
    """Absolute rows and maps use the trained heads; relative rows use new heads."""
    data = StitchingData(y[TRAIN], y[TEST], x[TRAIN], x[TEST], x[ANCHORS])
    encoders = {name: net.encoder for name, net in networks.items()}
    head = LogisticHead(ridge=1e-3, iterations=200)
    decoders = {n: Decoder(n, head, live=net.head) for n, net in networks.items()}
    return stitching_table(
        encoders,
        decoders,
        data,
        TRANSFORMS,
        seeds,
        anchors=128,
        out=out / "cells",
    )


def stitch_layers(
    networks: dict[str, Any], x: torch.Tensor, y: np.ndarray
) -> list[dict[str, Any]]:
    """Train a linear layer before the head, or a 1 x 1 convolution after block one."""
    rows, labels = [], torch.asarray(y)
    parts = (x[TRAIN], labels[TRAIN]), (x[TEST], labels[TEST])
    for a, b in itertools.permutations(networks, 2):
        front, own = networks[a].encoder, networks[b].encoder
        kinds = [("linear", front, own, networks[b].head)]
        if a[:3] == b[:3] == "cnn":
            back = nn.Sequential(*own[1:], networks[b].head)
            kinds.append(("1 x 1 convolution", front[:1], own[:1], back))
        for kind, *halves in kinds:
            found = train_stitch(*halves, *parts, rng=0, epochs=3)
            accuracy, drop = found.accuracy, found.drop
            row = {"encoder": a, "decoder": b, "layer": kind}
            rows.append(row | {"accuracy": accuracy, "drop": drop})
    return rows


def through_robust(
    x: torch.Tensor, y: np.ndarray, seeds: Iterable[int]
) -> dict[tuple[str, str], float]:
    """Train networks through a relative layer; accuracy by (encoder, head)."""
    anchors, networks = x[ANCHORS][:128], {}
    for (kind, make), seed in itertools.product(ARCHITECTURES.items(), seeds):
        torch.manual_seed(seed)
        encoder, head = make(seed=seed).encoder, nn.Linear(128, 10)
        net = RelativeNetwork(encoder, Robust(), head, anchors=anchors)
        fine_tune(net, x[TRAIN], y[TRAIN], RECIPE, rng=seed, anchors=anchors)
        networks[f"{kind} {seed}"] = net
    found = {}
    with torch.no_grad():
        for (a, one), (b, other) in itertools.product(networks.items(), repeat=2):
            relative = one.relative(predict(one.encoder, x[TEST]))
            guess = other.head(relative).argmax(dim=1).numpy()
            found[a, b] = 100.0 * float(np.mean(guess == y[TEST]))
    return found


def show(table: StitchingTable) -> None:
    """Print means for the own, same-kind and other networks, and paired differences."""
    scores = {(s.encoder, s.decoder, s.transform): s.mean for s in table.summary()}
    print(
        f"{'':16}{'own':>6}{'same kind':>10}{'other':>7}   stitched, minus procrustes"
    )
    gaps = table.differences("procrustes", over="samples")
    for name in table.transforms:
        places = {p[:2]: v for p, v in scores.items() if p[2] == name}
        groups = [
            [v for (a, b), v in places.items() if a == b],
            [v for (a, b), v in places.items() if a != b and a[:3] == b[:3]],
            [v for (a, b), v in places.items() if a[:3] != b[:3]],
        ]
        own, same, other = (f"{np.mean(g):.2f}" if g else "-" for g in groups)
        line = f"{name:16}{own:>6}{same:>10}{other:>7}"
        pairs = [g for g in gaps if g.transform == name and g.encoder != g.decoder]
        if pairs:
            above, below = sum(g.low > 0 for g in pairs), sum(g.high < 0 for g in pairs)
            mean = np.mean([g.mean for g in pairs])
            line += f"   {mean:+6.2f} (of {len(pairs)}: {above} above 0, {below} below)"
        print(line)
    print("(above, below: cells whose 95 % interval over test samples excludes 0)")


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("stitching"))
    parser.add_argument("--quick", action="store_true", help="two networks, one draw")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    with threadpool_limits(1):
        run(options.out, 1 if options.quick else 3)


def run(out: Path, count: int) -> None:
    start, (x, y), seeds = time.perf_counter(), digits(), range(count)
    networks = trained(x, y, seeds)
    table = zero_shot(networks, x, y, list(seeds), out)
    print(
        f"accuracy %, {len(table.cells):,} cells, {time.perf_counter() - start:.0f} s\n"
    )
    show(table)
    write(out / "summary.csv", [asdict(s) for s in table.summary()])
    gaps = [
        asdict(d)
        for against in ("absolute", "procrustes")
        for d in table.differences(against, over="samples")
    ]
    write(out / "differences.csv", gaps)
    print(
        "\ntrained stitch layers: accuracy, and change from the decoder's own encoder"
    )
    layers = stitch_layers(networks, x, y)
    write(out / "layers.csv", layers)
    for kind in dict.fromkeys(row["layer"] for row in layers):
        rows = [row for row in layers if row["layer"] == kind]
        mean, drop = (np.mean([row[k] for row in rows]) for k in ("accuracy", "drop"))
        worst = max(row["drop"] for row in rows)
        print(f"{kind:18}{mean:8.2f}   {-drop:+.2f}, at worst {-worst:+.2f}")
    found = through_robust(x, y, seeds)
    own = np.mean([v for (a, b), v in found.items() if a == b])
    stitched = np.mean([v for (a, b), v in found.items() if a != b])
    print(f"\ntrained through robust{own:8.2f} own{stitched:9.2f} stitched")
    print(f"\n{out}/: {time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    main()
