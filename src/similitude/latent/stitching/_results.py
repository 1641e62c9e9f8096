"""Results of a stitching table: cells, means over seeds, and paired differences."""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from ..._base._printable import html_text, printable_lines
from ...errors import InvalidInput, check_known
from ...stats import sample_interval
from ...stats._jackknife import quantile
from ._cells import Cell, TableFacts, cells_in

Metric = Literal["accuracy", "f1", "mae"]
Over = Literal["seeds", "samples"]
HOME = "home"  # the decoder on the rows of its own encoder
METRICS: tuple[Metric, ...] = ("accuracy", "f1", "mae")
_FEW = 20  # differing test rows below which Student's interval covers too rarely


@dataclass(frozen=True)
class Summary:
    """Mean and sample standard deviation over seeds; `sd` is None for one seed."""

    encoder: str
    decoder: str
    transform: str
    metric: Metric
    mean: float
    sd: float | None
    seeds: int


@dataclass(frozen=True)
class PairedDifference:
    """Score of `transform` minus that of `against`, same seeds and test samples.

    If `against` is "home", the other score is that of the decoder on the rows of its
    own encoder, with the same transform.
    """

    encoder: str
    decoder: str
    transform: str
    against: str
    metric: Metric
    mean: float
    low: float | None  # None for a single pair
    high: float | None
    pairs: int
    over: str


