"""The outcome of a claim, computed from its tables.

A claim holds if all its numbers are on the right side of its bound, with their 95 %
limits, and if each control gives it in at most 5 % of its arrangements.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy

from ..study._intervals import MeanInterval, mean_interval
from ..study._tables import Frame
from ._controls import CONTROLS, Arrangements
from ._statistics import STATISTICS, Cells

Outcome = Literal["holds", "differs", "not decided", "untestable"]
OUTCOMES: tuple[Outcome, ...] = ("holds", "differs", "not decided", "untestable")
LEVEL = 0.05
EXACT, DRAWS = 20_000, 10_000  # arrangements that are enumerated, or drawn
ROUNDING = 1e-9  # relative: processors differ by less
RANGE = 20  # draws that make a range


@dataclass(frozen=True)
class Share:
    """The share of a control's arrangements in which the claim holds as strongly."""

    control: str
    value: float
    low: float
    high: float
    planted: bool = False

    @property
    def verdict(self) -> Outcome:
        """Whether the control lets the claim count."""
        return "holds" if self.high <= LEVEL else "not decided"

    def text(self) -> str:
        if self.planted:
            return f"{self.control}: {'holds' if self.value else 'fails'}"
        limits = f" ({_percent(self.low)} to {_percent(self.high)})"
        exact = self.low == self.high
        return (
            f"{self.control}: {_percent(self.value)} %{' exactly' if exact else limits}"
        )


def _percent(share: float) -> str:
    return f"{100 * share:.2g}"


@dataclass(frozen=True)
class Cell:
    """One number of a claim with its limits; a single number has none."""

    name: str
    interval: MeanInterval
    printed: str = ""

    def text(self) -> str:
        mean, low, high, _ = self.interval
        limits = "" if math.isnan(low) else f" ({low:.3g} to {high:.3g})"
        return f"{self.name} {mean:.3g}{limits}".strip()


@dataclass(frozen=True)
class Verdict:
    """The outcome of a claim, with the numbers that decide."""

    outcome: Outcome
    cells: tuple[Cell, ...] = ()
    shares: tuple[Share, ...] = ()
    reason: str = ""
    parts: tuple["Verdict", ...] = ()
    name: str = field(default="", compare=False)


class Tables:
    """The tables of results, read once."""

    def __init__(self, folder: str | Path, tables: Mapping[str, Frame] | None = None):
        self.folder = Path(folder)
        self.known = dict(tables or {})

    def read(self, path: str) -> Frame | None:
        """The table of this path; None if it was not computed."""
        if path not in self.known:
            if not (self.folder / path).is_file():
                return None
            self.known[path] = Frame.read(self.folder / path)
        return self.known[path]


def judge(
    claim: Mapping[str, Any], tables: Tables, printed: Mapping[str, Any]
) -> Verdict:
    """The verdict on one claim.

    Parameters
    ----------
    claim
        A record of the catalog.
    tables
        The committed tables.
    printed
        The printed numbers of the paper: place -> name of the cell -> text.
    """
    if "untestable" in claim:
        return Verdict("untestable")
    if "parts" in claim:
        verdicts = tuple(judge(part, tables, printed) for part in claim["parts"])
        return Verdict(together([v.outcome for v in verdicts]), parts=verdicts)
    if "statistic" not in claim:
        return _exists(claim, tables)
    table = tables.read(claim["table"])
    if table is None:
        return Verdict("not decided", reason="not computed yet")
    if "rows" in claim:
        table = table.where(**claim["rows"])
    if table.size == 0:
        return Verdict("not decided", reason="the table has no such rows")
    places = printed.get(claim.get("printed", ""), {})
    if claim.get("each"):
        by = claim["with"]["by"]
        verdicts = tuple(
            _judged(claim, table.take(rows), places, name=_name(key))
            for key, rows in table.groups(*by).items()
        )
        return Verdict(together([v.outcome for v in verdicts]), parts=verdicts)
    return _judged(claim, table, places)


def _exists(claim: Mapping[str, Any], tables: Tables) -> Verdict:
    """Claims that a test or a figure shows; a figure needs its table."""
    if "left" in claim:
        return Verdict("not decided", reason=claim["left"])
    if "table" not in claim:
        return Verdict("holds")
    table, needed = tables.read(claim["table"]), claim.get("needs_rows", 1)
    if table is None:
        return Verdict("not decided", reason="not computed yet")
    if table.size < needed:
        return Verdict("not decided", reason=f"{table.size} of {needed} rows")
    return Verdict("holds")


