"""`similitude latent stitch`: zero-shot stitching of embeddings in files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ... import engine
from ...errors import InvalidInput
from ...representation import Representation
from ...training import Embeddings, StitchingData, StitchingTable, stitching_table
from ...training.stitching import BASELINES
from ._anchors import rows_of
from ._labels import classes
from ._typed_options import find_transform


@dataclass(frozen=True, eq=False)
class Task:
    """The rows of each encoder, and the labels to predict."""

    encoders: dict[str, Embeddings]
    data: StitchingData
    pool: int  # number of rows from which anchors are drawn


def task(
    reps: Sequence[Representation],
    labels: np.ndarray,
    split: np.ndarray | None,
    *,
    test: float,
    seed: int,
    ordinal: bool,
) -> Task:
    """Split the rows into training, test and anchor rows, equal in all encoders.

    Without a split file, test rows are drawn at random, and anchors are drawn from
    the training rows.
    """
    if len(reps) < 2:
        raise InvalidInput(
            f"stitching needs two or more encoders; got only {reps[0].name}."
        )
    names = [rep.name for rep in reps]
    duplicates = [name for name in names if names.count(name) > 1]
    if duplicates:
        raise InvalidInput(
            f"{engine.where(reps[names.index(duplicates[0])])} is given twice; give "
            f"each encoder once, with its own name."
        )
    target = classes(labels, ordinal=ordinal)
    n = reps[0].n
    if split is None:
        if not 0 < test < 1:
            raise InvalidInput(f"--test {test}: give a share of rows between 0 and 1.")
        order = np.random.default_rng(seed).permutation(n)
        count = min(n - 1, max(1, round(test * n)))
        parts = {"test": order[:count], "train": order[count:]}
        parts["anchor"] = parts["train"]
    else:
        parts = _parts(split)
    encoders = {}
    for rep in reps:
        rows = rows_of(rep)
        encoders[rep.name] = Embeddings(
            rows[parts["train"]], rows[parts["test"]], rows[parts["anchor"]]
        )
    data = StitchingData(target[parts["train"]], target[parts["test"]], ordinal=ordinal)
    return Task(encoders, data, len(parts["anchor"]))


def _parts(values: np.ndarray) -> dict[str, np.ndarray]:
    words = [str(v).lower().rstrip("s") for v in values.tolist()]
    unknown = [w for w in words if w not in {"train", "test", "anchor"}]
    if unknown:
        raise InvalidInput(
            f"--split: {unknown[0]!r} is unknown; write train, test or anchor."
        )
    found = {
        part: np.flatnonzero([w == part for w in words])
        for part in ("train", "test", "anchor")
    }
    for part in ("train", "test"):
        if len(found[part]) == 0:
            raise InvalidInput(f"--split: no row is marked {part}; mark at least one.")
    if len(found["anchor"]) == 0:
        found["anchor"] = found["train"]
    return found


def run(
    job: Task,
    names: Sequence[str],
    *,
    anchors: int | None,
    seeds: str,
    out: Path | None,
    progress: engine.Progress,
) -> StitchingTable:
    found: dict[str, Any] = {}
    for name in names:
        if name not in BASELINES:  # always included
            found[name] = find_transform(name)
    if anchors is None:
        widths = [space.train.shape[1] for space in job.encoders.values()]
        anchors = min(job.pool, 2 * max(widths))
    return stitching_table(
        job.encoders,
        None,
        job.data,
        found,
        _numbers(seeds),
        anchors=anchors,
        out=out,
        progress=progress,
    )


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInput(f"--seeds {text!r}: write numbers as 0,1,2.") from None
