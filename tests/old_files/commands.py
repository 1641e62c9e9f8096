"""The commands and calls that wrote the specimens, and that continue them.

They use public names. The imports of names that may move are in this file only.
"""

import contextlib
import importlib.util
import io
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import torch
from safetensors.torch import load_file
from torch import nn

import similitude as sim
from similitude.cli import main
from similitude.latent.align import load_facts as load_facts
from similitude.latent.align import load_map as load_map
from similitude.latent.align.relative import Cosine as Cosine
from similitude.latent.align.relative import Product as Product
from similitude.latent.align.relative import Robust as Robust
from similitude.latent.align.relative import load_relative as load_relative
from similitude.latent.migration import apply_map
from similitude_lab.closeness import load_experiment, train_models
from similitude_lab.closeness import load_model as load_model
from similitude_lab.study import Parts as Parts
from similitude_lab.study import StudyRecord, run_study
from similitude_lab.study import read_records as read_records
from similitude_lab.training.images import ImageTraining, TrainedImages, train_images
from similitude_lab.training.tuning import Recipe, RelativeNetwork, Tuned, fine_tune
from similitude_lab.training.tuning import load_weights as load_weights
from similitude_lab.training.tuning import save_weights as save_weights

HERE = Path(__file__).parent / "0.1"
INPUTS = Path("inputs")
BATCH, BLOCK, DATE = 4, 16, "2026-01-01"
Progress = Callable[..., Any]


class Said(NamedTuple):
    code: int
    out: str
    err: str


def run(*arguments: str, columns: int = 80) -> Said:
    """Run a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    settings = {"COLUMNS": str(columns)}
    code = 0
    with (
        mock.patch.dict(os.environ, settings),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main([*arguments])
        except SystemExit as stop:
            code = int(stop.code or 0)
    return Said(code, out.getvalue(), err.getvalue())


class Failed(Exception):
    """A command that failed, with its message."""


def said(*arguments: str) -> str:
    """The output of a command that must succeed."""
    found = run(*arguments)
    if found.code:
        raise Failed(found.err.strip())
    return found.out


def copy_some(paths: Iterable[Path], folder: Path) -> None:
    """Copy some of the specimens; a copy of all takes a tenth of a second."""
    folder.mkdir()
    for path in paths:
        if path.is_dir():
            shutil.copytree(path, folder / path.name)
        else:
            shutil.copy(path, folder / path.name)


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Run a block in the folder of the specimens, with the budget that wrote them."""
    threads = torch.get_num_threads()
    with contextlib.chdir(folder), sim.config(memory_budget=2**33, progress="off"):
        torch.set_num_threads(1)
        forget_net()
        try:
            yield
        finally:
            forget_net()
            torch.set_num_threads(threads)


def forget_net() -> None:
    """Later commands load `net.py` of their own folder, as a new process does."""
    for name in [name for name in sys.modules if re.fullmatch("net(_file)*", name)]:
        del sys.modules[name]


# Stores

EXTRACTED = {
    "store-torch": ("net.py:make",),
    "store-half": ("net.py:half",),
    "store-onnx": ("inputs/net.onnx",),
    "store-weights": ("net.py:make", "inputs/step10.safetensors"),
}


def extract_commands(name: str) -> list[list[str]]:
    """The commands that write a store: one per model."""
    models = [list(EXTRACTED[name])]
    if name == "store-weights":
        models.append(["net.py:make", "inputs/step20.safetensors"])
    return [["extract", *m, "--data", "inputs/x.npz", "-o", name] for m in models]


