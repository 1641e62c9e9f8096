"""A table of results, computed or loaded from a folder."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base._printable import terminal_width, wrapped_lines
from .._base._seed import Rng
from ..errors import InvalidInput, require
from ..measures import RECORDS, cite, stored_measure
from ..representation import Representation
from ..stats import stimulus_measure
from ..store import write_table
from . import _display
from ._barcodes import read_barcodes
from ._findings import mixed_reducers, reducers_of, step_facts
from ._folder import Folder
from ._folder import unfinished as unfinished_rows
from ._q_values import with_q_values
from ._rows import Row, plain
from ._run_record import RepresentationRecord
from ._source import other_source
from ._within import with_parts
from .question._baselines import PARTS, Baseline, attach
from .question._incomplete import incomplete_baselines
from .stimuli import Stimuli, find_sources, list_stimuli, measure_of
from .tables._labelled import LabelledMatrix
from .tables._latex import latex_table
from .tables._methods import methods_sentence
from .tables._tidy import columns, exported
from .text import header, render, steps_in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The numeric fields of a row, which `matrix` can show.
_VALUES = (
    *("score", "calibrated", "p", "q", "low", "high"),
    *("null_mean", "null_sd", "null_q95", "n", "d_a", "d_b", "seconds"),
)


@dataclass(frozen=True, repr=False)
class Results:
    """Rows of scores, with the requested statistics.

    The repr is the text table. Two results are equal if their rows are equal, ignoring
    `seconds`. `dropped` is the number of rows of the representations that were dropped
    because a value was not finite. `representations` has the origin of each
    representation: the `compared` ones, and then their twins. `unfinished` says how
    many rows lack a score or statistics; it is empty if the run is finished. `sources`
    are the compared representations; loaded results read them again if needed.
    """

    rows: tuple[Row, ...]
    baseline_rows: tuple[Row, ...] = ()
    notes: tuple[str, ...] = ()
    path: Path | None = None
    dropped: int = 0
    representations: tuple[RepresentationRecord, ...] = ()
    compared: int = 0
    unfinished: str = ""
    sources: tuple[Representation, ...] = ()

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
        """Load the table of the last run in a folder, finished or not.

        It also has the rows of earlier runs with other measures of the same
        representations. Rows of other representations, or of values that have changed
        since, are not loaded. They stay in the folder for later runs. q-values and
        baselines that need missing rows are None.
        """
        folder = Folder(path)
        run, found = folder.run(), folder.rows()
        labels = {
            _measure_key(entry.name, entry.options): entry.label
            for entry in run.measures
        }
        current: dict[tuple[str, ...], Row] = {}
        last = set(run.jobs)
        for job in [*run.jobs, *run.earlier]:
            if (kept := found.get(job)) is None:
                continue
            label = labels.get(_measure_key(kept.measure, kept.options), kept.label)
            if job not in last and label in labels.values():
                continue  # the last run has this measure, maybe with other settings
            row = kept if label == kept.label else replace(kept, label=label)
            current.setdefault((row.label, row.a, row.b, row.baseline_of or ""), row)
        complete = {job for job, row in found.items() if row.complete}
        this_run = set(labels.values())
        unfinished = set() if last <= complete else this_run
        if not complete.issuperset(run.earlier):
            unfinished |= {row.label for row in current.values()} - this_run
        found_rows = assemble(
            list(current.values()),
            unfinished=unfinished,
            representations=run.representations,
            baselines=[Baseline(entry.name, entry.twins) for entry in run.baselines],
            notes=(*run.notes, *folder.notes(), *other_source(current.values())),
            path=Path(path),
            dropped=run.dropped,
            missing=unfinished_rows(run.jobs, found),
        )
        parts = [Path(path) / name for name in PARTS]
        if all((part / "run.json").exists() for part in parts):
            return with_parts(found_rows, *map(Results.load, parts))
        return found_rows

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the representations, in order of first occurrence."""
        return tuple(dict.fromkeys(n for row in self.rows for n in (row.a, row.b)))

    @property
    def measures(self) -> tuple[str, ...]:
        """The labels of the measures, in order of first occurrence."""
        return tuple(dict.fromkeys(row.label for row in self.rows))

    @property
    def baselines(self) -> tuple[str, ...]:
        """The names of the baselines, in order of first occurrence."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.baselines))

    def matrix(self, measure: str, value: str = "score") -> LabelledMatrix:
        """One value for all pairs, K x K in the order of `names`; NaN if missing.

        `value` is a numeric field of `Row`, or the name of a baseline. The diagonal of
        scores is the score of a representation with itself, if the measure claims one;
        otherwise it is NaN. The matrix is a numpy array with `names`:
        ``matrix["a", "b"]`` is the value of one pair, and ``matrix.to_pandas()`` a data
        frame.
        """
        chosen = [row for row in self.rows if row.label == measure]
        if not chosen:
            raise InvalidInput(
                f"there are no rows of {measure!r}; choose from "
                f"{', '.join(self.measures)}."
            )
        known = (*_VALUES, *self.baselines)
        if value not in known:
            raise InvalidInput(f"value={value!r}; choose from {', '.join(known)}.")
        names = self.names
        index = {name: i for i, name in enumerate(names)}
        table = np.full((len(names), len(names)), np.nan)
        if value == "score" and (itself := _self_score(chosen[0])) is not None:
            np.fill_diagonal(table, itself)
        directed = len({(row.a, row.b) for row in chosen}) > len(
            {frozenset((row.a, row.b)) for row in chosen}
        )
        for row in chosen:
            of_row = value in _VALUES
            found = getattr(row, value) if of_row else row.baselines.get(value)
            if found is None:
                continue
            table[index[row.a], index[row.b]] = found
            if not directed:
                table[index[row.b], index[row.a]] = found
        return LabelledMatrix(table, names)

    def pairs(self) -> tuple[tuple[str, str], ...]:
        return tuple(dict.fromkeys((row.a, row.b) for row in self.rows))

    def header(self, width: int | None = None) -> str:
        """The number of stimuli, and the shape and dtype of each representation."""
        width = terminal_width() if width is None else width
        reps = self.representations
        return "\n".join(header(reps[: self.compared], reps[self.compared :], width))

    def table(
        self, width: int | None = None, *, header: bool = True, long: bool = False
    ) -> str:
        """The text table: scores and statistics of all pairs, with notes.

        Many pairs are shown as a grid, or by quartiles and extreme pairs, in about 60
        lines.

        Parameters
        ----------
        width
            The number of columns; by default the width of the terminal.
        header
            Whether the table starts with the shapes of the representations.
        long
            Whether each pair has its own line.
        """
        width = terminal_width() if width is None else width
        body = render(self.rows, self._all_notes, width, long=long)
        top = self.header(width) if header else ""
        steps = "\n".join(wrapped_lines(self._step_findings(), width))
        return "\n\n".join(part for part in (top, steps, body) if part)

    def _step_findings(self) -> list[str]:
        """One sentence per measure about the checkpoints of training runs."""
        reps = self.representations[: self.compared]
        found = {
            label: step_facts([row for row in self.rows if row.label == label], reps)
            for label in self.measures
        }
        return [steps_in_words(label, facts) for label, facts in found.items() if facts]

    def plot(self, measure: str | None = None, **options: Any) -> "Axes":
        r"""Plot the matrix of all pairs under one measure (extra ``plot``).

        Parameters
        ----------
        measure
            The label of the measure; optional if there is only one.
        \*\*options
            Options of `similitude.plots.plot_matrix`, such as ``value``, ``order`` and
            ``ax``.

        Returns
        -------
        Axes
            The matplotlib axes with the plot.
        """
        return _display.plot(self, measure, **options)

    def report(self, path: str | Path, **options: Any) -> None:
        r"""Write one self-contained HTML page about the results (extra ``report``).

        Parameters
        ----------
        path
            The HTML file; it is overwritten.
        \*\*options
            Options of `similitude.report.write_page`: ``stitching``, ``stimuli`` and
            ``title``.
        """
        _display.report(self, path, **options)

    def stimuli(
        self,
        a: str,
        b: str,
        measure: str | None = None,
        *,
        baselines: Sequence[str] = (),
        draws: int = 199,
        rng: Rng = 0,
    ) -> Stimuli:
        """Which stimuli do two representations see differently?

        Parameters
        ----------
        a, b
            Names of representations that were compared.
        measure
            The name or label of a measure; by default the first one with stimuli.
        baselines
            Names of four or more other seeds or repeats that were compared, for
            `similitude.stats.moved`.
        draws, rng
            Number of random partners and their seed, for `similitude.stats.alike`.

        Returns
        -------
        Stimuli
            The repr lists the least and the most similar stimuli.
        """
        chosen = stimulus_measure(measure_of(self.rows, measure))
        names = [a, b, *baselines]
        found = find_sources(names, self.sources, self.representations)
        return list_stimuli(
            found[:2], chosen, baselines=found[2:], draws=draws, rng=rng
        )

    def barcodes(self, row: Row) -> dict[str, np.ndarray]:
        """The stored bars of one batch of a topological measure, by direction.

        Each array is k x 2: births and deaths. A run with a folder stores the bars of
        its first 200 pairs. For other rows, the result is empty.
        """
        if self.path is None or row.barcodes is None:
            return {}
        return read_barcodes(self.path, row.job, row.barcodes)

    def errors(self) -> tuple[Row, ...]:
        """The rows without a score; `reason` says why."""
        return tuple(row for row in self.rows if row.status != "ok")

    def to_dict(self) -> dict[str, Any]:
        """A JSON document of all rows; infinities are written as text."""
        rows = [plain(exported(row)) for row in self.rows]
        return {"schema": 1, "rows": rows, "notes": list(self._all_notes)}

    @property
    def _all_notes(self) -> tuple[str, ...]:
        mixed = mixed_reducers(self.rows, self._reducers)
        return (*self.notes, *(note for note in (mixed, self.unfinished) if note))

    @property
    def _reducers(self) -> dict[str, str]:
        return reducers_of(self.representations[: self.compared])

    def to_polars(self) -> Any:
        """A polars data frame with all rows.

        The first columns are a, b, measure (with its options), score, low, high (the
        95 % interval), null (its mean), p, q and n. p is never below 1e-6, the smallest
        value that is printed. The baseline "untrained" is the column
        "baseline_untrained"; a_reducer and b_reducer are those of `extract`. Options,
        details and advice are JSON text.
        """
        polars = require("polars", feature="a polars data frame", extra="tables")
        table = columns(self.rows, self.baselines, self._reducers)
        return polars.DataFrame(table, strict=False, infer_schema_length=None)

    def to_pandas(self) -> Any:
        """A pandas data frame with all rows, and the columns of `to_polars`."""
        pandas = require("pandas", feature="a pandas data frame", extra="pandas")
        return pandas.DataFrame(columns(self.rows, self.baselines, self._reducers))

    def to_csv(self, path: str | Path) -> None:
        """Write all rows to a CSV file, with the columns of `to_polars`.

        Text that a spreadsheet would take for a formula gets an apostrophe in front.
        """
        write_table(path, columns(self.rows, self.baselines, self._reducers))

    def to_latex(self) -> str:
        """A LaTeX table of all rows, for the package booktabs; names are escaped."""
        return latex_table(self.rows, self.baselines)

    def sentence(self) -> str:
        """One paragraph for a methods section: data, measures, intervals, baselines."""
        return methods_sentence(self)

    def cite(self) -> str:
        """BibTeX entries for the measures in the table."""
        used = dict.fromkeys(row.measure for row in self.rows)
        return cite(*(RECORDS[name] for name in used if name in RECORDS))


def _self_score(row: Row) -> float | None:
    """The score of any representation with itself, by the claims of the measure."""
    measure = stored_measure(row.measure, row.options)
    return None if measure is None else measure.claims().self_score


def _measure_key(measure: str, options: dict[str, Any]) -> str:
    return f"{measure} {sorted(options.items())}"


def assemble(
    rows: Sequence[Row],
    *,
    representations: tuple[RepresentationRecord, ...] = (),
    baselines: Sequence[Baseline] = (),
    notes: tuple[str, ...] = (),
    path: Path | None = None,
    dropped: int = 0,
    unfinished: Container[str] = frozenset(),
    missing: str = "",
) -> Results:
    """Make results from rows, with q-values and baselines, which need all rows.

    `unfinished` are the labels of measures with missing rows, and `missing` says how
    many rows are missing.
    """
    names = [rep.name for rep in representations]
    notes = (*notes, *incomplete_baselines(rows, representations, baselines))
    rows = attach(rows, names, baselines, unfinished)
    main = [row for row in rows if row.baseline_of is None]
    baseline_rows = tuple(row for row in rows if row.baseline_of is not None)
    return Results(
        tuple(with_q_values(main, unfinished)),
        baseline_rows,
        notes,
        path,
        dropped,
        representations,
        len(baselines[0].twins) if baselines else len(representations),
        missing,
    )
