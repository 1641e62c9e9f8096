"""The origin of a representation, for `run.json`."""

from typing import Any

import numpy as np

from ...representation import Reader, Representation, arrays_of
from .._rows import as_json
from .._run_record import RepresentationRecord


def path_of(rep: Representation) -> str | None:
    """The file or folder of the values; only a file name if the path is not known."""
    for attribute in ("path", "folder", "filename"):  # of readers, of memory maps
        if path := getattr(rep.values, attribute, None):
            # A file name that is not UTF-8 has characters that JSON cannot hold.
            return str(path).encode("utf-8", "backslashreplace").decode()
    file = rep.meta.get("file")
    # "file: array" is one of several arrays of a file.
    return None if file is None else str(file).removesuffix(f": {rep.layer}")


def record_of(rep: Representation, path: str | None) -> RepresentationRecord:
    """The origin of the compared rows, as JSON values."""
    return RepresentationRecord(
        name=rep.name,
        sha256=rep.sha256,
        path=path,
        shape=(rep.n, rep.d),
        dtype=_dtype(rep),
        domain=rep.domain,
        model=None if rep.model is None else str(rep.model),
        layer=None if rep.layer is None else str(rep.layer),
        step=as_json(rep.step),
        meta=as_json(dict(rep.meta)),
    )


def _dtype(rep: Representation) -> str:
    dtype: Any = getattr(rep.values, "dtype", None)
    if dtype is None:
        values = rep.load() if isinstance(rep.values, Reader) else rep.values
        dtype = next(arrays_of(values))[1].dtype
    return dtype.name if isinstance(dtype, np.dtype) else str(dtype)
