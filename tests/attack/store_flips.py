"""Flipped bits and bytes in files of a store: refused by name, or without effect."""

import shutil
from functools import cache
from pathlib import Path

import numpy as np

from attack.seeds import Silent, generator
from similitude import Outputs, Representation, SoftmaxModel
from similitude.errors import SimilitudeError
from similitude.representation import arrays_of
from similitude.store import _element, open_store
from store.extraction_fields import extraction

SECONDS, ENVIRONMENT = 30, {"OMP_NUM_THREADS": "1"}


def cases(full: bool) -> list[str]:
    return [
        f"{kind} {i}" for i in range(300 if full else 40) for kind in ("bit", "byte")
    ]


def check(case: str, folder: Path) -> None:
    sound, expected, files = _sound(folder)
    kind, index = case.split()
    rng = generator("store", kind, index)
    file = sound / files[int(index) % len(files)]
    whole = file.read_bytes()
    changed = bytearray(whole)
    place = rng.integers(len(whole))
    changed[place] ^= 1 << rng.integers(8) if kind == "bit" else rng.integers(1, 256)
    file.write_bytes(changed)
    try:
        try:
            found = _everything(sound)
        except SimilitudeError as error:
            assert str(file) in str(error), error
            assert str(error).isprintable(), error
        else:
            if found != expected:
                raise Silent(f"a change of {file.name} at {place}")
        if file.name != "store.json":
            (problem,) = open_store(sound).verify()
            assert file.name in problem, problem
    finally:
        file.write_bytes(whole)


@cache
def _sound(folder: Path) -> tuple[Path, list[object], list[Path]]:
    """A store of all domains, the facts that its readers get, and its files."""
    path = folder / "store"
    shutil.rmtree(path, ignore_errors=True)
    before, _element.SHARD_BYTES = _element.SHARD_BYTES, 64
    store = open_store(path, create=True)
    rng = np.random.default_rng(0)
    rows = Representation(
        "net", rng.normal(size=(3, 2)), ids=["x", "y", "ü"], meta={"note": "ä"}
    )
    store.put(rows, extraction=extraction())
    many = rng.normal(size=(12, 3)).astype("f4")
    store.put(Representation("many", many, blocks=np.arange(12) // 3, step=4))
    store.put(Representation("out", Outputs(labels=np.arange(4) % 2)))
    model = SoftmaxModel(rng.normal(size=(5, 3)), rng.normal(size=(4, 3)))
    store.put(Representation("softmax", model))
    _element.SHARD_BYTES = before
    files = [p.relative_to(path) for p in path.rglob("*") if p.is_file()]
    return path, _everything(path), sorted(files)


def _everything(path: Path) -> list[object]:
    """All facts that readers get from a store."""
    store = open_store(path)
    found: list[object] = []
    for element in store.ids():
        rep = store.get(element)
        arrays = [(n, a.dtype.str, a.tolist()) for n, a in arrays_of(rep.load())]
        labels = [None if v is None else v.tolist() for v in (rep.ids, rep.blocks)]
        found.append((element, store.manifest(element), arrays, labels, rep.sha256))
    return found
