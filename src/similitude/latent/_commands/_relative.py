"""`similitude latent relative`: compute, write and summarize relative rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..._base._printable import wrapped
from ...errors import InvalidInput
from ...representation import Representation
from ...store import ReadLimits, open_store, read_files
from ...store._atomic import write_atomically
from ...store._files import ORIGINS, origins_array
from ...transformations import Group
from ..align.relative import Relative
from ._anchors import choose, rows_of
from ._typed_options import find_relative

FILES = (".npy", ".npz", ".safetensors")


@dataclass(frozen=True, eq=False)
class Described:
    """One representation in relative coordinates."""

    rep: Representation
    d: int  # number of columns before the transform
    anchors: list[int] | None  # row numbers of the anchors; None: read from a file
    transform: Relative
    invariances: frozenset[Group]


def describe(
    reps: Sequence[Representation],
    transform: str,
    *,
    spec: str | None,
    files: Sequence[Path] | None,
    seed: int,
    labels: np.ndarray | None,
) -> list[Described]:
    relative = find_relative(transform)
    if (spec is None) == (files is None):
        raise InvalidInput("give the anchors by either --anchors or --anchors-from.")
    if spec is not None:
        chosen = choose(reps, spec, seed=seed, labels=labels)
        embedded = [rows_of(rep)[i] for rep, i in zip(reps, chosen, strict=True)]
        numbers = [i.tolist() for i in chosen]
    else:
        embedded = _embedded(files or [], reps)
        numbers = [None] * len(reps)
    found = []
    for rep, anchor_rows, places in zip(reps, embedded, numbers, strict=True):
        rows = rows_of(rep)
        fitted = relative.fit(anchor_rows, rows if relative.takes_reference else None)
        meta = {"relative": relative.to_json(), "anchors": places, **rep.meta}
        meta.pop("file", None)
        out = replace(rep, values=np.asarray(fitted(rows)), meta=meta)
        found.append(
            Described(out, rows.shape[1], places, relative, fitted.invariances)
        )
    return found


def _embedded(
    files: Sequence[Path], reps: Sequence[Representation]
) -> list[np.ndarray]:
    limits = ReadLimits()
    anchors = [rep for file in files for rep in read_files(file, limits=limits)]
    if len(anchors) != len(reps):
        raise InvalidInput(
            f"--anchors-from contains {len(anchors)} representations for {len(reps)} "
            f"inputs; give one for each input, in the same order."
        )
    counts = {rep.n for rep in anchors}
    if len(counts) > 1:
        raise InvalidInput(
            f"--anchors-from: the files have {sorted(counts)} anchors; row i must be "
            f"the same stimulus in all files, so give equal numbers."
        )
    return [rows_of(rep) for rep in anchors]


def write(found: Sequence[Described], out: Path) -> None:
    """Write one file, or elements of a store; each is written in one step."""
    suffix = out.suffix.lower()
    if suffix not in FILES:
        if suffix:
            raise InvalidInput(
                f"--out {out}: write {', '.join(FILES)}, or give a folder for a store."
            )
        store = open_store(out, create=True)
        for item in found:
            store.put(item.rep)
        return
    if suffix == ".npy":
        if len(found) > 1:
            raise InvalidInput(
                f"--out {out}: .npy holds one array; got {len(found)}. Write "
                f".safetensors or .npz, or give a folder for a store."
            )
        rows = found[0].rep.values
        write_atomically(out, lambda file: np.save(file, rows, allow_pickle=False))
        return
    arrays = _by_name(found, out)
    arrays[ORIGINS] = origins_array([item.rep for item in found])
    if suffix == ".npz":
        write_atomically(out, lambda file: np.savez(file, **arrays))
        return
    from safetensors.numpy import save

    content = save({k: np.ascontiguousarray(v) for k, v in arrays.items()})
    write_atomically(out, lambda file: file.write(content))


def _by_name(found: Sequence[Described], out: Path) -> dict[str, Any]:
    """The arrays by name, and their common ids and blocks."""
    arrays: dict[str, Any] = {item.rep.name: item.rep.values for item in found}
    if len(arrays) < len(found):
        raise InvalidInput(
            f"--out {out}: two inputs have the same name; write a store, or rename one."
        )
    for what in ("ids", "blocks"):
        each = [getattr(item.rep, what) for item in found]
        if all(e is None for e in each):
            continue
        lists = [None if e is None else e.tolist() for e in each]
        if any(one != lists[0] for one in lists[1:]):
            raise InvalidInput(
                f"--out {out}: the inputs have different {what}, but a file holds one "
                f"list; give a folder for a store."
            )
        if out.suffix.lower() == ".safetensors" and each[0].dtype.kind == "U":
            raise InvalidInput(
                f"--out {out}: safetensors cannot hold {what} that are text; write "
                f".npz, or give a folder for a store."
            )
        arrays[what] = each[0]
    return arrays


def text(found: Sequence[Described]) -> str:
    relative = found[0].transform
    width = max(12, *(len(item.rep.name) for item in found))
    common = frozenset.intersection(*(item.invariances for item in found))
    invariant = ", ".join(sorted(common))
    lines = [f"{relative.label}: invariant to {invariant or 'nothing'}", ""]
    lines.append(f"{'':{width}} {'rows':>8} {'units':>7} {'relative':>9}")
    for item in found:
        n, k = item.rep.values.shape
        lines.append(f"{item.rep.name:{width}} {n:>8} {item.d:>7} {k:>9}")
    return "\n".join(map(wrapped, lines))


def document(found: Sequence[Described], out: Path) -> dict[str, Any]:
    rows = [
        {
            "name": item.rep.name,
            "n": item.rep.values.shape[0],
            "d": item.d,
            "k": item.rep.values.shape[1],
            "transform": item.transform.name,
            "options": item.transform.options,
            "invariances": sorted(item.invariances),
            "anchors": item.anchors,
            "out": str(out),
        }
        for item in found
    ]
    return {"schema": 1, "rows": rows}
