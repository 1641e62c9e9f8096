"""SIGKILL of every command that writes, at any moment; then the same command again.

The moments are spread over the work, from the first file to the end, by the processor
time: other programs of the machine do not change it.
"""

import json
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from attack.forked import Forked, forked
from attack.seeds import Silent, generator
from similitude import Results
from similitude.engine import Folder
from similitude.latent.stitching import cells_in
from similitude.store import open_store
from similitude_lab.closeness import shipped_configs

SECONDS, ENVIRONMENT = 300, {"OMP_NUM_THREADS": "1"}
KILLS = 20
TRAINED = {  # option -> a shipped configuration, and the changes that make it small
    "--dataset-config": (
        "radial_classification_20000_0_cls4.json",
        {"num_points": 400},
    ),
    "--model-var-config": (
        "model_variations_config_4_classes.json",
        {
            "random_seeds": [0, 1],
            "num_features": [8],
            "fix_length_fs": [0],
            "fix_length_gs": [0],
        },
    ),
    "--train-config": (
        "radial_classification_0_128_ADAM_0_0001.json",
        {"train_steps": 200},
    ),
}
NETWORK = """
import torch

def make():
    torch.manual_seed(0)
    layers = [torch.nn.Linear(6, 40), torch.nn.ReLU(), torch.nn.Linear(40, 30)]
    return torch.nn.Sequential(*layers, torch.nn.ReLU(), torch.nn.Linear(30, 4))
"""


@dataclass(frozen=True)
class Kind:
    """A command: its arguments, and what its output says."""

    arguments: Callable[[Path, Path], list[str]]  # of the files and the output
    content: Callable[[Path], object]
    jobs: Callable[[Path], dict[str, object]] = lambda out: {}


def cases(full: bool) -> list[str]:
    if not full:  # tests of the engine, of stitching and of stores have more kills
        return ["compare with workers 8", "store 12"]
    return [f"{name} {i}" for name in KINDS for i in range(KILLS)]


def check(case: str, folder: Path) -> None:
    name, index = case.rsplit(" ", 1)
    expected, first, last = uninterrupted(name, folder)
    share = (int(index) + generator("kills", name, index).uniform()) / KILLS
    out = folder / "out"
    remove(out)
    with Forked(*command(name, folder, out)) as process:
        moment = first + share * (last - first)
        while process.running() and process.processor_seconds() < moment:
            time.sleep(0.001)
    kept = KINDS[name].jobs(out) if out.exists() else {}
    said = forked(*command(name, folder, out))
    assert said.code == 0, said
    if content(name, out) != expected:
        raise Silent("the resumed run gives another result")
    again = KINDS[name].jobs(out)
    assert kept.items() <= again.items(), "a finished row was computed again"


def command(name: str, folder: Path, out: Path) -> list[str]:
    return KINDS[name].arguments(folder / "files", out)


def content(name: str, out: Path) -> object:
    return KINDS[name].content(out)


def remove(out: Path) -> None:
    shutil.rmtree(out) if out.is_dir() else out.unlink(missing_ok=True)


@cache
def uninterrupted(name: str, folder: Path) -> tuple[object, float, float]:
    """What the command writes, and the processor time to its first file and its end."""
    if not (folder / "files").exists():
        _write_files(folder / "files")
    out = folder / f"whole {name}"
    remove(out)
    said = forked(*command(name, folder, out))  # imports what the next ones need
    assert said.code == 0, said
    expected = content(name, out)
    remove(out)
    first, last = None, 0.0
    with Forked(*command(name, folder, out)) as process:
        while process.running():
            if first is None and out.exists():
                first = process.processor_seconds()
            last = max(last, process.processor_seconds())
            time.sleep(0.001)
        assert process.wait().code == 0, name
    assert content(name, out) == expected, f"two runs of {name} differ"
    # A single file appears at the end; the work before it is killed too.
    first = last / 2 if first is None or out.is_file() else first
    return expected, first, last


