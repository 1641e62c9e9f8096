"""Intact files of every kind that the package reads, in one folder."""

import shutil
from functools import cache
from pathlib import Path

import numpy as np
import polars
import torch

from attack.command import run
from similitude.latent import align
from similitude.store import open_store, read_files
from similitude_lab.training.tuning._checkpoint import save_run
from store.sound_files import IDS, X, write

WRITTEN = Path(__file__).parents[1] / "store" / "written_by_others"

INPUTS = (
    *(".npy", ".npz", ".safetensors", ".pt", ".csv", ".parquet"),
    *(".arrow", ".feather", ".h5"),
)
TOML = """
permutations = 0
seed = 3
rows = "0:10"
reference = "other"
[[measure]]
name = "cka"
as = "my cka"
options = { kernel = "rbf(fraction=0.5)" }
[[measure]]
name = "procrustes"
"""


@cache
def sound_files(folder: Path) -> Path:
    """Write all files once per process."""
    path = folder / "sound"
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    for suffix in INPUTS:
        write(path / f"x{suffix}")
    lists = polars.DataFrame({"id": IDS, "text": IDS, "embedding": X.tolist()})
    lists.write_parquet(path / "lists.parquet")
    shutil.copytree(WRITTEN / "saved", path / "saved")
    np.save(path / "other.npy", X[::-1] ** 2)
    labels = np.arange(12) % 3
    np.save(path / "labels.npy", labels)
    np.savez(path / "labels.npz", labels=labels, ids=np.arange(12))
    (path / "labels.csv").write_text("\n".join(["label", *map(str, labels)]))
    (path / "split.csv").write_text("split\n" + "train\ntest\nanchor\n" * 4)
    (path / "ids.txt").write_text("s1\ns4\ns7\n")
    (path / "run.toml").write_text(TOML)
    store = open_store(path / "store", create=True)
    for suffix in (".npz", ".csv"):
        for rep in read_files(path / f"x{suffix}"):
            store.put(rep)
    both = (path / "x.npy", path / "other.npy")
    options = ("-m", "cka,rtd", "--permutations", "3", "-o", path / "out")
    assert run("compare", *both, *options).code == 0
    options = ("--labels", path / "labels.npy", "--split", path / "split.csv")
    last = ("-t", "cosine", "--seeds", "0", "-o", path / "cells")
    assert run("latent", "stitch", *both, *options, *last).code == 0
    align.fit_affine(X, X[::-1] ** 2).save(path / "map")
    align.relative.Cosine().fit(X[:4]).save(path / "relative")
    state = {"epoch": 2, "model": {"w": torch.ones(3)}}
    save_run(path / "net.pt", state)
    return path
