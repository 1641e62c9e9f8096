"""Controls: other tables in which a claim has no reason to hold.

A control makes independent choices: orders of points, labels or signs. All its
arrangements are enumerated if there are few of them, and drawn otherwise. K0 to K7 are
the names of the ledger; K0 (malformed input) is a matter of tests.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from similitude.errors import InvalidInput

from ..study._tables import Frame

Names = Sequence[str]


@dataclass(frozen=True)
class Order:
    """An order of n things."""

    n: int

    @property
    def count(self) -> int:
        return math.factorial(self.n)

    def all(self) -> Iterator[np.ndarray]:
        return map(np.array, itertools.permutations(range(self.n)))

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        return rng.permutation(self.n)


@dataclass(frozen=True)
class Flips:
    """A yes or no for each of n things."""

    n: int

    @property
    def count(self) -> int:
        return int(2**self.n)

    def all(self) -> Iterator[np.ndarray]:
        return map(np.array, itertools.product((False, True), repeat=self.n))

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        return rng.integers(2, size=self.n).astype(bool)


@dataclass(frozen=True)
class Labels:
    """The same labels in another order; equal labels are not told apart."""

    values: tuple[Any, ...]

    @property
    def count(self) -> int:
        among = (math.factorial(self.values.count(v)) for v in set(self.values))
        return math.factorial(len(self.values)) // math.prod(among)

    def all(self) -> Iterator[np.ndarray]:
        return map(np.array, _label_orders(tuple(sorted(self.values))))

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        return np.array(self.values)[rng.permutation(len(self.values))]


def _label_orders(left: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if not left:
        yield ()
    for value in dict.fromkeys(left):
        i = left.index(value)
        for rest in _label_orders(left[:i] + left[i + 1 :]):
            yield (value, *rest)


@dataclass(frozen=True)
class Arrangements:
    """Independent choices, and the table that they make.

    `planted` controls have one table, in which the claim must fail.
    """

    units: tuple[Order | Flips | Labels, ...]
    apply: Callable[[Sequence[np.ndarray]], Frame]

    @property
    def planted(self) -> bool:
        return not self.units

    @property
    def count(self) -> int:
        return math.prod(unit.count for unit in self.units)

    def all(self) -> Iterator[Frame]:
        return map(self.apply, itertools.product(*(u.all() for u in self.units)))

    def draw(self, rng: np.random.Generator) -> Frame:
        return self.apply([unit.draw(rng) for unit in self.units])


def _repetitions(table: Frame, within: Names, over: Names) -> list[list[np.ndarray]]:
    """Per group the row numbers of each repetition, which have the same points."""
    found = []
    for rows in table.groups(*within).values():
        own = table.take(rows)
        found.append([rows[i] for i in own.groups(*over).values()])
        if len(sizes := {len(one) for one in found[-1]}) > 1:
            raise InvalidInput(f"repetitions over {over} have {sorted(sizes)} points.")
    return found


def _moved(table: Frame, columns: Names, sources: np.ndarray) -> Frame:
    return table.changed({name: table[name][sources] for name in columns})


def shuffled(
    table: Frame, *, columns: Names, within: Names = (), over: Names = ()
) -> Arrangements:
    """K1: a target in another order, the same order in all repetitions of a group."""
    groups = _repetitions(table, within, over)

    def apply(orders: Sequence[np.ndarray]) -> Frame:
        sources = np.arange(table.size)
        for repetitions, order in zip(groups, orders, strict=True):
            for rows in repetitions:
                sources[rows] = rows[order]
        return _moved(table, columns, sources)

    return Arrangements(tuple(Order(len(g[0])) for g in groups), apply)


def nodes(
    table: Frame,
    *,
    columns: Names,
    a: str,
    b: str,
    within: Names = (),
    over: Names = (),
) -> Arrangements:
    """K1, K3 for pairs: the nodes in another order, and each pair with them."""
    groups = []
    for repetitions in _repetitions(table, within, over):
        names = sorted({*table[a][repetitions[0]], *table[b][repetitions[0]]})
        groups.append(
            (len(names), [_grid(table, rows, a, b, names) for rows in repetitions])
        )

    def apply(orders: Sequence[np.ndarray]) -> Frame:
        sources = np.arange(table.size)
        for (_, grids), order in zip(groups, orders, strict=True):
            for rows, i, j, grid in grids:
                sources[rows] = grid[order[i], order[j]]
        if (sources < 0).any():
            raise InvalidInput(f"not all pairs of {a} and {b} are in the table.")
        return _moved(table, columns, sources)

    return Arrangements(tuple(Order(n) for n, _ in groups), apply)


def _grid(table: Frame, rows: np.ndarray, a: str, b: str, names: list[Any]) -> Any:
    """Row numbers, their nodes, and the row of each pair of nodes."""
    i, j = (np.searchsorted(names, table[column][rows]) for column in (a, b))
    grid = np.full((len(names), len(names)), -1)
    grid[j, i] = rows
    grid[i, j] = rows
    return rows, i, j, grid


def exchanged(
    table: Frame, *, first: str, second: str, within: Names = (), over: Names = ()
) -> Arrangements:
    """K2: both measures, each divided by its maximum, change places at random points.

    The points are the same in all repetitions of a group.
    """
    groups = _repetitions(table, within, over)
    scaled = {name: table[name].astype(float) for name in (first, second)}
    for rows in itertools.chain.from_iterable(groups):
        for column in scaled.values():
            column[rows] /= np.abs(np.nan_to_num(column[rows])).max() or 1.0

    def apply(flips: Sequence[np.ndarray]) -> Frame:
        swap = np.zeros(table.size, bool)
        for repetitions, flip in zip(groups, flips, strict=True):
            for rows in repetitions:
                swap[rows] = flip
        x, y = scaled.values()
        return table.changed(
            {first: np.where(swap, y, x), second: np.where(swap, x, y)}
        )

    return Arrangements(tuple(Flips(len(g[0])) for g in groups), apply)


def relabeled(table: Frame, *, column: str, within: Names = ()) -> Arrangements:
    """K3: the labels of rows in another order."""
    groups = list(table.groups(*within).values())

    def apply(labels: Sequence[np.ndarray]) -> Frame:
        new = table[column].copy()
        for rows, values in zip(groups, labels, strict=True):
            new[rows] = values
        return table.changed({column: new})

    units = tuple(Labels(tuple(table[column][rows].tolist())) for rows in groups)
    return Arrangements(units, apply)


def renamed(table: Frame, *, column: str, within: Names = ()) -> Arrangements:
    """K3 for groups of rows: the values of a column change places as a whole."""
    groups = []
    for rows in table.groups(*within).values():
        values, places = np.unique(table[column][rows], return_inverse=True)
        groups.append((rows, values, places))

    def apply(orders: Sequence[np.ndarray]) -> Frame:
        new = table[column].copy()
        for (rows, values, places), order in zip(groups, orders, strict=True):
            new[rows] = values[order][places]
        return table.changed({column: new})

    return Arrangements(tuple(Order(len(values)) for _, values, _ in groups), apply)


def columns_shuffled(table: Frame, *, columns: Names) -> Arrangements:
    """K3 for a wide table: the values of each row in other columns."""
    grid = np.stack([table[name] for name in columns], axis=1)

    def apply(orders: Sequence[np.ndarray]) -> Frame:
        new = np.take_along_axis(grid, np.stack(orders), axis=1)
        return table.changed(dict(zip(columns, new.T, strict=True)))

    return Arrangements((Order(len(columns)),) * table.size, apply)


def signs(
    table: Frame, *, column: str, first: Any, second: Any, over: Names
) -> Arrangements:
    """K4: two arms change names in random repetitions, which flips their difference."""
    repetitions = list(table.groups(*over).values())
    arms = table[column]
    other = np.where(arms == first, second, np.where(arms == second, first, arms))

    def apply(flips: Sequence[np.ndarray]) -> Frame:
        swap = np.zeros(table.size, bool)
        for rows, flip in zip(repetitions, flips[0], strict=True):
            swap[rows] = flip
        return table.changed({column: np.where(swap, other, arms)})

    return Arrangements((Flips(len(repetitions)),), apply)


def ordered(
    table: Frame, *, column: str, by: str, within: Names = (), falling: bool = False
) -> Arrangements:
    """K5: the planted opposite, a column in the order of another."""
    new = table[column].copy()
    for rows in table.groups(*within).values():
        values = np.sort(table[column][rows])[:: -1 if falling else 1]
        new[rows[np.argsort(table[by][rows], kind="stable")]] = values
    return Arrangements((), lambda _: table.changed({column: new}))


def swapped(table: Frame, *, first: str, second: str) -> Arrangements:
    """K7: two columns change names."""
    columns = {first: table[second], second: table[first]}
    return Arrangements((), lambda _: table.changed(columns))


def replaced(table: Frame, *, column: str, value: Any) -> Arrangements:
    """K7: a column has one planted value."""
    return Arrangements(
        (), lambda _: table.changed({column: np.full(table.size, value)})
    )


def halves(table: Frame, *, column: str) -> Arrangements:
    """K3: both groups are random halves of the first group."""
    first, second = table.unique(column)[:2]
    own = table.where(**{column: first})
    half = own.size // 2

    def apply(orders: Sequence[np.ndarray]) -> Frame:
        new = np.full(own.size, first)
        new[orders[0][half:]] = second
        return own.changed({column: new})

    return Arrangements((Order(own.size),), apply)


#: The controls that a claim can name.
CONTROLS: dict[str, Callable[..., Arrangements]] = {
    control.__name__: control
    for control in (
        shuffled,
        nodes,
        exchanged,
        relabeled,
        renamed,
        columns_shuffled,
        signs,
        ordered,
        swapped,
        replaced,
        halves,
    )
}
