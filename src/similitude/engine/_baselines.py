"""Baselines that mean something: an untrained twin below, another seed above."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import InvalidInput
from ..representation import Representation, gather
from ._rows import Row
from ._twins import match_twins


@dataclass(frozen=True)
class Baseline:
    """Twins of the representations under one name: index of each one's twin."""

    name: str  # as "untrained" or "seed"
    twins: tuple[int | None, ...]

    def pairs(self, a: int, b: int) -> list[tuple[int, int]]:
        """Which comparisons tell what (a, b) would be under this baseline.

        "untrained" is a floor: the twins with each other, which saw the same inputs
        and learned nothing; where one has no twin there is none. Any other baseline, as
        "seed", is each one with its own twin: what two networks score that differ only
        in that. A single twin for all is compared with both.
        """
        twin_a, twin_b = self.twins[a], self.twins[b]
        if self.name == "untrained" and twin_a != twin_b:
            return [] if twin_a is None or twin_b is None else [(twin_a, twin_b)]
        return [(x, t) for x, t in ((a, twin_a), (b, twin_b)) if t is not None]

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "twins": list(self.twins)}


def checked_baselines(baselines: Any) -> Mapping[str, Any]:
    """What is passed as `baselines`, if it can be that."""
    if not isinstance(baselines, Mapping | None):
        raise InvalidInput(
            "baselines must be a mapping of names to twins, as {'untrained': ...}; got "
            f"{type(baselines).__name__}."
        )
    for name in baselines or {}:
        if not isinstance(name, str) or not name.isprintable() or not name.strip():
            raise InvalidInput(
                f"{name!r} in baselines must be a line of text, as 'untrained'."
            )
    return baselines or {}


def read_baselines(
    reps: Sequence[Representation], baselines: Mapping[str, Any]
) -> tuple[list[Representation], list[Baseline]]:
    """All representations with the twins behind them, and who is whose twin.

    Each value of `baselines` is a mapping of names of representations to their twins
    (or of models to layers to them), a list of twins that know whose they are, or a
    single representation that serves for all.
    """
    everyone, found = list(reps), []
    for baseline, given in baselines.items():
        if isinstance(given, list) and any(
            isinstance(g, Representation) for g in given
        ):
            given = match_twins(baseline, given, [rep.name for rep in reps])
        if isinstance(given, Mapping):
            flat = _by_name(given)
            unknown = set(flat) - {rep.name for rep in reps}
            if unknown:
                raise InvalidInput(
                    f"baselines[{baseline!r}] names {sorted(unknown)[0]!r}, which is "
                    f"not compared; the names are {', '.join(r.name for r in reps)}."
                )
            named = {name: gather({name: value})[0] for name, value in flat.items()}
        else:
            single = gather([given])[0]
            named = {rep.name: single for rep in reps}
        places: dict[int, int] = {}
        twins: list[int | None] = []
        for rep in reps:
            twin = named.get(rep.name)
            if twin is None:
                twins.append(None)
                continue
            if id(twin) not in places:
                places[id(twin)] = len(everyone)
                shared = not isinstance(given, Mapping)
                title = baseline if shared else f"{rep.name} ({baseline})"
                while any(other.name == title for other in everyone):
                    title += " (baseline)"
                everyone.append(replace(twin, name=title))
            twins.append(places[id(twin)])
        found.append(Baseline(baseline, tuple(twins)))
    return everyone, found


def _by_name(twins: Mapping[Any, Any]) -> dict[str, Any]:
    """Twins by the names of representations, of which a model may have several."""
    flat = {}
    for name, given in twins.items():
        layers = given if isinstance(given, Mapping) else {None: given}
        for layer, twin in layers.items():
            flat[str(name) if layer is None else f"{name}/{layer}"] = twin
    return flat


def baseline_pairs(
    baselines: Sequence[Baseline], pairs: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int, str], ...]:
    """Every comparison that some pair's baseline needs, once."""
    return tuple(
        dict.fromkeys(
            (x, y, baseline.name)
            for baseline in baselines
            for a, b in pairs
            for x, y in baseline.pairs(a, b)
        )
    )


def attach(
    rows: Sequence[Row], names: Sequence[str], baselines: Sequence[Baseline]
) -> list[Row]:
    """Rows with the scores of their baselines, and where they stand between them."""
    if not baselines:
        return list(rows)
    place = {name: i for i, name in enumerate(names)}
    scores = {
        (row.label, row.a, row.b): row.score
        for row in rows
        if row.baseline_of is not None and row.score is not None
    }
    result = []
    for row in rows:
        known_here = row.a in place and row.b in place  # not of an earlier run
        if row.baseline_of is not None or not known_here:
            result.append(row)
            continue
        found = {}
        for baseline in baselines:
            behind = [
                scores.get((row.label, names[x], names[y]))
                for x, y in baseline.pairs(place[row.a], place[row.b])
            ]
            known = [score for score in behind if score is not None]
            if known:
                found[baseline.name] = sum(known) / len(known)
        result.append(replace(row, baselines=found))
    return result
