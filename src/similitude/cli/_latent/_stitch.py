"""Zero-shot stitching of embeddings in files: the task, the table."""

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
    """Encoders with their rows, and what is to be told from them."""

    encoders: dict[str, Embeddings]
    data: StitchingData
    pool: int  # anchors that there are to draw from


def task(
    reps: Sequence[Representation],
    labels: np.ndarray,
    split: np.ndarray | None,
    *,
    test: float,
    seed: int,
    ordinal: bool,
) -> Task:
    """Rows for training, for testing, and anchors: the same in all encoders.

    Without a file that says which are which, test rows are drawn, and anchors are
    drawn among the training rows.
    """
    if len(reps) < 2:
        raise InvalidInput(
            f"stitching takes two encoders or more; there is {reps[0].name} only."
        )
    names = [rep.name for rep in reps]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InvalidInput(
            f"{engine.where(reps[names.index(twice[0])])} is there twice; give each "
            f"encoder once, by a name of its own."
        )
    target = classes(labels, ordinal=ordinal)
    n = reps[0].n
    if split is None:
        if not 0 < test < 1:
            raise InvalidInput(f"--test {test}: it is a share of rows, in (0, 1).")
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
        raise InvalidInput(f"--split: {unknown[0]!r} is none of train, test, anchor.")
    found = {
        part: np.flatnonzero([w == part for w in words])
        for part in ("train", "test", "anchor")
    }
    for part in ("train", "test"):
        if len(found[part]) == 0:
            raise InvalidInput(f"--split: no row is for {part}.")
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
        if name not in BASELINES:  # which are always there
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
