"""The result of `diff`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...engine._results import Results
from ...engine._rows import Row, plain
from ...measures import COORDINATES
from ._gate import Outcome, Verdict, junit, overall
from ._pairing import Pair
from ._stimuli import Moved
from ._text import latex, markdown, sentence, text

_ROW = ("score", "low", "high", "status", "reason", "baselines")


@dataclass(frozen=True)
class Change:
    """One layer before and after: a row of scores per measure, and the noise floor.

    `floor` is None for outputs.
    """

    pair: Pair
    rows: Mapping[str, Row]
    floor: float | None
    threshold: float  # a layer differs beyond this many floors

    @property
    def floors(self) -> float | None:
        """The relative change in units of the noise floor; None if it has none."""
        row = self.rows.get(COORDINATES[0].label)
        if row is None or row.score is None or self.floor is None:
            return None
        return row.score / self.floor

    @property
    def differs(self) -> bool | None:
        return None if self.floors is None else self.floors > self.threshold


@dataclass(frozen=True, repr=False)
class Diff:
    """A model before and after a change; `print` shows the table.

    Attributes
    ----------
    changes
        One per layer, in the order of the network.
    n
        The number of rows.
    floor_source
        Where the noise floor comes from.
    moved
        The stimuli that moved most; None if none moved.
    flips
        The ids of stimuli with another predicted class; None without outputs.
    verdicts
        One per limit and layer.
    notes
        Sentences about sampled rows and layers without a partner.
    baselines
        Names of the baselines; their scores are in the rows.
    results
        The scores as the result of `compare`, with all its methods.
    """

    changes: tuple[Change, ...]
    n: int
    floor_source: str
    moved: Moved | None
    flips: tuple[str, ...] | None
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    baselines: tuple[str, ...] = ()
    results: Results | None = None

    @property
    def first(self) -> str | None:
        """The first layer that differs beyond the noise floor."""
        return next((c.pair.label for c in self.changes if c.differs), None)

    @property
    def outcome(self) -> Outcome | None:
        """Of the gate: "pass", "fail" or "inconclusive"; None without limits."""
        return overall(self.verdicts)

    def __repr__(self) -> str:
        return text(self)

    def sentence(self) -> str:
        """One sentence for a paper or a pull request."""
        return sentence(self)

    def to_markdown(self) -> str:
        """The table, the sentence and the verdicts, for a pull request."""
        return markdown(self)

    def to_latex(self) -> str:
        """The table for the package booktabs."""
        return latex(self)

    def plot(self, axes: Any = None) -> Any:
        """Draw the change over depth; see `similitude.networks.diff.plot_changes`."""
        from ._plot import plot_changes

        return plot_changes(self, axes)

    def report(self, path: str | Path) -> None:
        """Write the HTML page of the scores, as `Results.report`."""
        if self.results is not None:
            self.results.report(path)

    def to_junit(self, name: str = "similitude diff") -> str:
        """The verdicts as JUnit XML, for continuous integration."""
        return junit(name, self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """A JSON document; infinities are written as text."""
        layers = [
            {
                "before": c.pair.before.layer,
                "after": c.pair.after.layer,
                "matched_by": c.pair.how,
                "noise_floor": c.floor,
                "floors": c.floors,
                "differs": c.differs,
                "scores": {
                    label: {key: getattr(row, key) for key in _ROW}
                    for label, row in c.rows.items()
                },
            }
            for c in self.changes
        ]
        document = {
            "schema": 1,
            "n": self.n,
            "layers": layers,
            "first": self.first,
            "noise_floor": self.floor_source,
            "moved": None if self.moved is None else asdict(self.moved),
            "flips": None if self.flips is None else list(self.flips),
            "outcome": self.outcome,
            "verdicts": [asdict(found) for found in self.verdicts],
            "sentence": self.sentence(),
            "notes": list(self.notes),
        }
        return dict(plain(document))
