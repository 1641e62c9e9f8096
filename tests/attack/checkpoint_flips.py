"""Flips in trained checkpoints and their manifests: never another published number."""

import shutil
from functools import cache
from pathlib import Path

from attack import kills
from attack.command import run
from attack.seeds import Silent, flipped, generator

SECONDS, ENVIRONMENT = 200, {"OMP_NUM_THREADS": "1"}


def cases(full: bool) -> list[str]:
    return [
        f"{kind} {i}"
        for kind in ("weights", "manifest")
        for i in range(40 if full else 1)
    ]


def check(case: str, folder: Path) -> None:
    kind, index = case.split()
    sound, expected = _sound(folder)
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(sound, work)
    pattern = "*.safetensors" if kind == "weights" else "*.json"
    files = sorted((work / "checkpoints").glob(pattern))
    rng = generator("checkpoints", kind, index)
    file = files[rng.integers(len(files))]
    file.write_bytes(flipped(file.read_bytes(), rng))
    said = run(*_distances(work))
    if said.code == 0:
        if (work / "found.csv").read_text() != expected:
            raise Silent(f"another distance after a change of {file.name}")
        return
    assert said.code == 2, said
    assert said.err.count("\n") == 1, said
    assert file.stem.split("_metrics")[0] in said.err, said


def _distances(work: Path) -> list[str]:
    configs = kills.configurations(work.parent / "configs")
    checkpoints = ["--checkpoints", str(work / "checkpoints")]
    results = ["--results", str(work / "results"), "--csv", str(work / "found.csv")]
    return ["closeness", "distances", *configs, *checkpoints, *results, "--draws", "3"]


@cache
def _sound(folder: Path) -> tuple[Path, str]:
    sound = folder / "sound"
    shutil.rmtree(sound, ignore_errors=True)
    said = run(*kills.training(folder / "configs", sound / "checkpoints"))
    assert said.code == 0, said
    said = run(*_distances(sound))
    assert said.code == 0, said
    shutil.rmtree(sound / "results")
    expected = (sound / "found.csv").read_text()
    (sound / "found.csv").unlink()
    return sound, expected
