"""Statistics of claims: a table gives cells, each with one number per repetition.

A statistic does not know what the claim says about its numbers: the judge compares them
with 0, another bound or a printed number. Cells have the values of columns as names.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy import stats

from ..study._intervals import MeanInterval
from ..study._tables import Frame

Names = Sequence[str]
Cells = dict[tuple[Any, ...], Any]  # name -> numbers, or a recorded interval


def _repeated(table: Frame, by: Names, over: Names) -> dict[tuple[Any, ...], Any]:
    """Row numbers of the repetitions of each group."""
    found: dict[tuple[Any, ...], list[np.ndarray]] = {}
    for key, rows in table.groups(*by, *over).items():
        found.setdefault(key[: len(by)], []).append(rows)
    return found


def _pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's correlation of the points at which both are numbers."""
    known = np.isfinite(x) & np.isfinite(y)
    if known.sum() < 2:
        return np.nan
    x, y = x[known] - x[known].mean(), y[known] - y[known].mean()
    return float((x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum()))


def _kendall(x: np.ndarray, y: np.ndarray) -> float:
    """Kendall's tau-b."""
    i, j = np.triu_indices(len(x), 1)
    a, b = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
    return float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()))


def _spearman(x: np.ndarray, y: np.ndarray) -> float:
    return _pearson(_ranks(x), _ranks(y))