def load_net() -> nn.Module:
    spec = importlib.util.spec_from_file_location("net", Path("net.py").resolve())
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["net"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.make()


def extract_in_batches(out: str, progress: Progress | None = None) -> None:
    with np.load(INPUTS / "x.npz") as data:
        x, ids = data["x"], data["ids"]
    net = load_net()
    sim.extract(
        net, torch.tensor(x), ids=ids, out=out, batch_size=BATCH, progress=progress
    )


def extract_steps(out: str) -> None:
    """Two steps of one model."""
    net = load_net()
    with np.load(INPUTS / "x.npz") as data:
        x, ids = data["x"], data["ids"]
    for step in (10, 20):
        net.load_state_dict(load_file(INPUTS / f"step{step}.safetensors"))
        sim.extract(
            net, torch.tensor(x), ids=ids, out=out, name="net", step=step, progress=None
        )


def monitor(out: str, **run: int) -> tuple[nn.Module, sim.Monitor]:
    net = load_net()
    with np.load(INPUTS / "x.npz") as data:
        probe = torch.tensor(data["x"])
    return net, sim.Monitor(net, probe, ["first", "last"], out=out, name="net", **run)


# Results folders

THREE = ("inputs/a.npy", "inputs/b.npy", "inputs/c.npy")
KERNELS = (
    "cka(kernel=rbf(fraction=0.5)),cka(kernel=laplacian(sigma=2.5)),"
    "cka(kernel=polynomial(degree=2)),cka(kernel=knn(k=5)),cka(kernel=diffusion(t=3)),"
    "cka(estimator=biased,form=angular),rsa(inner=cosine,outer=pearson),"
    "mutual_knn(k=7),procrustes(form=euclidean)"
)
# The file `inputs/run.toml`, as a later version takes it.
RUN_FILE = {
    'kernel = "rbf", fraction = 0.5': 'kernel = "rbf(fraction=0.5)"',
    'kernel = "polynomial", degree = 2': 'kernel = "polynomial(degree=2)"',
}


def write_run_file() -> None:
    text = (INPUTS / "run.toml").read_text()
    for old, new in RUN_FILE.items():
        assert old in text
        text = text.replace(old, new)
    (INPUTS / "run-now.toml").write_text(text)


COMPARED: dict[str, tuple[str, ...]] = {
    "results-statistics": (*THREE, "-m", "cka,procrustes,rsa", "--permutations", "29"),
    "results-baselines": (
        *(*THREE[:2], "-m", "cka,rsa", "--permutations", "9"),
        *("--baseline", "untrained=inputs/twins", "--baseline", "seed=inputs/d.npy"),
        *("--inputs", "inputs/images.npy"),
    ),
    "results-within": (
        *(*THREE[:2], "-m", "cka,procrustes", "--permutations", "9"),
        *("--within", "inputs/labels.npy"),
    ),
    "results-barcodes": (*THREE[:2], "-m", "rtd(batch=40,draws=2)"),
    "results-streamed": ("inputs/long1.npy", "inputs/long2.npy", "-m", "cka"),
    "results-kernels": (*THREE[:2], "-m", KERNELS, "--permutations", "9"),
    "results-run-file": (*THREE[:2], "--config", "inputs/run-now.toml"),
    "results-outputs": (
        *("--outputs", "inputs/outputs", "--targets", "inputs/labels.npy"),
        *("--permutations", "9"),
    ),
    "results-layers": ("inputs/m1.npz", "inputs/m2.npz", "-m", "mutual_knn"),
    "results-steps": (
        *("store-steps", "-m", "procrustes", "--permutations", "9"),
        *("--reference", "first"),
    ),
}
SHARDED = (*THREE, "-m", "cka,procrustes,rsa", "--permutations", "9")
UNFINISHED = ("procrustes", "rsa", "imd(draws=20)")
SMALL_BUDGET = {"results-streamed"}


def compare_command(name: str) -> list[str]:
    given = SHARDED if name == "results-shards" else COMPARED[name]
    return ["compare", *given, "-o", name]


@contextlib.contextmanager
def budget_of(name: str) -> Iterator[None]:
    """The memory budget of a results folder: rows of `SMALL_BUDGET` are streamed."""
    budget = 2**20 if name in SMALL_BUDGET else 2**33
    with sim.config(memory_budget=budget):
        yield


def compare_unfinished(out: str, progress: Progress | None = None) -> sim.Results:
    reps = [Path(path) for path in THREE]
    return sim.compare(reps, UNFINISHED, permutations=19, out=out, progress=progress)


# Latent spaces

LATENT: dict[str, tuple[str, ...]] = {
    f"map-{kind}": ("latent", "align", *THREE[:2], "-m", kind, "-o", f"map-{kind}")
    for kind in ("affine", "procrustes", "cca")
}
LATENT |= {
    out: (
        "latent",
        "relative",
        *THREE[:2],
        "--rows",
        "0:24",
        "-a",
        "uniform:8",
        "-o",
        out,
    )
    for out in ("relative.safetensors", "relative-store")
}
LATENT["stitching"] = (
    *("latent", "stitch", *THREE[:2], "--labels", "inputs/labels.npy"),
    *("-t", "robust", "--seeds", "0,1", "-a", "20", "-o", "stitching"),
)
MIGRATE = ("migrate", "inputs/old.parquet", "inputs/new.parquet", "-k", "5")
MIGRATE = (*MIGRATE, "--keep-at-least", "0.1", "-o", "migrate")


def apply_in_blocks(out: str) -> None:
    apply_map("migrate", "inputs/old.npy", out, block=BLOCK)


def relative_network() -> RelativeNetwork:
    """A network with weights that no generator draws."""
    x = torch.tensor(np.load(INPUTS / "a.npy")).float()
    body, head = nn.Linear(x.shape[1], 4), nn.Linear(6, 3)
    with torch.no_grad():
        for weights in (*body.parameters(), *head.parameters()):
            count = torch.arange(weights.numel())
            weights.copy_((count * 37 % 23 - 11).reshape(weights.shape) / 16)
    return RelativeNetwork(body, Robust(), head, anchors=x[:6])


def tune(network: RelativeNetwork, checkpoint: Path, stop: int | None = None) -> Tuned:
    """Six steps; KeyboardInterrupt at the step `stop`."""
    x = torch.tensor(np.load(INPUTS / "a.npy")).float()
    labels = np.load(INPUTS / "labels.npy")

    def penalty(stage: Any) -> torch.Tensor:
        if stage.step == stop:
            raise KeyboardInterrupt
        return 0.01 * stage.post.square().mean()

    recipe = Recipe(epochs=3, batch=60, encoder_rate=1e-2)
    return fine_tune(
        network, x, labels, recipe, rng=3, anchors=x[:6], penalty=penalty,
        checkpoint=checkpoint, every=2,
    )  # fmt: skip


# The laboratory

CLOSENESS = [f"inputs/closeness/{name}.json" for name in ("data", "models", "training")]


def train_closeness(folder: Path, progress: Progress = lambda *_: None) -> None:
    train_models(
        load_experiment(CLOSENESS), folder / "checkpoints", date=DATE, threads=1,
        dtype="float64", checkpoint_every=5, progress=progress,
    )  # fmt: skip


def measure_closeness(folder: Path, kind: str, csv: Path) -> None:
    options = ["--dataset-config", "--model-var-config", "--train-config"]
    given = [text for pair in zip(options, CLOSENESS, strict=True) for text in pair]
    given += ["--checkpoints", str(folder / "checkpoints")]
    given += ["--results", str(folder / "results"), "--csv", str(csv)]
    given += ["--draws", "2"] if kind == "distances" else []
    said("closeness", kind, *given)


def train_small_images(folder: Path, progress: Progress | None = None) -> TrainedImages:
    request = ImageTraining(
        network="vgg11", multiplier=0.01, dataset="digits", images=32, epochs=1,
        batch=32, seed=0, tested=10,
    )  # fmt: skip
    return train_images(request, folder, progress=progress)


STUDY = "closeness/kl-table"


def run_small_study(out: Path, progress: Progress | None = None) -> StudyRecord:
    return run_study(STUDY, scale="smoke", out=out, progress=progress)
