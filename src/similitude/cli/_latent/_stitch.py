"""`similitude latent stitch`: zero-shot stitching of embeddings in files."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ... import engine
from ...errors import InvalidInput
from ...representation import Representation, where
from ...training.stitching import (
    BASELINES,
    Duplicates,
    StitchingTable,
    stitched_pairs,
    stitching_table,
    stitching_task,
)
from ._anchors import rows_of
from ._typed_options import find_transform


def table(
    reps: Sequence[Representation],
    labels: np.ndarray,
    split: np.ndarray | None,
    names: Sequence[str],
    *,
    within: bool,
    anchors: int | None,
    duplicates: Duplicates,
    seeds: str,
    out: Path,
    progress: engine.Progress,
    test: float,
    ordinal: bool,
    **options: Any,
) -> StitchingTable:
    """Split the rows, equally in all encoders, and stitch through the named transforms.

    The options are those of `stitching_task`.
    """
    known = [rep.name for rep in reps]
    repeated = [name for name in known if known.count(name) > 1]
    if repeated:
        raise InvalidInput(
            f"{where(reps[known.index(repeated[0])])} is given twice; give each "
            f"encoder once, with its own name."
        )
    if split is None and not 0 < test < 1:
        raise InvalidInput(f"--test {test}: give a share of rows between 0 and 1.")
    encoders = {rep.name: rows_of(rep) for rep in reps}
    classes = _classes(labels, ordinal=ordinal)
    options |= {"test": test, "ordinal": ordinal, "duplicates": duplicates}
    task = stitching_task(encoders, classes, split=split, **options)
    if anchors is None:
        anchors = min(task.pool, 2 * max(rows.shape[1] for rows in encoders.values()))
    found = stitching_table(
        task.encoders,
        None,
        task.data,
        {name: find_transform(name) for name in names if name not in BASELINES},
        _numbers(seeds),
        anchors=anchors,
        allow_duplicates=duplicates == "keep",
        pairs=stitched_pairs(reps, within=within),
        baselines={rep.name: rep.baseline for rep in reps if rep.baseline is not None},
        out=out,
        progress=progress,
    )
    if not task.duplicates:
        return found
    note = (
        f"rows that equal an earlier row and are not used as anchors: "
        f"{task.duplicates} (--duplicates keep uses them)."
    )
    return replace(found, notes=(*found.notes, note))


def _classes(values: np.ndarray, *, ordinal: bool) -> np.ndarray:
    """Classes as integers; class names are numbered in sorted order."""
    if values.dtype.kind == "f" and (values == np.round(values)).all():
        values = values.astype(np.int64)
    if values.dtype.kind in "iu":
        return values.astype(np.int64)
    if values.dtype.kind == "f" or ordinal:
        raise InvalidInput(f"--labels: {values[0]} is not a class; use integers.")
    return np.unique(values, return_inverse=True)[1]


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInput(f"--seeds {text!r}: write numbers as 0,1,2.") from None
