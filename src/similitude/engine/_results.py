"""A table of results, wherever it was made."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import stats
from ..errors import InvalidInput, MissingExtra
from ..measures import RECORDS, cite
from . import _display
from ._baselines import Baseline, attach
from ._folder import Folder
from ._rows import Row, plain
from .text import render

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# What a matrix can show: the numbers in a row.
_VALUES = (
    *("score", "calibrated", "p", "q", "low", "high"),
    *("null_mean", "null_sd", "null_q95", "n", "d_a", "d_b", "seconds"),
)


@dataclass(frozen=True, repr=False)
class Results:
    """Rows of scores, with their statistics as far as these were asked for.

    It shows itself as its table. Equality is that of the rows, without the seconds
    they took. `dropped` rows of the representations were not finite, and left out.
    """

    rows: tuple[Row, ...]
    baseline_rows: tuple[Row, ...] = ()
    notes: tuple[str, ...] = ()
    path: Path | None = None
    dropped: int = 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Results):
            return NotImplemented
        return (self.rows, self.baseline_rows) == (other.rows, other.baseline_rows)

    def __hash__(self) -> int:
        return hash(tuple(row.job for row in self.rows))

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        return _display.html(self)

    @staticmethod
    def load(path: str | Path) -> "Results":
        """The table of the last run in a folder, finished or not.

        Other measures that earlier runs took of the very same representations are in
        it too. Rows of other representations, and of values that have changed since,
        stay in the folder until they are asked for again.
        """
        folder = Folder(path)
        run, found = folder.run(), folder.rows()
        labels = {
            _question(entry["name"], entry["options"]): entry["label"]
            for entry in run.get("measures", [])
        }
        current: dict[tuple[str, ...], Row] = {}
        last = set(run.get("jobs", []))
        for job in [*run.get("jobs", []), *run.get("earlier", [])]:
            if (kept := found.get(job)) is None:
                continue
            label = labels.get(_question(kept.measure, kept.options), kept.label)
            if job not in last and label in labels.values():
                continue  # asked for anew, maybe with other settings
            row = kept if label == kept.label else replace(kept, label=label)
            current.setdefault((row.label, row.a, row.b, row.baseline_of or ""), row)
        return assemble(
            list(current.values()),
            names=[rep["name"] for rep in run.get("representations", [])],
            baselines=[
                Baseline(entry["name"], tuple(entry["twins"]))
                for entry in run.get("baselines", [])
            ],
            notes=tuple(run.get("notes", ())),
            path=Path(path),
            dropped=run.get("dropped", 0),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The representations, in the order in which they occur."""
        return tuple(dict.fromkeys(n for row in self.rows for n in (row.a, row.b)))

    @property
    def measures(self) -> tuple[str, ...]:
        """The labels of the measures, in the order in which they occur."""
        return tuple(dict.fromkeys(row.label for row in self.rows))

    def matrix(self, measure: str, value: str = "score") -> np.ndarray:
        """One value of all pairs, K x K in the order of `names`; NaN where none is.

        The diagonal is NaN: nothing is compared with itself.
        """
        chosen = [row for row in self.rows if row.label == measure]
        if not chosen:
            raise InvalidInput(
                f"there are no rows of {measure!r}; there are "
                f"{', '.join(self.measures)}."
            )
        if value not in _VALUES:
            raise InvalidInput(f"value={value!r}; choose from {', '.join(_VALUES)}.")
        names = self.names
        place = {name: i for i, name in enumerate(names)}
        table = np.full((len(names), len(names)), np.nan)
        directed = len({(row.a, row.b) for row in chosen}) > len(
            {frozenset((row.a, row.b)) for row in chosen}
        )
        for row in chosen:
            found = getattr(row, value)
            if found is None:
                continue
            table[place[row.a], place[row.b]] = found
            if not directed:
                table[place[row.b], place[row.a]] = found
        return table

    def pairs(self) -> tuple[tuple[str, str], ...]:
        return tuple(dict.fromkeys((row.a, row.b) for row in self.rows))

    def table(self, width: int = 80) -> str:
        """For people: every pair, its scores, and how to read them."""
        return render(self.rows, self.notes, width)

    def plot(self, measure: str | None = None, **options: Any) -> "Axes":
        """A matrix of all pairs under one measure (extra ``plot``).

        Parameters
        ----------
        measure
            Its label; may be left out if there is only one.
        **options
            As of `similitude.plots.plot_matrix`: ``value``, ``axes``.

        Returns
        -------
        Axes
            Of matplotlib, with the picture.
        """
        return _display.plot(self, measure, **options)

    def errors(self) -> tuple[Row, ...]:
        """Rows without a score, each with its reason."""
        return tuple(row for row in self.rows if row.status != "ok")

    def to_dict(self) -> dict[str, Any]:
        """One JSON document; infinities are text in it."""
        rows = [plain(row.to_dict()) for row in self.rows]
        return {"schema": 1, "rows": rows, "notes": list(self.notes)}

    def to_polars(self) -> Any:
        """A data frame, one line a row; options, details and advice as JSON text."""
        try:
            import polars
        except ImportError as error:
            raise MissingExtra("a data frame", "tables") from error

        def cell(value: Any) -> Any:
            nested = isinstance(value, dict | list)
            return json.dumps(plain(value)) if nested else value

        flat = [
            {key: cell(value) for key, value in row.to_dict().items()}
            for row in self.rows
        ]
        return polars.DataFrame(flat, infer_schema_length=None)

    def cite(self) -> str:
        """BibTeX of the measures that were used."""
        used = dict.fromkeys(row.measure for row in self.rows)
        return cite(*(RECORDS[name] for name in used if name in RECORDS))


def _question(measure: str, options: dict[str, Any]) -> str:
    return f"{measure} {sorted(options.items())}"


def assemble(
    rows: Sequence[Row],
    *,
    names: Sequence[str] = (),
    baselines: Sequence[Baseline] = (),
    notes: tuple[str, ...] = (),
    path: Path | None = None,
    dropped: int = 0,
) -> Results:
    """Results out of rows: q-values and baselines need all of them together."""
    rows = attach(rows, names, baselines)
    main = [row for row in rows if row.baseline_of is None]
    behind = tuple(row for row in rows if row.baseline_of is not None)
    return Results(tuple(_with_q(main)), behind, notes, path, dropped)


def _with_q(rows: Sequence[Row]) -> list[Row]:
    """Benjamini-Hochberg over the pairs of each measure."""
    result = list(rows)
    for label in dict.fromkeys(row.label for row in rows):
        tested = [
            i for i, row in enumerate(rows) if row.p is not None and row.label == label
        ]
        q = stats.benjamini_hochberg(np.array([rows[i].p for i in tested], dtype=float))
        for i, value in zip(tested, q, strict=True):
            result[i] = replace(result[i], q=float(value))
    return result
