"""The program of a child process that reads HDF5 files with h5py; see `_child`."""

import json
import os
import resource
import sys
from typing import Any

_SLACK = 2**30  # address space in addition to the values
_BLOCK = 2**22  # bytes of values that are read at once


def send(document: Any) -> None:
    sys.stdout.buffer.write(json.dumps(document).encode() + b"\n")
    sys.stdout.buffer.flush()


def refuse(message: str) -> None:
    sys.stderr.write(message)
    sys.exit(3)


def limit(more: int) -> None:
    with open("/proc/self/statm") as statm:
        used = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + more + _SLACK,) * 2)


def described(h5py: Any, name: str, item: Any) -> list[Any]:
    """The name, shape and kind of a data set or group. Links are not followed."""
    if not isinstance(item, h5py.Dataset):
        sparse = "indptr" in item and "data" in item
        return [name, None, "a sparse matrix" if sparse else "a group"]
    dtype = item.dtype
    if item.external is not None or item.is_virtual:
        kind = "values in other files"
    elif h5py.check_string_dtype(dtype) is not None or dtype.kind == "S":
        kind = "texts"
    elif h5py.check_vlen_dtype(dtype) is not None:
        kind = "lists of different lengths"
    elif dtype.kind == "O" or dtype.kind == "V":
        kind = "objects"
    elif dtype.kind in "iufb" and dtype.itemsize <= 8:
        kind = "numbers"
    else:
        kind = f"values of type {dtype}"
    return [name, list(item.shape or ()), kind]


def strings(h5py: Any, item: Any) -> list[Any]:
    """One-dimensional texts or numbers as a list; categories are decoded."""
    if isinstance(item, h5py.Group):  # a categorical of AnnData
        names = [*strings(h5py, item["categories"]), ""]  # code -1 is missing
        return [names[code] for code in item["codes"][...].tolist()]
    if item.dtype.kind in "OS":
        values = item.asstr(errors="replace")[...] if item.dtype.kind == "O" else None
        if values is None:
            values = item[...].astype("U")
        return [str(value) for value in values.tolist()]
    return item[...].tolist()


def columns_of_obs(h5py: Any, file: Any) -> dict[str, Any]:
    """Names of the data sets with the ids and the fields of an AnnData file."""
    obs = file.get("obs")
    if not isinstance(obs, h5py.Group) or "_index" not in obs.attrs:
        return {}
    index = str(obs.attrs["_index"])
    found = {}
    for name in obs:
        item = obs.get(name)
        codes = isinstance(item, h5py.Group) and {"codes", "categories"} <= set(item)
        plain = isinstance(item, h5py.Dataset) and item.ndim == 1
        if name != index and (codes or (plain and item.dtype.kind in "OSiuf")):
            found[name] = f"obs/{name}"
    return {"index": f"obs/{index}", "fields": found}


def main(packages: str, path: str) -> None:
    os.environ["HDF5_PLUGIN_PRELOAD"] = "::"  # load no code for filters
    os.environ["HDF5_USE_FILE_LOCKING"] = "FALSE"
    # Some damaged files make the library search forever.
    seconds = 15 + os.stat(path).st_size // 10**7
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    sys.path.append(packages)
    import h5py
    import numpy as np

    try:
        with h5py.File(path, "r") as file:
            items: list[Any] = []

            def visit(name: str, item: Any) -> Any:
                items.append(described(h5py, name, item))
                return None if len(items) <= 10_000 else True

            if file.visititems(visit):
                refuse("it has more than 10,000 data sets; name one")
            send({"items": items, "obs": columns_of_obs(h5py, file)})
            order = json.loads(sys.stdin.readline() or "null")
            if order is None:
                sys.exit(0)
            limit(order["bytes"] + 4 * order["text"])
            arrays = {name: file[name] for name in order["arrays"]}
            texts = {key: strings(h5py, file[p]) for key, p in order["labels"].items()}
            fields = {key: strings(h5py, file[p]) for key, p in order["fields"].items()}
            if any(len(json.dumps(v)) > order["text"] for v in texts.values()):
                refuse("its ids or blocks are too long")
            kept = {}
            for name, values in fields.items():
                size = len(json.dumps(values))
                if size <= order["text"]:
                    order["text"] -= size
                    kept[name] = values
            dtypes = {n: a.dtype.newbyteorder("<") for n, a in arrays.items()}
            shapes = [[n, dtypes[n].str, a.shape] for n, a in arrays.items()]
            send({"texts": texts, "fields": kept, "arrays": shapes})
            for name, values in arrays.items():
                rows, row = len(values), values.shape[1] * values.dtype.itemsize
                step = max(1, _BLOCK // max(1, row))
                for start in range(0, rows, step):
                    block = values[start : start + step]
                    same = np.ascontiguousarray(block, dtype=dtypes[name])
                    sys.stdout.buffer.write(same.tobytes())
            sys.stdout.buffer.flush()
    except (OSError, KeyError, RuntimeError, ValueError, TypeError) as error:
        refuse(str(error) or type(error).__name__)


if __name__ == "__main__":
    main(*sys.argv[1:])
