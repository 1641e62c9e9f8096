"""`similitude latent stitch`: zero-shot stitching of embeddings in files."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ... import engine
from ...errors import InvalidInput
from ...representation import Representation, where
from ...training import (
    StitchingTable,
    StitchingTask,
    stitching_table,
    stitching_task,
)
from ...training.stitching import BASELINES, Duplicates
from ._anchors import rows_of
from ._labels import classes
from ._typed_options import find_transform


def task(
    reps: Sequence[Representation],
    labels: np.ndarray,
    split: np.ndarray | None,
    *,
    test: float,
    seed: int,
    ordinal: bool,
    duplicates: Duplicates,
) -> StitchingTask:
    """Split the rows into training, test and anchor rows, equal in all encoders."""
    names = [rep.name for rep in reps]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise InvalidInput(
            f"{where(reps[names.index(repeated[0])])} is given twice; give "
            f"each encoder once, with its own name."
        )
    if split is None and not 0 < test < 1:
        raise InvalidInput(f"--test {test}: give a share of rows between 0 and 1.")
    return stitching_task(
        {rep.name: rows_of(rep) for rep in reps},
        classes(labels, ordinal=ordinal),
        split=split,
        test=test,
        rng=seed,
        ordinal=ordinal,
        duplicates=duplicates,
    )


def run(
    job: StitchingTask,
    names: Sequence[str],
    *,
    pairs: Collection[tuple[str, str]],
    baselines: Mapping[str, str],
    anchors: int | None,
    duplicates: Duplicates,
    seeds: str,
    out: Path,
    progress: engine.Progress,
) -> StitchingTable:
    found: dict[str, Any] = {}
    for name in names:
        if name not in BASELINES:  # always included
            found[name] = find_transform(name)
    if anchors is None:
        widths = [space.train.shape[1] for space in job.encoders.values()]
        anchors = min(job.pool, 2 * max(widths))
    table = stitching_table(
        job.encoders,
        None,
        job.data,
        found,
        _numbers(seeds),
        anchors=anchors,
        allow_duplicates=duplicates == "keep",
        pairs=pairs,
        baselines=baselines,
        out=out,
        progress=progress,
    )
    if not job.duplicates:
        return table
    note = (
        f"rows that equal an earlier row and are not used as anchors: "
        f"{job.duplicates} (--duplicates keep uses them)."
    )
    return replace(table, notes=(*table.notes, note))


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInput(f"--seeds {text!r}: write numbers as 0,1,2.") from None