def _write_files(files: Path) -> None:
    files.mkdir()
    rng = np.random.default_rng(0)
    z = rng.normal(size=(120, 6))
    for i in range(8):
        x = z @ rng.normal(size=(6, 8)) + rng.normal(size=(120, 8))
        np.save(files / f"r{i}.npy", x)
    np.save(files / "labels.npy", np.arange(120) % 4)
    np.save(files / "inputs.npy", rng.normal(size=(3000, 6)).astype("f4"))
    (files / "net.py").write_text(NETWORK)
    reps = [str(path) for path in sorted(files.glob("r*.npy"))]
    options = ["-m", "cka,procrustes", "--permutations", "9"]
    said = forked("compare", *reps, *options, "-o", files / "results")
    assert said.code == 0, said


def _reps(files: Path) -> list[str]:
    return [str(path) for path in sorted(files.glob("r*.npy"))]


def _compare(workers: int) -> Kind:
    def arguments(files: Path, out: Path) -> list[str]:
        measures = ["-m", "cka,procrustes,rsa,mutual_knn", "--permutations", "9"]
        run = ["--workers", str(workers), "-o", str(out)]
        return ["compare", *_reps(files), *measures, *run]

    return Kind(arguments, Results.load, lambda out: _finished(Folder(out).rows()))


def _stitch(files: Path, out: Path) -> list[str]:
    labels = ["--labels", str(files / "labels.npy")]
    options = ["-t", "cosine", "--seeds", "0,1", "-o", str(out)]
    return ["latent", "stitch", *_reps(files)[:3], *labels, *options]


def _extract(files: Path, out: Path) -> list[str]:
    data = ["--data", str(files / "inputs.npy"), "--batch-size", "20"]
    return ["extract", f"{files / 'net.py'}:make", *data, "-o", str(out)]


def _report(files: Path, out: Path) -> list[str]:
    return ["report", str(files / "results"), "-o", str(out)]


def _store_content(out: Path) -> object:
    store = open_store(out)
    assert store.verify() == []
    return [(rep.name, rep.sha256) for rep in store.select()]


def _finished(rows: dict) -> dict[str, object]:
    """Finished rows with their times: a row that is computed again has another time."""
    return {
        job: getattr(row, "seconds", 0) for job, row in rows.items() if row.complete
    }


def configurations(files: Path) -> list[str]:
    """Options for a training run of two small models."""
    options = []
    files.mkdir(exist_ok=True)
    for option, (name, changes) in TRAINED.items():
        content = json.loads(shipped_configs()[name].read_text())
        (files / name).write_text(json.dumps(content | changes))
        options += [option, str(files / name)]
    return options


def training(files: Path, out: Path) -> list[str]:
    steps = ["--checkpoint-every", "10", "--threads", "1"]
    where = ["--date-str", "2026-01-01", "-o", str(out)]
    return ["closeness", "train", *configurations(files), *steps, *where]


def _weights(out: Path) -> object:
    return {path.name: path.read_bytes() for path in out.glob("*.safetensors")}


def _study(files: Path, out: Path) -> list[str]:
    return ["study", "run", "rtd/clusters", "--scale", "smoke", "--out", str(out)]


def _study_content(out: Path) -> object:
    (file,) = out.rglob("result.json")
    found = json.loads(file.read_bytes())
    return found["values"], found["tables"]


KINDS = {
    "compare": _compare(1),
    "compare with workers": _compare(2),
    "stitch": Kind(
        _stitch,
        lambda out: cells_in(out).rows(),
        lambda out: _finished(cells_in(out).rows()),
    ),
    "store": Kind(
        lambda files, out: ["store", "add", str(out), *_reps(files)], _store_content
    ),
    "extract": Kind(_extract, _store_content),
    "report": Kind(_report, lambda out: out.read_bytes()),
    "training": Kind(training, _weights),
    "study": Kind(_study, _study_content),
}
