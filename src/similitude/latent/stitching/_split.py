"""Split of rows into training rows, test rows and anchors, equal in all encoders."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..._base import _array
from ..._base._seed import Rng, as_seed
from ..._base._validate import check_one_of, points
from ...errors import InvalidInput, either
from ._spaces import Embeddings, StitchingData

Duplicates = Literal["drop", "keep"]
PARTS = ("train", "test", "anchor")


@dataclass(frozen=True, eq=False, repr=False)
class StitchingTask:
    """The arguments of `stitching_table` for rows of the same stimuli.

    Attributes
    ----------
    encoders
        The training rows, test rows and anchors of each encoder.
    data
        The labels of the training rows and the test rows.
    duplicates
        Number of rows that are not anchors because they equal an earlier row.
    """

    encoders: dict[str, Embeddings]
    data: StitchingData
    duplicates: int

    def __repr__(self) -> str:
        rows = next(iter(self.encoders.values()))
        return (
            f"StitchingTask({', '.join(self.encoders)}; {len(rows.train)} training, "
            f"{len(rows.test)} test rows, {self.pool} anchors to draw from)"
        )

    @property
    def pool(self) -> int:
        """Number of rows from which anchors are drawn."""
        return len(next(iter(self.encoders.values())).anchors)


def split_rows(
    n: int, *, test: float = 0.3, rng: Rng = 0
) -> dict[Literal["train", "test", "anchor"], np.ndarray]:
    """Draw test rows at random; the other rows are training rows and anchors.

    Parameters
    ----------
    n
        Number of rows.
    test
        Share of test rows, between 0 and 1.
    rng
        Seed of the draw.

    Examples
    --------
    >>> {part: len(rows) for part, rows in split_rows(10).items()}
    {'test': 3, 'train': 7, 'anchor': 7}
    """
    if not 0 < test < 1:
        option = either(python=f"test={test}", shell=f"--test {test}")
        raise InvalidInput(f"{option}: give a share of rows between 0 and 1.")
    if n < 2:
        raise InvalidInput(f"n={n}; a split needs at least 2 rows.")
    order = np.random.default_rng(as_seed(rng)).permutation(n)
    count = min(n - 1, max(1, round(test * n)))
    rest = order[count:]
    return {"test": order[:count], "train": rest, "anchor": rest}


def stitching_task(
    spaces: Mapping[str, Any],
    labels: Any,
    *,
    split: Any = None,
    test: float = 0.3,
    rng: Rng = 0,
    ordinal: bool = False,
    duplicates: Duplicates = "drop",
) -> StitchingTask:
    """Split rows of the same stimuli for `stitching_table`, as the shell does.

    Parameters
    ----------
    spaces
        Encoder -> n x d rows; row i is the same stimulus in all.
    labels
        n integers.
    split
        n words "train", "test" or "anchor". By default `split_rows` draws the test
        rows, and anchors come from the training rows.
    test, rng
        Share of test rows and seed, if `split` is not given.
    ordinal
        Labels are points on a scale.
    duplicates
        "drop": a row that equals an earlier row in some encoder is not an anchor,
        because relative transforms need distinct anchors. "keep": it may be one.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = np.arange(90) % 3
    >>> x = rng.normal(size=(90, 4)) + 4 * np.eye(4)[labels]
    >>> task = stitching_task({"x": x, "y": x[:, ::-1]}, labels)
    >>> from similitude.latent.stitching import stitching_table
    >>> table = stitching_table(task.encoders, None, task.data, ["robust"], [0])
    >>> table.overall()["robust"]["stitched"] > 90
    True
    """
    check_one_of("duplicates", duplicates, ("drop", "keep"))
    rows = {name: _array.to_numpy(points(x, name).values) for name, x in spaces.items()}
    if len(rows) < 2:
        got = f"only {next(iter(rows))}" if rows else "none"
        raise InvalidInput(f"stitching needs two or more encoders; got {got}.")
    counts = {name: len(x) for name, x in rows.items()}
    n, target = len(next(iter(rows.values()))), np.asarray(labels)
    if len(set(counts.values())) > 1 or len(target) != n:
        raise InvalidInput(
            f"the encoders have {counts} rows and there are {len(target)} labels; give "
            f"the same stimuli everywhere."
        )
    parts = split_rows(n, test=test, rng=rng) if split is None else _parts(split, n)
    anchors = np.asarray(parts["anchor"])
    kept = _distinct(list(rows.values()), anchors) if duplicates == "drop" else anchors
    encoders = {
        name: Embeddings(x[parts["train"]], x[parts["test"]], x[kept])
        for name, x in rows.items()
    }
    data = StitchingData(target[parts["train"]], target[parts["test"]], ordinal=ordinal)
    return StitchingTask(encoders, data, len(anchors) - len(kept))


def _parts(split: Any, n: int) -> dict[str, np.ndarray]:
    words = [str(word).lower().rstrip("s") for word in np.asarray(split).tolist()]
    unknown = [word for word in words if word not in PARTS]
    if unknown:
        raise InvalidInput(
            f"split: {unknown[0]!r} is unknown; write train, test or anchor."
        )
    if len(words) != n:
        raise InvalidInput(f"split has {len(words)} words for {n} rows; give one each.")
    found = {part: np.flatnonzero([w == part for w in words]) for part in PARTS}
    for part in ("train", "test"):
        if len(found[part]) == 0:
            raise InvalidInput(f"split: no row is marked {part}; mark at least one.")
    if len(found["anchor"]) == 0:
        found["anchor"] = found["train"]
    return found


def _distinct(spaces: list[np.ndarray], chosen: np.ndarray) -> np.ndarray:
    """The chosen rows without those that equal an earlier one in some space."""
    first = np.ones(len(chosen), dtype=bool)
    for x in spaces:
        earliest = np.unique(x[chosen] + 0.0, axis=0, return_index=True)[1]
        first &= np.isin(np.arange(len(chosen)), earliest)
    return chosen[first]
