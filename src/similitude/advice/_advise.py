"""Sentences about representations, before anything is compared."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..measures import DEFAULT, MEASURES
from ..representation import gather
from ._facts import Facts

# What measures of neighbors take by default, and `advise` has in mind.
_K = 10


@dataclass(frozen=True)
class Advice:
    """One thing to know: `about` names representations, `text` says what to do."""

    code: str
    about: tuple[str, ...]
    text: str


def advise(reps: Any) -> list[Advice]:
    """Everything worth knowing about these representations before comparing them.

    `reps` is what `compare` takes: names to representations, or a sequence of them.

    >>> import numpy as np
    >>> [advice.code for advice in advise({"a": np.eye(4), "b": np.ones((4, 1))})][1:]
    ['dead-units', 'duplicate-rows', 'few-rows-for-k', 'ranks']
    """
    points = [rep for rep in gather(reps) if rep.domain == "points"]
    facts = {rep.name: Facts(rep) for rep in points}
    found = [advice for rep in points for advice in _about_one(facts[rep.name])]
    for i, a in enumerate(points):
        for b in points[i + 1 :]:
            found += _about_two(facts[a.name], facts[b.name])
    return found


def _usual(**facts: Any) -> str:
    """The usual measures whose claims are these."""
    claims = {name: MEASURES[name].claims() for name in DEFAULT}
    return " or ".join(
        name
        for name, claimed in claims.items()
        if all(getattr(claimed, fact) == value for fact, value in facts.items())
    )


def _others() -> str:
    """Those that neither fit anything nor look at neighbors."""
    return _usual(fits_noise=False, grows_with_n=False, neighbors=None)


def _about_one(facts: Facts) -> Iterator[Advice]:
    name = facts.rep.name
    if facts.dead_units:
        yield Advice(
            "dead-units",
            (name,),
            f"{name}: {facts.dead_units} of {facts.rep.d} columns do not vary. They "
            f"are left out of what needs a variance.",
        )
    if facts.duplicate_rows:
        yield Advice(
            "duplicate-rows",
            (name,),
            f"{name}: {facts.duplicate_rows} rows repeat another one. Ranks and "
            f"neighbors tie there, and ties go by the order of rows.",
        )
    if facts.tied(_K, "euclidean"):
        yield Advice(
            "ties",
            (name,),
            f"{name}: the neighbors number {_K} and {_K + 1} of many rows are equally "
            f"far, so that the order of rows decides which count. Use {_others()}.",
        )
    if _K > facts.rep.n / 10:
        yield Advice(
            "few-rows-for-k",
            (name,),
            f"{name}: k = {_K} neighbors are more than a tenth of {facts.rep.n} rows, "
            f"so that random ones score high too. Lower k, or use more stimuli.",
        )


def _about_two(a: Facts, b: Facts) -> Iterator[Advice]:
    names = (a.rep.name, b.rep.name)
    n = min(a.rep.n, b.rep.n)
    if a.rep.d + b.rep.d > n / 2 and a.rank + b.rank > n / 2:
        yield Advice(
            "ranks",
            names,
            f"{names[0]} and {names[1]}: ranks {a.rank} + {b.rank} > n / 2 = "
            f"{n / 2:g}. What fits a map or a subspace fits noise there, such as "
            f"{_usual(fits_noise=True)}. Use {_others()}, an option that "
            f"shrinks or holds rows out, or more stimuli.",
        )
    if a.rep.model is not None and a.rep.model == b.rep.model:
        yield Advice(
            "same-model",
            names,
            f"{names[0]} and {names[1]} are both of {a.rep.model}: a deterministic "
            f"function of the same input, so that some similarity is by design.",
        )