@dataclass(frozen=True, eq=False)
class StitchingTable:
    """All cells of a stitching experiment.

    `print` it for a table; `summary`, `differences` and `chance` return the numbers.
    """

    cells: tuple[Cell, ...]
    targets: dict[str, np.ndarray]  # encoder -> classes of its test samples
    notes: tuple[str, ...] = ()  # about damaged lines in the folder
    approaches: dict[str, str] = field(default_factory=dict)  # transform -> explanation
    anchors: int | None = None  # number of anchors
    #: Tables of the twins, by the kind of baseline; `cells` does not include them.
    baselines: "dict[str, StitchingTable]" = field(default_factory=dict)

    @staticmethod
    def load(path: str | Path) -> "StitchingTable":
        """Load the table of a folder of `stitching_table`, finished or not."""
        folder = cells_in(path)
        run, found = folder.run(), folder.rows()
        try:
            facts = TableFacts.from_dict(run.meta)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise InvalidInput(
                f"{path} does not say what was stitched. Run the same stitching with "
                f"this folder again; finished cells are not computed again."
            ) from None
        cells = tuple(found[job] for job in run.jobs if job in found)
        unfit = sorted(cell.encoder for cell in cells if not facts.fit(cell))
        if unfit:
            raise InvalidInput(
                f"{path} does not have the classes of all test samples of {unfit[0]}. "
                f"Delete this folder, and run the same stitching again."
            )
        notes = folder.notes()
        if len(cells) < len(run.jobs):
            notes += (f"unfinished: {len(cells)} of {len(run.jobs)} cells are here.",)
        return table_of(cells, facts, notes)

    def where(self, **wanted: Any) -> list[Cell]:
        """Return the cells with these values: ``where(transform="robust", seed=0)``."""
        return [
            c for c in self.cells if all(getattr(c, k) == v for k, v in wanted.items())
        ]

    @property
    def encoders(self) -> list[str]:
        """The encoders that were tested, in the order of the task."""
        tested = {c.encoder for c in self.cells}
        return [name for name in self.targets if name in tested]

    @property
    def transforms(self) -> list[str]:
        return list(dict.fromkeys(c.transform for c in self.cells))

    @property
    def metrics(self) -> list[Metric]:
        return [
            m for m in METRICS if any(getattr(c, m) is not None for c in self.cells)
        ]

    def summary(self, metric: Metric = "accuracy") -> list[Summary]:
        """Mean and standard deviation over seeds, for each encoder and decoder."""
        return [
            Summary(*key, metric, *_mean_sd(values), len(values))
            for key, scores in self._scores(metric).items()
            if (values := list(scores.values()))
        ]

    def overall(
        self, metric: Metric = "accuracy"
    ) -> dict[str, dict[str, float | None]]:
        """Mean of each transform over stitched cells, and over the other cells."""
        found = {}
        for name in self.transforms:
            cells = self.where(transform=name, status="ok")
            found[name] = {
                kind: _mean(
                    [getattr(c, metric) for c in cells if c.stitched == stitched]
                )
                for kind, stitched in (("own", False), ("stitched", True))
            }
        return found

    def differences(
        self,
        against: str = HOME,
        *,
        metric: Metric = "accuracy",
        over: Over = "seeds",
        confidence: float = 0.95,
    ) -> list[PairedDifference]:
        """Differences of scores, with a confidence interval of the mean.

        Parameters
        ----------
        against
            ``"home"``: each stitched cell minus the cell of the same decoder with its
            own encoder, through the same transform. This is the cost of stitching. Or
            the name of a transform: every other transform minus that one.
        over
            ``"seeds"``: t interval over differences between equal seeds. It covers the
            variation between training runs. ``"samples"``: t interval over
            differences between equal test samples, averaged over seeds, wider if few
            samples differ. It covers the variation between test sets. F1 is not a mean
            over samples and only has ``"seeds"``.
        """
        self._check(against, metric, over, confidence)
        found = []
        scores = self._scores(metric)
        homes = {c.decoder: c.home for c in self.cells}
        at = {(c.encoder, c.decoder, c.transform, c.seed): c for c in self.cells}
        for (encoder, decoder, name), by_seed in scores.items():
            other = (encoder, decoder, against)
            if against == HOME:
                other = (homes[decoder], decoder, name)
            baseline = scores.get(other, {})
            seeds = [s for s in by_seed if s in baseline]
            if other == (encoder, decoder, name) or not seeds:
                continue
            if over == "seeds":
                gaps = np.array([by_seed[s] - baseline[s] for s in seeds])
            elif self._same_samples(encoder, other[0]):
                sides = [
                    self._samples([at[(*place, seed)] for seed in seeds], metric)
                    for place in ((encoder, decoder, name), other)
                ]
                gaps = sides[0] - sides[1]
            else:
                continue  # other test samples: there are no pairs
            percent = (over, metric) == ("samples", "accuracy")
            ends = interval(gaps, confidence, percent=percent)
            place = (encoder, decoder, name, against, metric)
            found.append(PairedDifference(*place, *ends, len(gaps), over))
        return found

    def _same_samples(self, encoder: str, other: str) -> bool:
        a, b = self.targets.get(encoder), self.targets.get(other)  # a file may lie
        return a is not None and b is not None and a.tolist() == b.tolist()

    def _check(self, against: str, metric: str, over: str, confidence: float) -> None:
        check_known(against, [HOME, *self.transforms], f"against={against!r}")
        check_known(metric, self.metrics, f"metric={metric!r}")
        if over not in {"seeds", "samples"} or (over, metric) == ("samples", "f1"):
            raise InvalidInput(
                f"over={over!r} for {metric}; choose 'seeds', or 'samples' for "
                f"accuracy and mae."
            )
        if not 0 < confidence < 1:
            raise InvalidInput(f"confidence={confidence!r}; give a share, as 0.95.")

    def _scores(self, metric: str) -> dict[tuple[str, str, str], dict[int, float]]:
        """(encoder, decoder, transform) -> seed -> score."""
        found: dict[tuple[str, str, str], dict[int, float]] = {}
        for c in self.cells:
            scores = found.setdefault((c.encoder, c.decoder, c.transform), {})
            if c.status == "ok" and getattr(c, metric) is not None:
                scores[c.seed] = getattr(c, metric)
        return found

    def _samples(self, cells: list[Cell], metric: str) -> np.ndarray:
        """Return the score of each test sample in percent, averaged over seeds."""
        truth = self.targets[cells[0].encoder]
        guesses = [np.array(c.predictions) for c in cells]
        if metric == "accuracy":
            return 100.0 * np.mean([g == truth for g in guesses], axis=0)
        return 100.0 * np.mean([np.abs(g - truth) for g in guesses], axis=0)

    def to_dict(self) -> dict[str, Any]:
        """Return one JSON document: cells without predictions, means, differences."""
        rows = [asdict(c) for c in self.cells]
        for row in rows:
            del row["predictions"]
        return {
            "schema": 1,
            "rows": rows,
            "summary": [asdict(s) for m in self.metrics for s in self.summary(m)],
            "differences": [
                asdict(d)
                for over in get_args(Over)
                if "accuracy" in self.metrics
                for against in (HOME, "absolute")
                for d in self.differences(against, over=over)
            ],
            "chance": {m: self.chance(m) for m in self.metrics if m != "f1"},
            "approaches": self.approaches,
            "baselines": {
                name: {"overall": twins.overall(), "rows": twins.to_dict()["rows"]}
                for name, twins in self.baselines.items()
            },
        }

    def chance(self, metric: Metric = "accuracy") -> float:
        """The score of the best constant guess, on average over the encoders.

        For accuracy this is the share of the most frequent class among the test rows.
        For the mean absolute error it is the error of the median. F1 is not defined.
        """
        if metric == "accuracy":
            shares = [
                np.unique(t, return_counts=True)[1].max() / len(t)
                for t in self.targets.values()
            ]
        elif metric == "mae":
            shares = [np.abs(t - np.median(t)).mean() for t in self.targets.values()]
        else:
            raise InvalidInput(f"metric={metric!r}; choose accuracy or mae.")
        return 100.0 * float(np.mean(shares))

    def table(self, width: int = 80) -> str:
        """The text table: means over seeds, chance level and differences to home."""
        from ._text import text

        return printable_lines(text(self, width))

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        return f"<pre>{html_text(self.table(100))}</pre>"


