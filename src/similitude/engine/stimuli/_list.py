"""The stimuli of one pair, from the least to the most similar."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _linalg, stats
from ..._base._seed import Rng
from ...errors import InvalidInput
from ...inputs import points
from ...measures import Measure, find_measure, stored_measure
from ...representation import Representation
from .._rows import Row
from ._groups import Group, groups_of
from ._text import stimuli_table

ALPHA = 0.05  # false discovery rate of both questions
_SHOWN = 10  # neighbors of a stimulus in each network
MOST_GROUPED = 5000  # the graph of stimuli has n x n weights


@dataclass(frozen=True, eq=False)
class View:
    """The stimuli in one network: nearest stimuli, and two principal components."""

    neighbors: np.ndarray  # n x k, by the Euclidean distance
    places: np.ndarray  # n x 2


@dataclass(frozen=True, eq=False, repr=False)
class Stimuli:
    """Scores of single stimuli of one pair; see `Results.stimuli`.

    Attributes
    ----------
    a, b, measure
        The names of the pair, and the label of the measure.
    scores
        One score per stimulus. `similarity` says whether a high score means similar.
    ids, fields
        Names of the stimuli, and facts about them, such as texts.
    alike
        Each stimulus against random partners; None if the measure cannot do this. It
        says nothing about a difference.
    moved
        Each stimulus against its scores between baselines; None without baselines.
    groups
        Stimuli that are near each other in one network and far in the other.
    views
        For each of the two networks, the nearest stimuli of each stimulus, and two
        coordinates of each. Empty, like `groups`, for more than 5,000 stimuli.
    """

    a: str
    b: str
    measure: str
    similarity: bool
    scores: np.ndarray
    ids: np.ndarray
    fields: Mapping[str, np.ndarray]
    alike: stats.Alike | None
    moved: stats.Moved | None
    groups: tuple[Group, ...]
    views: tuple["View", ...]

    def __repr__(self) -> str:
        return self.table()

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def order(self) -> np.ndarray:
        """Row numbers, from the least to the most similar."""
        sign = 1.0 if self.similarity else -1.0
        return np.argsort(sign * self.scores, kind="stable")

    def table(self, width: int | None = None, *, count: int = 10) -> str:
        """The least and the most similar stimuli, both questions, and the groups."""
        return stimuli_table(self, width, count, ALPHA)

    def to_dict(self) -> dict[str, Any]:
        """All stimuli, from the least to the most similar, as JSON values."""
        order = self.order.tolist()
        return {
            "a": self.a,
            "b": self.b,
            "measure": self.measure,
            "stimuli": [self._entry(i) for i in order],
            "groups": [
                {
                    "near_in": group.near,
                    "far_in": group.far,
                    "size": group.size,
                    "mean_score": group.score,
                    "ids": [str(self.ids[i]) for i in group.members],
                }
                for group in self.groups
            ],
        }

    def _entry(self, i: int) -> dict[str, Any]:
        found: dict[str, Any] = {"id": str(self.ids[i]), "score": float(self.scores[i])}
        if self.alike is not None:
            found["alike_q"] = float(self.alike.q[i])
        if self.moved is not None:
            found["moved_q"] = float(self.moved.q[i])
        return found | {name: str(values[i]) for name, values in self.fields.items()}


def list_stimuli(
    sides: Sequence[Representation],
    measure: Measure,
    *,
    baselines: Sequence[Representation] = (),
    draws: int = 199,
    rng: Rng = 0,
) -> Stimuli:
    """Scores, both questions and groups for the two `sides`, which are joined."""
    x, y = (rep.load() for rep in sides)
    alike = moved = None
    mean = measure.claims().per_stimulus == "mean"  # not the influence on a score
    if mean and measure.offers("permute"):
        alike = stats.alike(x, y, measure, draws=draws, rng=rng)
    if baselines:
        values = [rep.load() for rep in baselines]
        moved = stats.moved(x, y, values, measure, rng=rng)
    scores = stats.per_stimulus(x, y, measure, rng=rng)
    first, names = sides[0], (sides[0].name, sides[1].name)
    grouped = measure.domain == "points" and len(scores) <= MOST_GROUPED
    return Stimuli(
        *names,
        measure.label,
        measure.claims().kind == "similarity",
        scores,
        np.arange(first.n) if first.ids is None else first.ids,
        {**sides[1].fields, **first.fields},
        alike,
        moved,
        groups_of(x, y, names, scores) if grouped else (),
        tuple(_view(side) for side in (x, y)) if grouped else (),
    )


def measure_of(rows: Sequence[Row], label: str | None) -> Measure:
    """The measure of this label or name; by default the first mean over stimuli."""
    used = {row.label: (row.measure, row.options) for row in rows}
    known = {
        key: measure
        for key, stored in used.items()
        if (measure := stored_measure(*stored)) is not None
    }
    if label is not None:
        return known[label] if label in known else find_measure(label)
    for wanted in ("mean", "residual", "influence"):
        for measure in known.values():
            if measure.claims().per_stimulus == wanted:
                return measure
    raise InvalidInput(
        "no measure of these results has scores of stimuli; `similitude measures` "
        "lists others, and their names can be given."
    )


def _view(values: np.ndarray) -> View:
    rows = np.asarray(_linalg.metric_rows(points(values), "euclidean"))
    lists = _linalg.nearest(rows, min(_SHOWN, len(rows) - 1), "euclidean")
    centered = rows - rows.mean(axis=0)
    _, vectors = np.linalg.eigh(centered.T @ centered)
    places = centered @ vectors[:, :-3:-1]
    missing = np.zeros((len(rows), 2 - places.shape[1]))  # of a single column
    return View(lists, np.concatenate([places, missing], axis=1))
