"""Compare two networks: `compare_models` against torch_cka and pytorch-cka on the CPU.

    pip install torch-cka==0.21 pytorch-cka==1.1.3   # for the comparison only
    python benchmarks/models.py [--images N] [--rows N] [--repeats R] [--json]

Two ResNet-20 with different random weights, their nine blocks, 81 pairs, the same
batches of digits, one thread, float32. Peers flatten the feature maps, so
`compare_models` does too. Peers add the unbiased HSIC of batches and divide the sums
(minibatch CKA); `compare_models` uses all rows at once, and adds intervals. "to
batches" is the largest difference from the formula of the peers in float64, "to ours"
from `compare_models`. "sorted batches" is that formula if each batch has images of one
brightness: it compares rows only within batches. The last part runs `compare_models`
over more and more rows, and prints the memory. `--images 0` and `--rows 0` skip one
part.
"""

import contextlib
import importlib.metadata
import importlib.util
import io
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

import similitude as sim
from common.harness import command, peak_over, report
from similitude_lab.networks import ResNet20

BATCH = 64
BLOCKS = [f"encoder.{stage}.{block}" for stage in (1, 2, 3) for block in range(3)]


def network(seed: int, images: Tensor) -> nn.Module:
    """Random weights; the statistics of batch normalization are those of images."""
    found = ResNet20(seed=seed).train()
    for part in found.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.momentum = 1.0
    with torch.no_grad():
        found(images)
    return found.eval()


def digits(count: int) -> Tensor:
    """Random digits of 8 x 8 pixels, enlarged to the 32 x 32 x 3 of a ResNet-20."""
    pixels = sim.networks.data.load_dataset("digits").inputs.reshape(-1, 1, 8, 8) / 16
    chosen = np.random.default_rng(0).permutation(len(pixels))[:count]
    small = torch.tensor(pixels[chosen], dtype=torch.float32).expand(-1, 3, -1, -1)
    return nn.functional.interpolate(small, size=32)


def loader(images: Tensor) -> DataLoader:
    return DataLoader(TensorDataset(images), batch_size=BATCH)


def torch_cka(a: nn.Module, b: nn.Module, images: Tensor) -> np.ndarray:
    from torch_cka import CKA

    found = CKA(a, b, "a", "b", BLOCKS, BLOCKS, device="cpu")
    with torch.no_grad():  # without it, the graphs of all batches are kept
        found.compare(loader(images))
    return found.export()["CKA"].numpy()


def pytorch_cka(a: nn.Module, b: nn.Module, images: Tensor) -> np.ndarray:
    (found,) = _package("pytorch-cka", "cka").compute_cka(
        a, b, loader(images), layers=BLOCKS, device="cpu", progress=False
    )
    return found.numpy()


def _package(distribution: str, name: str) -> Any:
    """An installed package; benchmarks/cka.py has its name, and would be found."""
    try:
        folder = importlib.metadata.distribution(distribution).locate_file(name)
    except importlib.metadata.PackageNotFoundError as error:
        raise ImportError(name=distribution) from error
    spec = importlib.util.spec_from_file_location(
        name, Path(str(folder), "__init__.py")
    )
    if spec is None or spec.loader is None:
        raise ImportError(name=distribution)
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def ours(a: nn.Module, b: nn.Module, images: Tensor) -> np.ndarray:
    found = sim.compare_models(
        {"a": a, "b": b},
        images,
        layers=BLOCKS,
        reducer="flatten",
        permutations=0,
        batch_size=BATCH,
        progress=None,
    )
    return _grid(found)


def _grid(found: sim.Results) -> np.ndarray:
    scores = {(r.a_layer, r.b_layer): r.score for r in found.rows if r.a_model == "a"}
    return np.array([[scores[one, two] for two in BLOCKS] for one in BLOCKS])


def by_batches(a: nn.Module, b: nn.Module, images: Tensor) -> np.ndarray:
    """The formula of the peers in float64: sums of the unbiased HSIC of batches."""
    sums = np.zeros((3, len(BLOCKS), len(BLOCKS)))
    for start in range(0, len(images), BATCH):
        batch = images[start : start + BATCH]
        rows = [_centered_off_diagonal(_blocks(net, batch)) for net in (a, b)]
        for place, (x, y) in enumerate((rows, (rows[0],) * 2, (rows[1],) * 2)):
            sums[place] += x @ y.T
    own = np.sqrt(np.outer(np.diag(sums[1]), np.diag(sums[2])))
    return sums[0] / own