def together(outcomes: list[Outcome]) -> Outcome:
    if "differs" in outcomes:
        return "differs"
    return "holds" if set(outcomes) == {"holds"} else "not decided"


def _judged(
    claim: Mapping[str, Any], table: Frame, places: Mapping[str, str], name: str = ""
) -> Verdict:
    statement = _Statement(claim, places)
    try:
        cells = statement.cells(table)
    except KeyError as column:  # an older table
        return Verdict("not decided", reason=f"the table has no {column}", name=name)
    shares = tuple(_shares(claim, table, statement))
    outcome, reason = statement.decide(cells, shares)
    return Verdict(outcome, tuple(cells), shares, reason, name=name)


def _name(key: tuple[Any, ...]) -> str:
    """The name of a cell; numbers without needless zeros."""
    return " ".join(f"{k:g}" if isinstance(k, int | float) else str(k) for k in key)


class _Statement:
    """What a claim says about the cells of its statistic."""

    def __init__(self, claim: Mapping[str, Any], places: Mapping[str, str]) -> None:
        self.claim = claim
        self.places = dict(places)
        self.sign = -1 if "below" in claim else 1
        self.bound = float(claim.get("below", claim.get("above", 0.0)))
        self.fails = bool(claim.get("fails"))

    def raw(self, table: Frame) -> Cells:
        with np.errstate(all="ignore"):
            options = self.claim.get("with", {})
            return STATISTICS[self.claim["statistic"]](table, **options)

    def means(self, table: Frame) -> dict[tuple[Any, ...], Any]:
        """The numbers of each cell; one mean of all cells if the claim says so."""
        raw = self.raw(table)
        if self.claim.get("average"):
            raw = {(): [float(np.mean([np.mean(v) for v in raw.values()]))]}
        return raw

    def cells(self, table: Frame) -> list[Cell]:
        found = []
        for key, numbers in self.means(table).items():
            known = isinstance(numbers, MeanInterval)
            interval = numbers if known else mean_interval(numbers)
            if self.places and not known:  # the range of draws, not of their mean
                low, high, n = (
                    float(np.min(numbers)),
                    float(np.max(numbers)),
                    len(numbers),
                )
                low, high = (low, high) if n > 1 else (math.nan, math.nan)
                interval = MeanInterval(interval.mean, low, high, n)
            found.append(Cell(_name(key), interval, self.places.get(_name(key), "")))
        return found

    def margins(self, table: Frame) -> np.ndarray:
        """Each cell's distance from the bound; positive agrees with the claim."""
        means = [np.mean(v) for v in self.means(table).values()]
        return self.sign * (np.array(means, float) - self.bound)

    def in_print(self, cells: list[Cell], places: Mapping[str, str]) -> bool:
        return all(
            _in_range(c.interval, places[c.name]) for c in cells if c.name in places
        )

    def decide(
        self, cells: list[Cell], shares: tuple[Share, ...]
    ) -> tuple[Outcome, str]:
        if reason := self._lacks(cells):
            return "not decided", reason
        weak = [s for s in shares if s.verdict != "holds"]
        if self.places:
            agrees = self.in_print(cells, self.places)
            side: Outcome = "holds" if agrees else "differs"
        else:
            side = _side([c.interval for c in cells], self.sign, self.bound, shares)
        reason = "the limits have both sides" if side == "not decided" else ""
        if side == "holds" and weak:
            side, reason = "not decided", f"the control {weak[0].control} gives it too"
        if self.fails:
            return ("differs", "it must not hold") if side == "holds" else ("holds", "")
        return side, reason

    def _lacks(self, cells: list[Cell]) -> str:
        """What is missing for a judgement."""
        if "left" in self.claim:
            return str(self.claim["left"])
        if any(math.isnan(c.interval.mean) for c in cells):
            return "a number is missing"
        least = min((c.interval.n for c in cells), default=0)
        if self.places and least < (wanted := self.claim.get("draws", RANGE)):
            return f"{least} of {wanted} draws"
        if least == 1 and self.claim.get("limits"):
            return "one repetition has no limits"
        return ""


def _side(
    intervals: list[MeanInterval], sign: int, bound: float, shares: tuple[Share, ...]
) -> Outcome:
    """On which side of the bound all numbers are, or whether one is on the other."""
    outcome: Outcome = "holds"
    for mean, low, high, _ in intervals:
        alone = math.isnan(low)
        ends = [
            sign * (end - bound) for end in ((mean, mean) if alone else (low, high))
        ]
        rounding = ROUNDING * max(abs(mean), abs(bound))
        if max(ends) < -rounding and (not alone or not _drawn(shares)):
            return "differs"
        if min(ends) <= rounding:
            outcome = "not decided"
    return outcome


