"""Mutated files of every format, and of our own: read, or refused in one line."""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attack import mutations
from attack.command import Said, run, start, survived
from attack.mutations import Rng, some_bytes, some_numbers, some_value
from attack.seeds import generator
from attack.sound_files import sound_files
from similitude import Results
from similitude.engine import sealed
from similitude.errors import SimilitudeError
from similitude.latent.align import load_map, relative
from similitude.latent.stitching import cells_in
from similitude.store import _manifest
from similitude.store._json import json_text
from similitude_lab.training.tuning._checkpoint import load_run

SECONDS, ENVIRONMENT = 60, {"OMP_NUM_THREADS": "1"}
REAL = 50  # one of so many cases also runs as a command in a new process

Use = Callable[[Path, Path], object]  # of a folder and the mutated file


@dataclass(frozen=True)
class Kind:
    """A kind of file: where it is, how it is mutated, and how it is used."""

    file: str
    mutate: Sequence[Callable[[bytes, Rng], bytes]]
    use: Callable[[Path, Path], Sequence[Sequence[object] | Use]]
    full: int = 230
    small: int = 2


def cases(full: bool) -> list[str]:
    return [
        f"{name} {i}"
        for name, kind in KINDS.items()
        for i in range(kind.full if full else kind.small)
    ]


def check(case: str, folder: Path) -> None:
    name, index = case.rsplit(" ", 1)
    kind = KINDS[name]
    rng = generator("mutated", name, index)
    sound = sound_files(folder)
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(sound, work)
    (file,) = work.glob(kind.file)
    mutate = kind.mutate[int(index) % len(kind.mutate)]
    content = mutate(file.read_bytes(), rng)
    file.unlink()  # a memory map of it may still be open
    file.write_bytes(content)
    uses = kind.use(work, file)
    use = uses[rng.integers(len(uses))]
    if callable(use):
        use(work, file)
        return
    said = run(*use)
    accepted(use, said)
    if (int(index) + list(KINDS).index(name)) % REAL == 0:
        shutil.rmtree(work / "new", ignore_errors=True)
        accepted(use, start(*use, cwd=work))


def accepted(use: Sequence[object], said: Said) -> None:
    if use[:2] == ("store", "verify") and said.code == 2 and "error: " not in said.err:
        assert said.err.replace("\n", "").isprintable(), said  # one line per problem
        return
    survived(said)


def inputs(folder: Path, file: Path) -> list[Sequence[object]]:
    other = folder / "other.npy"
    options = ("-m", "cka,procrustes,rsa", "--permutations", "3", "-o", folder / "new")
    return [
        ("advise", file),
        ("compare", file, other, *options),
        ("compare", file, other, *options, "--drop-nonfinite"),
        ("store", "add", folder / "new", file),
        ("latent", "relative", file, "-a", "uniform:4", "-o", folder / "new.npz"),
        ("latent", "align", file, other, "-m", "affine"),
    ]


def dataset(folder: Path, file: Path) -> list[Sequence[object]]:
    return inputs(folder, folder / "saved")


def settings(folder: Path, file: Path) -> list[Sequence[object]]:
    both = (folder / "x.npy", folder / "other.npy")
    return [("compare", *both, "--config", file, "-o", folder / "new")]


def labels(folder: Path, file: Path) -> list[Sequence[object]]:
    both = (folder / "x.npy", folder / "other.npy")
    split = ("--split", file) if file.stem == "split" else ("--test", "0.3")
    given = folder / "labels.npy" if file.stem == "split" else file
    options = ("-t", "cosine", "--seeds", "0", "-a", "3")
    return [("latent", "stitch", *both, "--labels", given, *split, *options)]


def anchors(folder: Path, file: Path) -> list[Sequence[object]]:
    out = ("-o", folder / "new.npz")
    return [("latent", "relative", folder / "x.csv", "-a", f"ids:{file}", *out)]


def store(folder: Path, file: Path) -> list[Sequence[object]]:
    path = folder / "store"
    options = ("-m", "cka", "--permutations", "0", "-o", folder / "new")
    return [
        ("store", "list", path),
        ("store", "verify", path),
        ("store", "add", path, folder / "other.npy"),
        ("compare", path, *options),
        ("advise", path),
    ]


def results(folder: Path, file: Path) -> list[Sequence[object] | Use]:
    both = (folder / "x.npy", folder / "other.npy")
    options = ("-m", "cka,rtd", "--permutations", "3", "-o", folder / "out")
    return [load_results, ("compare", *both, *options)]


def cells(folder: Path, file: Path) -> list[Sequence[object] | Use]:
    both = (folder / "x.npy", folder / "other.npy")
    options = ("--labels", folder / "labels.npy", "--split", folder / "split.csv")
    last = ("-t", "cosine", "--seeds", "0", "-o", folder / "cells")
    return [load_cells, ("latent", "stitch", *both, *options, *last)]


