"""Hostile files: pickles, traversal, pipes, devices, links, folders, nested text."""

import itertools
import json
import os
import pickle
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch

from attack.command import Said, run, survived
from attack.mutated_files import accepted, cells, inputs, load_results, results, store
from attack.mutations import DEEP
from attack.sound_files import INPUTS, sound_files
from similitude.engine import sealed
from similitude.store import _manifest
from similitude.store._json import json_text

SECONDS, ENVIRONMENT = 60, {"OMP_NUM_THREADS": "1"}
MODULES = (
    "polars",
    "pyarrow",
    "h5py",
    "numpy",
    "torch",
    "joblib",
    "pickle",
    "json",
    "similitude",
)


class Payload:
    """Creates the file `executed` if it is unpickled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (str(self.folder / "executed"),)


def cases(full: bool) -> list[str]:
    places = [f"{what}: {name}" for name in PLACES for what in IN_PLACE]
    contents = [f"content: {name}" for name in CONTENTS]
    beside = [f"modules: {suffix}" for suffix in INPUTS]
    if full:
        return [*contents, *places, *beside]
    return [*contents[::5], *places[::35], "modules: .npy"]


def check(case: str, folder: Path) -> None:
    what, name = case.split(": ", 1)
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(sound_files(folder), work)
    if what == "modules":
        modules_beside(work, name)
    elif what == "content":
        file = CONTENTS[name](work)
        use(work, file)
    else:
        (file, *_) = work.glob(PLACES[name])
        shutil.rmtree(file) if file.is_dir() else file.unlink()
        IN_PLACE[what](file)
        use(work, file)
    assert not (work / "executed").exists(), "code was executed"
    assert not list(folder.glob("*escaped*")), "a file was written outside"


def use(work: Path, file: Path) -> None:
    """Run every command that reads this file."""
    tree = file.relative_to(work).parts[0]
    readers: dict[str, Callable[[Path, Path], Sequence[object]]]
    readers = {"out": results, "cells": cells, "store": store}
    for arguments in readers.get(tree, inputs)(work, file):
        if callable(arguments):
            arguments(work, file)
        else:
            assert isinstance(arguments, tuple)
            accepted(arguments, run(*arguments))
        shutil.rmtree(work / "new", ignore_errors=True)
    if tree == "out":
        load_results(work, file)


def modules_beside(work: Path, suffix: str) -> None:
    """Python files next to the data must not be imported."""
    for name in MODULES:
        line = f"import os; os.mkdir({str(work / 'executed')!r})\n"
        (work / f"{name}.py").write_text(line)
    options = ("-m", "cka,rsa", "--permutations", "3", "--workers", "2", "-o", "new")
    command = [str(Path(sys.executable).parent / "similitude"), "compare"]
    done = subprocess.run(
        [*command, f"x{suffix}", "other.npy", *options],
        capture_output=True,
        text=True,
        check=False,
        cwd=work,
    )
    said = survived(Said(done.returncode, done.stdout, done.stderr))
    assert said.code == 0, said


def sparse(file: Path) -> None:
    with file.open("wb") as opened:
        opened.truncate(2**42)


IN_PLACE: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "missing": lambda file: None,
    "empty": Path.touch,
    "4 TiB": sparse,
    "endless device": lambda file: file.symlink_to("/dev/zero"),
    "link to itself": lambda file: file.symlink_to(file),
    "link to a folder": lambda file: file.symlink_to(file.parent),
    "NUL bytes": lambda file: file.write_bytes(bytes(5000)),
    "brackets": lambda file: file.write_bytes(b"[" * 10**6),
    "objects": lambda file: file.write_bytes(b'{"a":' * 10**5),
    "one long line": lambda file: file.write_bytes(b"1," * 10**6),
    "quotes": lambda file: file.write_bytes(b'"' * 10**6 + b"\n"),
}
PLACES = {
    **{f"x{suffix}": f"x{suffix}" for suffix in INPUTS},
    **{name: f"out/{name}" for name in ("run.json", "parts", "barcodes")},
    "a part": "out/parts/*",
    "a barcode": "out/barcodes/*",
    "run.json of cells": "cells/run.json",
    "cells": "cells/parts/*",
    **{name: f"store/{name}" for name in ("store.json", "elements")},
    "an element": "store/elements/x-h-*",
    "a manifest": "store/elements/x-h-*/manifest.json",
    "a shard": "store/elements/x-h-*/rows-*",
    "ids": "store/elements/x-h-*/ids-*",
}


def pickled(work: Path, suffix: str) -> Path:
    file, payload = work / f"x{suffix}", Payload(work)
    if suffix == ".npy":
        np.save(file, np.array([payload], dtype=object), allow_pickle=True)
    elif suffix == ".npz":
        array = np.array([payload], dtype=object)
        np.savez(file, allow_pickle=True, h=array)
    elif suffix == ".pt":
        torch.save({"h": payload}, file)
    else:
        file.write_bytes(pickle.dumps(payload))
    return file


def bare_pickle(work: Path, suffix: str) -> Path:
    file = work / f"x{suffix}"
    file.write_bytes(pickle.dumps(Payload(work)))
    return file


def members(work: Path, *names: str) -> Path:
    file = work / "x.npz"
    content = (work / "x.npy").read_bytes()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), content)
    return file


def text(work: Path, content: str | bytes) -> Path:
    file = work / "x.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def manifest(work: Path, change: Callable[[dict], object]) -> Path:
    """A manifest with a correct checksum."""
    (file,) = work.glob("store/elements/x-h-*/manifest.json")
    document = json.loads(file.read_bytes())
    change(document)
    checksum = _manifest.checksum(document)
    file.write_bytes(json_text(document | {"checksum": checksum}))
    return file


def rows(work: Path, **change: object) -> Path:
    """Rows with a correct checksum."""
    (file,) = work.glob("out/parts/*")
    lines = [json.loads(line) for line in file.read_bytes().splitlines()]
    for line in lines:
        del line["checksum"]
    file.write_bytes(b"".join(sealed(line | change) for line in lines))
    return file


def header(work: Path, document: bytes) -> Path:
    file = work / "x.safetensors"
    file.write_bytes(len(document).to_bytes(8, "little") + document + bytes(96))
    return file


def extra_shards(document: dict) -> None:
    document["arrays"]["rows"]["shards"] = []


def outside(document: dict) -> None:
    document["arrays"]["rows"]["shards"][0]["file"] = "../../../x.npy"


NESTED = b'{"h":' + b"[" * 20_000 + b"]" * 20_000 + b"}"
CONTENTS: dict[str, Callable[[Path], Path]] = {
    **{
        f"{make.__name__} {suffix}": lambda work, make=make, suffix=suffix: make(
            work, suffix
        )
        for make, suffix in itertools.product((pickled, bare_pickle), INPUTS)
    },
    "names outside": lambda work: members(work, "../escaped.npy", "/escaped.npy"),
    "names that are empty": lambda work: members(work, ".npy"),
    "names with escapes": lambda work: members(work, "\x1b[31mred.npy", "a\nb.npy"),
    "fifty names": lambda work: members(work, *(f"{i}.npy" for i in range(50))),
    "nested header": lambda work: header(work, NESTED),
    "huge shape": lambda work: header(
        work, b'{"h":{"dtype":"F64","shape":[%d],"data_offsets":[0,96]}}' % 2**64
    ),
    "no tensors": lambda work: header(work, b"{}"),
    "huge ids": lambda work: text(work, f"id,a\n{10**30},1\n{-(10**30)},2\n3,4\n"),
    "escapes in names": lambda work: text(work, "id,\x1b[31ma\nx,1\ny,2\n"),
    "NUL in a table": lambda work: text(work, "id,a\n\0,1\ny,2\n"),
    "long field": lambda work: text(work, "a,b\n" + "1" * 200_000 + ",2\n"),
    "many columns": lambda work: text(work, ",".join(map(str, range(50_000)))),
    "digits of other scripts": lambda work: text(work, "a,b\n١,٢\n٣,٤\n"),
    "UTF-16": lambda work: text(work, "a,b\n1,2\n".encode("utf-16")),
    "no shards": lambda work: manifest(work, extra_shards),
    "shard outside": lambda work: manifest(work, outside),
    "huge step": lambda work: manifest(work, lambda d: d.update(step=10**4000)),
    "name with escapes": lambda work: manifest(
        work, lambda d: d.update(name="\x1b[1m")
    ),
    "job outside": lambda work: rows(work, job="../../../escaped", barcodes="0" * 16),
    "job with NUL": lambda work: rows(work, job="\0", barcodes="0" * 16),
    "infinite score": lambda work: rows(work, score=float("inf")),
    "huge count": lambda work: rows(work, n=10**4000),
    "row names with escapes": lambda work: rows(work, a="\x1b[31m", label="\x1b[0m"),
    "row names with lone surrogates": lambda work: rows(work, a="\ud800"),
    "nested details": lambda work: rows(work, details={"a": DEEP}),
}