def _drawn(shares: tuple[Share, ...]) -> bool:
    """Whether a single number is one draw of many: it cannot differ alone."""
    return any(not share.planted for share in shares)


def _in_range(interval: MeanInterval, text: str) -> bool:
    """Whether a printed number is in the range, widened by half its last digit.

    A single number must have the printed digits, rounded or cut off.
    """
    digit = float(Decimal(1).scaleb(int(Decimal(text).as_tuple().exponent)))
    mean, low, high, _ = interval
    if math.isnan(low):
        numbers = (
            round(mean / digit),
            math.trunc(mean / digit + math.copysign(ROUNDING, mean)),
        )
        return round(float(text) / digit) in numbers
    slack = digit / 2 * (1 + ROUNDING)
    return low - slack <= float(text) <= high + slack


def _shares(
    claim: Mapping[str, Any], table: Frame, statement: _Statement
) -> Iterator[Share]:
    for name, options in claim.get("controls", {}).items():
        if name == "printed":
            yield _printed_share(table, statement)
            continue
        control = CONTROLS[options.get("control", name)]
        options = {k: v for k, v in options.items() if k != "control"}
        yield control_share(name, control(table, **options), table, statement)


def control_share(
    name: str, arrangements: Arrangements, table: Frame, statement: _Statement
) -> Share:
    """The share of arrangements in which the statement holds as strongly."""
    exact = arrangements.count <= EXACT
    rng = np.random.default_rng(0)
    drawn = (
        arrangements.all() if exact else (arrangements.draw(rng) for _ in range(DRAWS))
    )
    hits: Any
    if statement.places:
        cells = map(statement.cells, drawn)
        hits = np.array([statement.in_print(c, statement.places) for c in cells])
    elif arrangements.planted:
        margins = np.array([statement.margins(one) for one in drawn])
        hits = (margins > 0).all(axis=1)
    else:
        margins = np.array([statement.margins(one) for one in drawn])
        observed = statement.margins(table)
        scale = np.abs(np.nan_to_num([*margins, observed])).max(axis=0)
        with np.errstate(invalid="ignore"):
            hits = (margins >= observed - ROUNDING * scale).all(axis=1)
    n, count = len(hits), int(hits.sum())
    if exact:
        value = count / n
        return Share(name, value, value, value, arrangements.planted)
    low, high = _limits(count, n)
    return Share(name, (1 + count) / (1 + n), low, high)


def _limits(count: int, n: int) -> tuple[float, float]:
    """The 95 % limits of a share (Clopper and Pearson)."""
    beta = scipy.stats.beta
    low = float(beta.ppf(0.025, count, n - count + 1)) if count else 0.0
    high = float(beta.ppf(0.975, count + 1, n - count)) if count < n else 1.0
    return low, high


def _printed_share(table: Frame, statement: _Statement) -> Share:
    """K6: the printed numbers in another order; none may agree as well."""
    cells = [c for c in statement.cells(table) if c.name in statement.places]
    names = [c.name for c in cells]
    texts = [statement.places[name] for name in names]
    ours = np.array([c.interval.mean for c in cells])
    rng = np.random.default_rng(0)
    few = math.factorial(len(names)) <= EXACT
    orders: Iterator[Any] = (
        itertools.permutations(range(len(names)))
        if few
        else (rng.permutation(len(names)) for _ in range(DRAWS))
    )
    observed = _distance(ours, texts)
    hits, n, alone = 0, 0, bool(statement.claim.get("left"))
    for order in orders:
        moved = [texts[i] for i in order]
        if not alone and moved == texts:
            continue
        n += 1
        if alone:
            hits += _distance(ours, moved) <= observed * (1 + ROUNDING)
        else:
            hits += statement.in_print(cells, dict(zip(names, moved, strict=True)))
    if few:
        value = hits / n if n else 0.0
        return Share("printed", value, value, value, planted=not alone)
    low, high = _limits(hits, n)
    return Share("printed", (1 + hits) / (1 + n), low, high)


def _distance(ours: np.ndarray, texts: list[str]) -> float:
    """The mean distance from the printed numbers, relative to their size."""
    printed = np.array([float(text) for text in texts])
    return float(np.mean(np.abs(ours - printed)))
