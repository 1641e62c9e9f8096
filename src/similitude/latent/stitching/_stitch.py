"""Stitching in one call: split the rows, draw anchors, compute the table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ... import engine
from ..._base._progress import Progress
from ..._base._seed import Rng
from ...errors import InvalidInput, either
from ...representation import where
from ...store import given_representations
from ..align.relative import Relative
from ._pairs import stitched_pairs
from ._results import StitchingTable
from ._split import Duplicates, stitching_task
from ._table import stitching_table
from ._transforms import MapFit


def stitch_all(
    spaces: Any,
    labels: Any,
    transforms: Sequence[str | Relative] | Mapping[str, Relative | MapFit] = (
        "cosine",
        "robust",
    ),
    *,
    seeds: Sequence[int] = (0, 1, 2),
    anchors: int | None = None,
    split: Any = None,
    test: float = 0.3,
    rng: Rng = 0,
    ordinal: bool = False,
    duplicates: Duplicates = "drop",
    within: bool = False,
    out: str | Path | None = None,
    progress: Progress | Literal["auto"] | None = "auto",
) -> StitchingTable:
    """Test the decoder of each encoder on the rows of every other encoder.

    This is `similitude latent stitch` in Python. `stitching_task` and
    `stitching_table` are its two steps, for other heads, domains and encoders.

    Parameters
    ----------
    spaces
        Encoders, as `compare` takes them: a mapping from names to n x d rows,
        representations, or paths of files and stores. Twins are a baseline.
    labels
        n classes: integers or names.
    transforms
        Relative transforms and maps, by name or as objects. The baselines "absolute"
        and "procrustes" are always included.
    seeds
        Each seed draws its own anchors.
    anchors
        Number of anchors. By default twice the units of the widest encoder, or all
        training rows if there are fewer.
    split, test, rng, ordinal, duplicates
        As in `stitching_task`.
    within
        Also stitch layers of one model with each other.
    out, progress
        As in `stitching_table`: a folder of finished cells, and a progress bar.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = np.arange(90) % 3
    >>> x = rng.normal(size=(90, 4)) + 4 * np.eye(4)[labels]
    >>> table = stitch_all({"x": x, "y": x[:, ::-1]}, labels, seeds=[0], progress=None)
    >>> table.overall()["robust"]["stitched"] > 90
    True
    """
    reps = engine.join(given_representations(spaces))
    known = [rep.name for rep in reps]
    if repeated := [name for name in known if known.count(name) > 1]:
        raise InvalidInput(
            f"{where(reps[known.index(repeated[0])])} is given twice; give each "
            f"encoder once, with its own name."
        )
    pairs = stitched_pairs(reps, within=within)
    task = stitching_task(
        {rep.name: rep for rep in reps},
        _classes(np.asarray(labels), ordinal=ordinal),
        split=split,
        test=test,
        rng=rng,
        ordinal=ordinal,
        duplicates=duplicates,
    )
    if anchors is None:
        anchors = min(task.pool, 2 * max(rep.d for rep in reps))
    found = stitching_table(
        task.encoders,
        None,
        task.data,
        transforms,
        seeds,
        anchors=anchors,
        allow_duplicates=duplicates == "keep",
        pairs=pairs,
        baselines={rep.name: rep.baseline for rep in reps if rep.baseline is not None},
        out=out,
        progress=progress,
    )
    if not task.duplicates:
        return found
    option = either(python='duplicates="keep"', shell="--duplicates keep")
    note = (
        f"rows that equal an earlier row and are not used as anchors: "
        f"{task.duplicates} ({option} uses them)."
    )
    return replace(found, notes=(*found.notes, note))


def _classes(values: np.ndarray, *, ordinal: bool) -> np.ndarray:
    """Classes as integers; class names are numbered in sorted order."""
    if values.dtype.kind == "f" and (values == np.round(values)).all():
        values = values.astype(np.int64)
    if values.dtype.kind in "US" and not ordinal:
        return np.unique(values, return_inverse=True)[1]
    if values.dtype.kind not in "iu":
        name = either(python="labels", shell="--labels")
        raise InvalidInput(f"{name}: {values[0]} is not a class; use integers.")
    return values.astype(np.int64)