def load_results(folder: Path, file: Path) -> None:
    def load() -> None:
        found = Results.load(folder / "out")
        for row in found.rows:
            found.barcodes(row)
        found.table()
        found.to_polars()
        json.dumps(found.to_dict(), allow_nan=False)

    read_or_refused(load)


def load_cells(folder: Path, file: Path) -> None:
    read_or_refused(lambda: cells_in(folder / "cells").kept())


def read_or_refused(read: Callable[[], Any]) -> None:
    try:
        read()
    except SimilitudeError as error:
        assert str(error).isprintable(), error
        assert str(error).endswith("."), error


def saved(read: Callable[[Path], Any]) -> Callable[[Path, Path], list[Use]]:
    return lambda _, file: [lambda *_: read_or_refused(lambda: read(file.parent))]


def sealed_line(whole: bytes, rng: Rng) -> bytes:
    """Change one value of one line, with a correct checksum."""
    lines = [json.loads(line) for line in whole.splitlines()]
    for line in lines:
        del line["checksum"]
    i = rng.integers(len(lines))
    changed = some_value(lines[i], rng)
    lines[i] = changed if isinstance(changed, dict) else {"x": changed}
    return b"".join(map(sealed, lines))


def sealed_manifest(whole: bytes, rng: Rng) -> bytes:
    """Change one value of a manifest, with a correct checksum."""
    document = json.loads(whole)
    changed = some_value(document, rng)
    if not isinstance(changed, dict):
        return mutations.json_text(changed)
    return json_text(changed | {"checksum": _manifest.checksum(changed)})


def unsealed(whole: bytes, rng: Rng) -> bytes:
    return mutations.json_text(some_value(json.loads(whole), rng)) + b"\n"


def archive(whole: bytes, rng: Rng) -> bytes:
    return mutations.archive(whole, rng, some_bytes)


ARCHIVE, TEXT = (some_bytes, archive), (some_bytes, some_numbers)
RESULTS, SAVED = (some_bytes, sealed_line), (some_bytes, unsealed)
KINDS = {
    "npy": Kind("x.npy", (some_bytes, mutations.npy), inputs, full=420),
    "npz": Kind("x.npz", (some_bytes, mutations.npz), inputs, full=420),
    "safetensors": Kind(
        "x.safetensors", (some_bytes, mutations.safetensors), inputs, full=700
    ),
    "pt": Kind("x.pt", ARCHIVE, inputs, full=380),
    "csv": Kind("x.csv", TEXT, inputs, full=380),
    "parquet": Kind("x.parquet", (some_bytes,), inputs, full=100, small=1),
    "lists": Kind("lists.parquet", (some_bytes,), inputs, full=100, small=1),
    "arrow stream": Kind("x.arrow", (some_bytes,), inputs, full=100, small=1),
    "arrow file": Kind("x.feather", (some_bytes,), inputs, full=100, small=1),
    "hdf5": Kind("x.h5", (some_bytes,), inputs, full=150, small=1),
    "state.json": Kind("saved/state.json", SAVED, dataset, full=60, small=1),
    "data of a data set": Kind(
        "saved/data-00000*", (some_bytes,), dataset, full=60, small=1
    ),
    "configuration": Kind("run.toml", TEXT, settings),
    "labels npy": Kind("labels.npy", (some_bytes, mutations.npy), labels, 100, 1),
    "labels npz": Kind("labels.npz", (some_bytes, mutations.npz), labels, 100, 1),
    "labels csv": Kind("labels.csv", TEXT, labels, 100, 1),
    "split": Kind("split.csv", TEXT, labels, 100, 1),
    "anchors": Kind("ids.txt", TEXT, anchors, 100, 1),
    "run.json": Kind("out/run.json", RESULTS, results),
    "rows": Kind("out/parts/*", RESULTS, results),
    "barcodes": Kind("out/barcodes/*", (some_bytes, mutations.npz), results),
    "run.json of cells": Kind("cells/run.json", RESULTS, cells, 100, 1),
    "cells": Kind("cells/parts/*", RESULTS, cells, 200, 2),
    "store.json": Kind("store/store.json", SAVED, store, 150),
    "manifest": Kind(
        "store/elements/*-*h*/manifest.json", (some_bytes, sealed_manifest), store, 400
    ),
    "shard": Kind(
        "store/elements/*-*h*/rows-*.npy", (some_bytes, mutations.npy), store, 200
    ),
    "map": Kind("map/map.json", SAVED, saved(load_map), 150),
    "map tensors": Kind(
        "map/*.safetensors", (some_bytes, mutations.safetensors), saved(load_map), 150
    ),
    "relative": Kind("relative/*.json", SAVED, saved(relative.load_relative), 150),
    "relative tensors": Kind(
        "relative/*.safetensors",
        (some_bytes, mutations.safetensors),
        saved(relative.load_relative),
        150,
    ),
    "checkpoint": Kind(
        "net.pt", ARCHIVE, saved(lambda folder: load_run(folder / "net.pt")), 150
    ),
}
