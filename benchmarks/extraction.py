"""Time extract on a ResNet-20 against its bare forward pass and a bare write.

    python benchmarks/extraction.py [--samples N] [--repeats R] [--json]

All nine blocks of a ResNet-20 with random weights on test images of CIFAR-10, one
thread, float32. Without the data set (`similitude data fetch cifar10`) the pixels are
random, and the result says so. The bare loop runs the same batches, keeps the outputs
of the blocks (or their means), writes the bytes to one file per block and flushes them
to the disk. `extract` does the same, and also hashes what it writes, reads it back to
verify it, hashes the data and the weights, and writes manifests. The rows are compared
before timing. Seconds are processor seconds of this process; wall-clock seconds depend
on the disk and on other processes. The best of some interleaved runs counts.
"""

import os
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

import similitude as sim
from common.harness import command, report
from similitude.errors import MissingData
from similitude_lab.networks import ResNet20

BATCH, TARGETS = 256, {"flatten": 1.3, "mean": 1.1}


def bare(model: ResNet20, images: Tensor, reducer: str, out: Path) -> list[Path]:
    """The forward pass, and one file of raw bytes per block."""
    out.mkdir()
    stem, *stages, pool = model.encoder
    blocks = [block for stage in stages for block in stage]
    paths = [out / f"{number}.bin" for number in range(len(blocks))]
    files = [path.open("wb") for path in paths]
    with torch.inference_mode():
        for batch in images.split(BATCH):
            x = stem(batch)
            for block, file in zip(blocks, files, strict=True):
                x = block(x)
                rows = x.flatten(1) if reducer == "flatten" else x.mean((2, 3))
                file.write(rows.numpy().data)
            model.head(pool(x))
    for file in files:
        file.flush()
        os.fsync(file.fileno())
        file.close()
    return paths


def ours(model: ResNet20, images: Tensor, reducer: str, out: Path) -> sim.store.Store:
    return sim.extract(
        model,
        images,
        layers=["encoder.[123].?"],
        reducer=reducer,
        out=out,
        batch_size=BATCH,
    )


def check(model: ResNet20, images: Tensor, reducer: str, folder: Path) -> None:
    raw = bare(model, images, reducer, folder / "bare")
    reps = ours(model, images, reducer, folder / "ours").select()
    reps.sort(key=lambda rep: str(rep.layer))
    for path, rep in zip(raw, reps, strict=True):
        expected = np.fromfile(path, np.float32).reshape(len(images), -1)
        np.testing.assert_allclose(rep.load(), expected, atol=1e-6)


def measure(model: ResNet20, images: Tensor, reducer: str, repeats: int) -> dict:
    best = {name: [np.inf, np.inf] for name in ("bare", "ours")}
    for _ in range(repeats):
        for name, run in (("bare", bare), ("ours", ours)):
            folder = Path(tempfile.mkdtemp())
            try:
                cpu, wall = time.process_time(), time.perf_counter()
                run(model, images, reducer, folder / "out")
                spent = [time.process_time() - cpu, time.perf_counter() - wall]
            finally:
                shutil.rmtree(folder)
            best[name] = np.minimum(best[name], spent).tolist()
    return {
        "reducer": reducer,
        "bare": best["bare"][0],
        "ours": best["ours"][0],
        "ratio": best["ours"][0] / best["bare"][0],
        "wall_ratio": best["ours"][1] / best["bare"][1],
        "target": TARGETS[reducer],
    }


def test_images(samples: int) -> tuple[str, Tensor]:
    """Where the images are from, and the images, in [0, 1]."""
    try:
        pixels = sim.networks.data.load_dataset("cifar10", split="test").inputs[
            :samples
        ]
    except MissingData:
        return "random pixels", torch.rand(samples, 3, 32, 32)
    images = torch.from_numpy(np.array(pixels)).permute(0, 3, 1, 2)
    return "CIFAR-10", images.float().div(255).contiguous()


def show(found: dict) -> None:
    rows = found["rows"]
    print(f"{found['samples']} images of {found['images']}")
    print("reducer   bare CPU s  extract CPU s  ratio  target  wall ratio")
    for row in rows:
        print(
            "{reducer:<8}  {bare:10.2f}  {ours:13.2f}  {ratio:5.2f}  {target:6}  "
            "{wall_ratio:10.2f}".format(**row)
        )


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(1)
    model = ResNet20().eval()
    source, images = test_images(options.samples)
    rows = []
    with sim.config(progress="off"):
        for reducer in TARGETS:
            folder = Path(tempfile.mkdtemp())
            try:
                check(model, images[:512], reducer, folder)
            finally:
                shutil.rmtree(folder)
            rows.append(measure(model, images, reducer, options.repeats))
    found = {"images": source, "samples": len(images), "rows": rows}
    report(found, show, as_json=options.json)


if __name__ == "__main__":
    main()
