"""Time one step of `sim.Monitor` against forward passes of its probe.

    python benchmarks/monitor.py [--steps N] [--repeats R] [--json]

Two networks for digits: a small CNN, and an MLP whose pass takes less than the fixed
cost of a step. The first part interleaves bare forward passes of the probe with steps
of the monitor: processor seconds of the calling thread, then of all threads (with the
thread that writes the store). The second part trains the network for `--steps` steps,
with a step of the monitor every 100, and prints its share of the run. Float32.
"""

import shutil
import statistics
import tempfile
import time
from pathlib import Path

import torch
from torch import Tensor, nn

import similitude as sim
from common.harness import command, report
from similitude.networks import SmallCNN, SmallMLP
from similitude.networks.data import load_dataset

EVERY, BATCH, TARGET = 100, 64, 3.0
SIZES = 397, 1000
NETWORKS = {
    "SmallCNN": (lambda: SmallCNN(seed=0), ["encoder.?"]),
    "SmallMLP": (lambda: SmallMLP(seed=0), ["encoder.?"]),
}


def digits() -> tuple[Tensor, Tensor]:
    found = load_dataset("digits")
    images = torch.tensor(found.inputs / 16, dtype=torch.float32).view(-1, 1, 8, 8)
    return images, torch.tensor(found.labels)


def one_step(name: str, probe: Tensor, repeats: int) -> dict:
    """Medians of interleaved passes and steps."""
    build, layers = NETWORKS[name]
    model, folder = build(), Path(tempfile.mkdtemp())
    monitor = sim.Monitor(
        model, probe, layers, reducer="mean", batch_size=len(probe), out=folder
    )
    found: dict[str, list[float]] = {"forward": [], "step": [], "all_threads": []}
    try:
        for number in range(repeats):
            with torch.no_grad():
                for weights in model.parameters():
                    weights += 1e-3 * torch.randn_like(weights)
            model.eval()
            with torch.inference_mode():
                start = time.thread_time()
                model(probe)
                found["forward"].append(time.thread_time() - start)
            own, every = time.thread_time(), time.process_time()
            monitor.step(number)
            found["step"].append(time.thread_time() - own)
            monitor.flush()
            found["all_threads"].append(time.process_time() - every)
        monitor.close()
    finally:
        shutil.rmtree(folder)
    times = {key: statistics.median(values[2:]) for key, values in found.items()}
    times["ratio"] = times["step"] / times["forward"]
    times["ratio_all"] = times["all_threads"] / times["forward"]
    return {"network": name, "probe": len(probe),
            "target": TARGET, **times}  # fmt: skip


def share(images: Tensor, labels: Tensor, probe: Tensor, steps: int) -> dict:
    """The share of the monitor in a training run, and what it said."""
    torch.manual_seed(0)
    build, layers = NETWORKS["SmallCNN"]
    model, folder = build(), Path(tempfile.mkdtemp())
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    watching, scalars = 0.0, {}
    start = time.process_time()
    try:
        with sim.Monitor(model, probe, layers, reducer="mean", out=folder) as monitor:
            for number in range(steps + 1):
                if number % EVERY == 0:
                    before = time.process_time()
                    scalars[number] = monitor.step(number)
                    monitor.flush()
                    watching += time.process_time() - before
                rows = torch.randint(len(images), (BATCH,))
                loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    finally:
        shutil.rmtree(folder)
    total = time.process_time() - start
    return {"steps": steps, "every": EVERY, "seconds": total, "monitor": watching,
            "share": watching / total, "last": scalars[max(scalars)]}  # fmt: skip


def show(found: dict) -> None:
    print("network   probe  forward ms  step ms  ratio  target  with writing")
    for row in found["rows"]:
        print(
            f"{row['network']:<8}  {row['probe']:5}  {1e3 * row['forward']:10.2f}  "
            f"{1e3 * row['step']:7.2f}  {row['ratio']:5.2f}  {row['target']:6}  "
            f"{row['ratio_all']:12.2f}"
        )
    run = found["run"]
    print(
        f"{run['steps']} steps of training, the monitor every {run['every']}: "
        f"{run['monitor']:.2f} of {run['seconds']:.2f} CPU s, {run['share']:.1%}"
    )
    for name, value in run["last"].items():
        print(f"  {name:<28} {value:.3f}")


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=40)
    options = parser.parse_args()
    torch.set_num_threads(1)
    images, labels = digits()
    probe = images[1400:]
    with sim.config(progress="off"):
        rows = [
            one_step(name, images[-size:], options.repeats)
            for name in NETWORKS
            for size in SIZES
        ]
        run = share(images[:1400], labels[:1400], probe, options.steps)
    report({"rows": rows, "run": run}, show, as_json=options.json)


if __name__ == "__main__":
    main()