def _ranks(x: np.ndarray) -> np.ndarray:
    """Ranks; equal numbers have the mean of theirs."""
    _, places, counts = np.unique(x, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[places]


RANK: dict[str, Callable[..., float]] = {"kendall": _kendall, "spearman": _spearman}


def values(table: Frame, *, columns: Names, by: Names = ()) -> Cells:
    """The numbers of columns; the rows of a group are repetitions."""
    return {
        (*key, *([name] if len(columns) > 1 else [])): table[name][rows]
        for key, rows in table.groups(*by).items()
        for name in columns
    }


def extreme(table: Frame, *, column: str, of: str, by: Names = ()) -> Cells:
    """The least, largest or last number of a column, or its range."""
    reduce: dict[str, Callable[[np.ndarray], Any]]
    reduce = {"max": np.max, "min": np.min, "last": lambda v: v[-1], "range": np.ptp}
    return {
        k: [reduce[of](table[column][rows])] for k, rows in table.groups(*by).items()
    }


def recorded(
    table: Frame,
    *,
    by: Names = (),
    mean: str = "mean",
    low: str = "low",
    high: str = "high",
) -> Cells:
    """Intervals that a table has, where it does not have the repetitions."""
    found = {}
    for key, rows in table.groups(*by).items():
        numbers = [float(table[column][rows[0]]) for column in (mean, low, high)]
        found[key] = MeanInterval(numbers[0], numbers[1], numbers[2], 0)
    return found


def share(table: Frame, *, column: str, value: Any, by: Names = ()) -> Cells:
    """The share of rows with a value."""
    equal = table[column] == value
    return {key: [float(equal[rows].mean())] for key, rows in table.groups(*by).items()}


def correlation(
    table: Frame,
    *,
    first: str,
    target: str,
    over: Names,
    second: str = "",
    by: Names = (),
) -> Cells:
    """Pearson's correlation with a target, minus that of a second measure."""
    x, y, goal = table[first], table[second or first], table[target]
    return {
        key: [
            _pearson(x[rows], goal[rows])
            - (_pearson(y[rows], goal[rows]) if second else 0.0)
            for rows in repetitions
        ]
        for key, repetitions in _repeated(table, by, over).items()
    }


def rank(
    table: Frame, *, x: str, y: Names, by: Names = (), kind: str = "kendall"
) -> Cells:
    """A rank correlation of x with columns."""
    return {
        (*key, *([name] if len(y) > 1 else [])): [
            RANK[kind](table[x][rows], table[name][rows])
        ]
        for key, rows in table.groups(*by).items()
        for name in y
    }


def rank_of_means(table: Frame, *, x: str, y: str, by: Names = ()) -> Cells:
    """Kendall's correlation of x and the mean of y at x."""
    found = {}
    for key, rows in table.groups(*by).items():
        levels, places = np.unique(table[x][rows], return_inverse=True)
        means = np.bincount(places, table[y][rows]) / np.bincount(places)
        found[key] = [_kendall(levels, means)]
    return found


def rising(
    table: Frame,
    *,
    x: str,
    y: str,
    over: Names = (),
    by: Names = (),
    start: float = -np.inf,
) -> Cells:
    """The share of steps away from the start at which the mean of y rises."""
    found = {}
    for key, repetitions in _repeated(table, by, over).items():
        at = table[x][repetitions[0]]
        numbers = np.mean([table[y][rows] for rows in repetitions], axis=0)
        mean = numbers[np.argsort(at, kind="stable")]
        outward = np.where(np.sort(at)[:-1] >= start - 1e-9, 1, -1)
        found[key] = [float((np.diff(mean) * outward > 0).mean())]
    return found


def difference(
    table: Frame,
    *,
    column: str,
    arm: str,
    first: Any,
    second: Any,
    over: Names,
    by: Names = (),
) -> Cells:
    """The mean of one arm minus that of another, per repetition."""
    found: Cells = {key: [] for key in table.groups(*by)}
    for key, rows in table.groups(*by, *over).items():
        arms, numbers = table[arm][rows], table[column][rows]
        a, b = (numbers[arms == name] for name in (first, second))
        if len(a) and len(b):
            found[key[: len(by)]].append(float(a.mean() - b.mean()))
    return found


def separation(
    table: Frame, *, columns: Names, arm: str, first: Any, second: Any, by: Names = ()
) -> Cells:
    """The least number of one arm minus the largest of another, as a share of it."""
    found = {}
    for key, rows in table.groups(*by).items():
        for name in columns:
            low = table[name][rows][table[arm][rows] == first].min()
            high = table[name][rows][table[arm][rows] == second].max()
            found[(*key, name)] = [float(low / high - 1)]
    return found


def ratio(table: Frame, *, over: str, under: str, by: Names = ()) -> Cells:
    """A column divided by another, per row."""
    parts = table[over] / table[under]
    return {key: parts[rows] for key, rows in table.groups(*by).items()}


def smallest_third(table: Frame, *, x: str, y: str, by: Names = ()) -> Cells:
    """Median of y at large x, minus the lowest y in the third with the smallest x."""
    found = {}
    for key, rows in table.groups(*by).items():
        order = rows[np.argsort(table[x][rows], kind="stable")]
        third = len(order) // 3
        low, rest = table[y][order[:third]].min(), np.median(table[y][order[third:]])
        found[key] = [float(rest - low)]
    return found


def above_bound(
    table: Frame, *, value: str, term: str, factor: float, power: int = 1
) -> Cells:
    """The number of rows with a value above factor * term ** power.

    Tables have four digits, so a value may exceed the bound by a tenth of a percent.
    """
    above = table[value] > factor * table[term] ** power * (1 + 1e-3) + 1e-12
    return {(): [float(above.sum())]}


def cyclic_orders(table: Frame, *, group: str, label: str, x: str, y: str) -> Cells:
    """Pairs of groups whose labels have another order around the origin.

    Two orders are equal if a turn or a mirror makes them equal. The labels are those of
    all groups.
    """
    groups, g = np.unique(table[group], return_inverse=True)
    labels, k = np.unique(table[label], return_inverse=True)
    places, length = g * len(labels) + k, np.hypot(table[x], table[y])
    n = len(groups) * len(labels)
    sums = [
        np.bincount(places, table[c] / length, n).reshape(-1, len(labels))
        for c in (y, x)
    ]
    known = np.bincount(places, minlength=n).reshape(-1, len(labels)).all(axis=0)
    around = np.argsort(np.arctan2(*sums)[:, known], axis=1).tolist()
    pairs = itertools.combinations(around, 2)
    return {(): [float(sum(not _same_circle(a, b) for a, b in pairs))]}


def _same_circle(a: list[Any], b: list[Any]) -> bool:
    turns = [b[i:] + b[:i] for i in range(len(b))]
    return a in turns or a[::-1] in turns


def neighbors(table: Frame, *, over: Names, by: Names = ()) -> Cells:
    """Distance of neighboring blocks divided by that of other pairs."""
    gap = np.abs(table["a"] - table["b"])
    found: Cells = {key: [] for key in table.groups(*by)}
    for key, rows in table.groups(*by, *over).items():
        score, steps = table["score"][rows], gap[rows]
        found[key[: len(by)]].append(
            float(score[steps == 1].mean() / score[steps > 1].mean())
        )
    return found


def last_step(table: Frame, *, over: Names, by: Names = ()) -> Cells:
    """The last step between blocks divided by the largest other step."""
    step = table["b"] - table["a"] == 1
    found: Cells = {key: [] for key in table.groups(*by)}
    for key, rows in table.groups(*by, *over).items():
        own = rows[step[rows]]
        steps = table["score"][own[np.argsort(table["a"][own])]]
        found[key[: len(by)]].append(float(steps[-1] / steps[:-1].max()))
    return found


def below_new_draw(
    table: Frame, *, columns: Names, draws: Names, by: Names, sign: int = 1
) -> Cells:
    """Deviations of columns below the 95 % limit for one more draw.

    `sign` -1 is for columns that are not below it.
    """
    drawn = np.stack([table[name] for name in draws])
    n = len(draws)
    sd = drawn.std(axis=0, ddof=1)
    factor = float(stats.t.ppf(0.95, n - 1)) * np.sqrt(1 + 1 / n)
    limit = drawn.mean(axis=0) - factor * sd
    return {
        (*key, name): [float(sign * ((limit - table[name]) / sd)[rows[0]])]
        for key, rows in table.groups(*by).items()
        for name in columns
    }


def map_neighbors(table: Frame, *, x: str, y: str, value: str, k: int = 3) -> Cells:
    """Mean difference to the nearest points of a map, divided by that of all pairs."""
    at = np.stack([table[x], table[y]], axis=1)
    distance = np.linalg.norm(at[:, None] - at[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    near = np.argsort(distance, axis=1, kind="stable")[:, :k]
    number = table[value]
    apart = np.abs(number[:, None] - number[None])
    every = apart.sum() / (table.size * (table.size - 1))
    return {(): [float(np.abs(number[near] - number[:, None]).mean() / every)]}


def _left_out(table: Frame, arm: str, members: Names) -> Iterator[np.ndarray]:
    """Rows without one member of each arm, for all choices."""
    a, b = (table[name] for name in members)
    names = [
        sorted({*a[table[arm] == one], *b[table[arm] == one]})
        for one in table.unique(arm)
    ]
    for out in itertools.product(*names):
        yield ~np.isin(a, out) & ~np.isin(b, out)


def relative_gaps(
    table: Frame,
    *,
    columns: Names,
    arm: str,
    first: Any,
    second: Any,
    members: Names,
    toward: str = "",
) -> Cells:
    """One arm below another, as a share of it, with one member of each left out.

    With `toward`, the first column against the second one: how much nearer its gap is
    to that of this column, in the worst case.
    """
    gaps: Cells = {(name,): [] for name in (*columns, *([toward] if toward else []))}
    for kept in _left_out(table, arm, members):
        own = table.take(np.flatnonzero(kept))
        for (name,), numbers in gaps.items():
            a, b = (own[name][own[arm] == one].mean() for one in (first, second))
            numbers.append(float(1 - b / a))
    if not toward:
        return gaps
    near, far, goal = (np.array(numbers) for numbers in gaps.values())
    return {(): [float((np.abs(far - goal) - np.abs(near - goal)).min())]}


def trade(table: Frame, *, over: Names, by: Names = ()) -> Cells:
    """Share of accuracy gained after changes of units, minus that lost by turns."""
    units, turn = "permutation x diagonal + shift", "rotation + scale"
    found: Cells = {key: [] for key in table.groups(*by)}
    names, changes = table["transform"], table["change"]
    for key, rows in table.groups(*by, *over).items():
        kept = {
            (t, c): table["kept"][rows][
                (names[rows] == t) & (changes[rows] == c)
            ].mean()
            for t in ("cosine", "robust")
            for c in (units, turn)
        }
        gain = kept["robust", units] - kept["cosine", units]
        cost = kept["cosine", turn] - kept["robust", turn]
        found[key[: len(by)]].append(float(gain - cost))
    return found


#: The statistics that a claim can name.
STATISTICS: dict[str, Callable[..., Cells]] = {
    one.__name__: one
    for one in (
        values,
        extreme,
        recorded,
        share,
        correlation,
        rank,
        rank_of_means,
        rising,
        difference,
        separation,
        ratio,
        smallest_third,
        above_bound,
        cyclic_orders,
        neighbors,
        last_step,
        below_new_draw,
        map_neighbors,
        relative_gaps,
        trade,
    )
}
