"""Outputs of classifiers in files."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from ..._base._printable import printable
from ...errors import InvalidInput
from ...inputs import Outputs
from ...representation import Representation
from .._files import LABELS, read_arrays
from .._formats import ReadLimits
from ._columns import read_column, table_column

_SCORES = {
    "logits": "logits",
    "probabilities": "probabilities",
    "probs": "probabilities",
    "log_probs": "logits",  # log_softmax does not change them
    "log_probabilities": "logits",
}
_PREDICTIONS = ("predictions", "prediction", "predicted_labels", "labels", "label")
_NAMES = "predictions, logits, probabilities, log_probs or targets"


@dataclass(frozen=True)
class _Found:
    """The arrays of one file; class names are not yet numbers."""

    rep: Representation  # with the logarithms of probabilities, or zeros
    log_probs: np.ndarray | None
    predictions: np.ndarray | None
    targets: np.ndarray | None


def read_outputs(
    files: Sequence[tuple[str | None, Path, tuple[str, ...]]],
    targets: Path | None,
    limits: ReadLimits,
    taken: Collection[str],
) -> list[Representation]:
    """Outputs of one classifier per file, with a name or the name of the file.

    If a representation has the same name, it is followed by ``/outputs``.
    """
    found = []
    for name, file, inner in files:
        model = name or "/".join(map(printable, (*inner, file.stem)))
        found.append(_read(file, model, targets, limits))
    numbered = _numbered(found)
    return [
        replace(rep, name=f"{rep.name}/outputs", layer="outputs")
        if rep.name in taken
        else rep
        for rep in numbered
    ]


def _read(file: Path, name: str, targets: Path | None, limits: ReadLimits) -> _Found:
    log_probs = predictions = own = None
    labels: dict[str, Any]
    if (column := table_column(file, _PREDICTIONS)) is not None:
        ids, values = column
        labels = {} if ids is None else {"ids": ids}
        predictions = _classes(values, str(file))
    else:
        arrays = dict(read_arrays(file, limits=limits))
        labels = {LABELS[key]: arrays.pop(key) for key in [*arrays] if key in LABELS}
        arrays = _known(file, {key.lower(): value for key, value in arrays.items()})
        own = arrays.get("targets")
        for key, kind in _SCORES.items():
            if key in arrays:
                log_probs = _log_probs(arrays[key], kind, f"{file}: {key}")
        for key in _PREDICTIONS:
            if key in arrays:
                predictions = _classes(arrays[key], f"{file}: {key}")
    rows = log_probs if log_probs is not None else predictions
    if rows is None:
        raise InvalidInput(f"{file} has targets, but no outputs; add {_NAMES}.")
    meta = {"file": printable(file.name)}
    rep = Representation(
        name, np.zeros((len(rows), 1)), **labels, model=name, meta=meta
    )
    if targets is not None and own is not None:
        raise InvalidInput(f"{file} has its own targets; give them once.")
    if targets is not None:
        own = read_column(targets, rep)
    classes = None if own is None else _classes(own, f"targets of {file}")
    return _Found(rep, log_probs, predictions, classes)


def _known(file: Path, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays that are outputs or targets; a single array is one by its shape."""
    known = {*_SCORES, *_PREDICTIONS, "targets"}
    chosen = {key: array for key, array in arrays.items() if key in known}
    if not chosen and len(arrays) == 1:
        (array,) = arrays.values()
        return {_kind(file, array): array}
    if not chosen:
        raise InvalidInput(
            f"{file} holds {', '.join(map(printable, arrays))}; call the outputs of a "
            f"classifier {_NAMES}."
        )
    scores = [key for key in chosen if key in _SCORES]
    predicted = [key for key in chosen if key in _PREDICTIONS]
    if len(scores) > 1 or len(predicted) > 1:
        twice = scores if len(scores) > 1 else predicted
        raise InvalidInput(f"{file} holds {' and '.join(twice)}; keep one of them.")
    if scores and {"labels", "label"} & set(predicted):
        raise InvalidInput(
            f"{file}: {predicted[0]}, with {scores[0]}, may be predicted or true; "
            f"call them predictions or targets."
        )
    return chosen


def _kind(file: Path, array: np.ndarray) -> str:
    """What an array without a known name holds."""
    if array.ndim == 1 or array.shape[1:] == (1,):
        return "predictions"
    if array.ndim != 2 or array.dtype.kind not in "iuf":
        raise InvalidInput(
            f"{file} has shape {array.shape} and dtype {array.dtype}; outputs are n "
            f"predicted classes, or n x K logits or probabilities."
        )
    sums = array.sum(axis=1, dtype=np.float64)
    return (
        "probabilities"
        if (array >= 0).all() and (np.abs(sums - 1) <= 1e-2).all()
        else "logits"
    )


def _log_probs(array: np.ndarray, kind: str, where: str) -> np.ndarray:
    if array.ndim != 2 or 0 in array.shape or array.dtype.kind not in "iuf":
        raise InvalidInput(
            f"{where} must be n x K numbers, one row per stimulus and one column per "
            f"class; got shape {array.shape} and dtype {array.dtype}."
        )
    wide = array.astype(np.float64)
    if kind == "logits":
        if np.isnan(wide).any() or not (wide.max(axis=1) < np.inf).all():
            raise InvalidInput(f"{where} has NaN or infinite values; fix the export.")
        if not (wide.max(axis=1) > -np.inf).all():
            raise InvalidInput(f"{where} has a row of -inf; fix the export.")
        return scipy.special.log_softmax(wide, axis=1)
    sums = wide.sum(axis=1)
    half = array.dtype == np.float16
    if not ((wide >= 0).all() and (np.abs(sums - 1) <= (1e-2 if half else 1e-3)).all()):
        raise InvalidInput(
            f"{where} must not be negative, and its rows must sum to 1; if they are "
            f"logits, call them logits."
        )
    with np.errstate(divide="ignore"):  # the logarithm of 0 is -inf
        return np.log(wide) - np.log(sums)[:, None]


def _classes(values: np.ndarray, where: str) -> np.ndarray:
    """Whole numbers or class names, one per stimulus."""
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim == 1 and values.dtype.kind == "f":
        whole = np.isfinite(values).all() and (values == np.round(values)).all()
        values = values.astype(np.int64) if whole else values
    if values.ndim != 1 or values.dtype.kind not in "iubU":
        raise InvalidInput(
            f"{where} must be one class per stimulus; got shape {values.shape} and "
            f"dtype {values.dtype}."
        )
    return values


def _numbered(found: Sequence[_Found]) -> list[Representation]:
    """Representations of `Outputs`; class names are numbered in sorted order."""
    columns = [c for f in found for c in (f.predictions, f.targets) if c is not None]
    texts = [column for column in columns if column.dtype.kind == "U"]
    if texts and (
        len(texts) < len(columns) or any(f.log_probs is not None for f in found)
    ):
        raise InvalidInput(
            "some classes are names and some are numbers; use numbers, the columns of "
            "the logits, in all files."
        )
    names = np.unique(np.concatenate(texts)) if texts else None
    reps = []
    for f in found:
        predictions, targets = (
            c if c is None or names is None else np.searchsorted(names, c)
            for c in (f.predictions, f.targets)
        )
        values = Outputs(log_probs=f.log_probs, labels=predictions, targets=targets)
        reps.append(replace(f.rep, values=values))
    return reps
