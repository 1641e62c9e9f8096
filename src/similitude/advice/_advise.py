"""Warnings about representations, before they are compared."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..measures import DEFAULT, MEASURES
from ..store import given_representations
from ._codes import MANY_ROWS, of_one_model
from ._facts import Facts

# The default k of neighbor measures, for which `advise` checks the data.
_K = 10


@dataclass(frozen=True)
class Advice:
    """One warning: `about` names the representations, `text` says what to do."""

    code: str
    about: tuple[str, ...]
    text: str


def advise(reps: Any) -> list[Advice]:
    """List all warnings about these representations before comparing them.

    `reps` is as in `compare`: names to representations or paths, a sequence of them,
    or one path.

    >>> import numpy as np
    >>> [advice.code for advice in advise({"a": np.eye(4), "b": np.ones((4, 1))})][1:]
    ['dead-units', 'duplicate-rows', 'few-rows-for-k', 'ranks']
    """
    points = [rep for rep in given_representations(reps) if rep.domain == "points"]
    facts = {rep.name: Facts(rep) for rep in points}
    found = [advice for rep in points for advice in _about_one(facts[rep.name])]
    for i, a in enumerate(points):
        for b in points[i + 1 :]:
            found += _about_two(facts[a.name], facts[b.name])
    return found


def _default_measures(**wanted: Any) -> str:
    """The names of the default measures with these claims."""
    claims = {name: MEASURES[name].claims() for name in DEFAULT}
    return " or ".join(
        name
        for name, claimed in claims.items()
        if all(getattr(claimed, claim) == value for claim, value in wanted.items())
    )


def _robust_measures() -> str:
    """The default measures that neither fit noise nor use neighbors."""
    return _default_measures(fits_noise=False, grows_with_n=False, neighbors=None)


def _about_one(facts: Facts) -> Iterator[Advice]:
    name = facts.rep.name
    if facts.dead_units:
        yield Advice(
            "dead-units",
            (name,),
            f"{name}: {facts.dead_units} of {facts.rep.d} columns are constant. "
            f"Measures that need a variance ignore them.",
        )
    if facts.uneven_columns:
        yield Advice(
            "scales",
            (name,),
            f"{name}: some columns vary a million times more than others. In measures "
            f"that depend on the scale of a column, only these count. If the others "
            f"matter, divide each column by its standard deviation.",
        )
    if facts.duplicate_rows:
        yield Advice(
            "duplicate-rows",
            (name,),
            f"{name}: {facts.duplicate_rows} rows are duplicates. They produce ties in "
            f"ranks and neighbors, which are resolved by row order.",
        )
    if facts.rep.n > MANY_ROWS:
        yield Advice(
            "many-rows",
            (name,),
            f"{name}: measures of neighbors compare {facts.rep.n:,} rows with each "
            f"other. With query_rows=10000 they compare 10,000 random rows with all "
            f"rows: unbiased, with an interval, and {facts.rep.n // 10_000} times "
            f"faster.",
        )
    elif facts.tied(_K, "euclidean"):
        yield Advice(
            "ties",
            (name,),
            f"{name}: in many rows, neighbors {_K} and {_K + 1} are equally far. Row "
            f"order then decides which one counts. Use {_robust_measures()}.",
        )
    if _K > facts.rep.n / 10:
        yield Advice(
            "few-rows-for-k",
            (name,),
            f"{name}: k = {_K} neighbors are more than a tenth of {facts.rep.n} rows. "
            f"Random neighbors also score high. Lower k, or use more stimuli.",
        )


def _about_two(a: Facts, b: Facts) -> Iterator[Advice]:
    names = (a.rep.name, b.rep.name)
    n = min(a.rep.n, b.rep.n)
    if a.rep.d + b.rep.d > n / 2 and a.rank + b.rank > n / 2:
        yield Advice(
            "ranks",
            names,
            f"{names[0]} and {names[1]}: ranks {a.rank} + {b.rank} > n / 2 = "
            f"{n / 2:g}. Measures that fit a map or a subspace, such as "
            f"{_default_measures(fits_noise=True)}, then fit noise. Use "
            f"{_robust_measures()}, a shrinkage or cross-validation option, or more "
            f"stimuli.",
        )
    if of_one_model(a.rep, b.rep):
        yield Advice(
            "same-model",
            names,
            f"{names[0]} and {names[1]} are both from {a.rep.model}. Each is a "
            f"deterministic function of the same input: some similarity is expected.",
        )