def table_of(
    cells: Iterable[Cell], facts: TableFacts, notes: tuple[str, ...]
) -> StitchingTable:
    """The table of the networks, with those of their twins."""
    by_kind: dict[str | None, list[Cell]] = {None: []}
    for cell in cells:
        by_kind.setdefault(facts.baselines.get(cell.encoder), []).append(cell)

    def table(kind: str | None, **more: Any) -> StitchingTable:
        names = [n for n in facts.targets if facts.baselines.get(n) == kind]
        targets = {name: facts.targets[name] for name in names}
        given = tuple(by_kind[kind]), targets, notes, facts.approaches, facts.anchors
        return StitchingTable(*given, **more)

    twins = {kind: table(kind) for kind in by_kind if kind is not None}
    return table(None, baselines=twins)


def interval(
    values: np.ndarray, confidence: float, *, percent: bool = False
) -> tuple[float, float | None, float | None]:
    """Return the mean and its t interval; a single value does not get an interval.

    With `percent`, values are differences of percentages, most of them 0. If few are
    not 0, the interval contains that of the gains and of the losses, which are
    binomial. Student's interval would have zero width if no test row differs.
    """
    mean = float(np.mean(values))
    if len(values) < 2:
        return mean, None, None
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    half = error * quantile((1 + confidence) / 2, len(values) - 1)
    low, high = mean - half, mean + half
    if percent and np.count_nonzero(values) < _FEW:
        gain, loss = (np.maximum(sign * values, 0.0) for sign in (1, -1))
        up, down = (
            sample_interval(part, 10**12, (0.0, 100.0), level=confidence)
            for part in (gain, loss)
        )
        a, b = float(np.mean(gain)), float(np.mean(loss))
        low = min(low, mean - math.hypot(a - up.low, down.high - b))
        high = max(high, mean + math.hypot(up.high - a, b - down.low))
    return mean, low, high


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _mean_sd(values: list[float]) -> tuple[float, float | None]:
    sd = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return float(np.mean(values)), sd