def _blocks(net: nn.Module, batch: Tensor) -> list[Tensor]:
    found: list[Tensor] = []
    parts = dict(net.named_modules())
    hooks = [
        parts[name].register_forward_hook(
            lambda m, i, out: found.append(out.flatten(1))
        )
        for name in BLOCKS
    ]
    with torch.inference_mode():
        net(batch)
    for hook in hooks:
        hook.remove()
    return found


def _centered_off_diagonal(rows: list[Tensor]) -> np.ndarray:
    """U-centered Gram matrices (Szekely and Rizzo), whose products are HSIC."""
    grams = []
    for x in rows:
        gram = x.double().numpy() @ x.double().numpy().T
        np.fill_diagonal(gram, 0.0)
        n = len(gram)
        means = gram.sum(axis=1) / (n - 2)
        gram = gram - means[:, None] - means + gram.sum() / ((n - 1) * (n - 2))
        np.fill_diagonal(gram, 0.0)
        grams.append(gram.ravel())
    return np.array(grams)


def timed(run: Callable[[], np.ndarray]) -> tuple[float, np.ndarray | None, str]:
    """CPU seconds and the grid, or the reason why there is none."""
    start = time.process_time()
    try:
        with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = run()
    except ImportError as error:
        return float("nan"), None, f"not installed ({error.name})"
    return time.process_time() - start, found, ""


def against_peers(images: Tensor, repeats: int) -> list[dict[str, Any]]:
    a, b = network(0, images[:128]), network(1, images[:128])
    calls = {
        "compare_models": ours,
        "pytorch-cka": pytorch_cka,
        "torch_cka": torch_cka,
    }
    grids, best = {}, dict.fromkeys(calls, np.inf)
    reasons = {}
    for _ in range(repeats):
        for name, call in calls.items():
            seconds, grid, reasons[name] = timed(lambda c=call: c(a, b, images))
            best[name] = min(best[name], seconds)
            grids[name] = grid
    batches, everything = by_batches(a, b, images), grids["compare_models"]
    # The sums of peers depend on the order: here, each batch has similar images.
    order = images.mean(dim=(1, 2, 3)).argsort()
    grids["sorted batches"] = by_batches(a, b, images[order])
    best["sorted batches"], reasons["sorted batches"] = float("nan"), ""
    return [
        {
            "name": name,
            "seconds": best[name],
            "ratio": best[name] / best["compare_models"],
            "reason": reasons[name],
            "first": None if grid is None else float(grid[0, 0]),
            "last": None if grid is None else float(grid[-1, -1]),
            "to_ours": None if grid is None else _largest(grid, everything),
            "to_batches": None if grid is None else _largest(grid, batches),
        }
        for name, grid in grids.items()
    ]


def _largest(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.abs(x - y).max())


class Generated:
    """Batches of random rows, made when they are read."""

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def __iter__(self) -> Any:
        for number in range(self.rows // 1000):
            rng = np.random.default_rng(number)
            yield torch.from_numpy(rng.standard_normal((1000, 32), dtype=np.float32))


def memory(rows: int) -> dict[str, Any]:
    torch.manual_seed(0)
    a, b = (
        nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64)) for _ in "ab"
    )
    start = time.process_time()
    peak, found = peak_over(
        lambda: sim.compare_models(
            {"a": a, "b": b}, Generated(rows), permutations=0, progress=None
        )
    )
    return {
        "rows": rows,
        "n": found.rows[0].n,
        "peak_mib": 1024 * peak,
        "seconds": time.process_time() - start,
    }


def show(found: dict) -> None:
    print(f"two ResNet-20, 81 pairs of blocks, {found['images']} digits")
    print("                CPU s  ratio  first block  last block  to ours  to batches")
    for row in found["peers"]:
        if row["reason"]:
            print(f"{row['name']:<14}  {row['reason']}")
            continue
        print(
            f"{row['name']:<14}  {row['seconds']:5.1f}  {row['ratio']:5.2f}  "
            f"{row['first']:11.4f}  {row['last']:10.4f}  {row['to_ours']:7.1e}  "
            f"{row['to_batches']:10.1e}"
        )
    print("rows       scores of n  peak MiB over the start  CPU s")
    for row in found["memory"]:
        print(
            f"{row['rows']:9,}  {row['n']:11,}  {row['peak_mib']:23.0f}  "
            f"{row['seconds']:5.1f}"
        )


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--images", type=int, default=512)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(1)
    images = digits(options.images)
    sizes = [options.rows // 100, options.rows // 10, options.rows]
    with sim.config(memory_budget=4 * 2**30):  # an image has 172,032 values
        peers = against_peers(images, options.repeats) if len(images) else []
    found = {
        "images": options.images,
        "memory": [memory(rows) for rows in sizes if rows],
        "peers": peers,
    }
    report(found, show, as_json=options.json)


if __name__ == "__main__":
    main()
