"""Baselines: untrained twins as a floor, other seeds as a ceiling."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...errors import InvalidInput
from ...representation import Representation, gather
from .._rows import Row
from ._twins import match_twins

#: columns for parts of the same representations, not for twins; see `engine/_within`
PARTS = WITHIN, BETWEEN = "within", "between"


@dataclass(frozen=True)
class Baseline:
    """One baseline: its name, and the index of the twin of each representation."""

    name: str  # such as "untrained" or "seed"
    twins: tuple[int | None, ...]

    def pairs(self, a: int, b: int) -> list[tuple[int, int]]:
        """The pairs whose mean score is this baseline for the pair (a, b).

        "untrained" is a floor: the untrained twins of a and b are compared with each
        other. If one of them is missing, the pair does not have this baseline. For any
        other baseline, such as "seed", a and b are each compared with their own twin:
        the score of two networks that only differ in the seed. A single twin for all
        is compared with both.
        """
        twin_a, twin_b = self.twins[a], self.twins[b]
        if self.name == "untrained" and twin_a != twin_b:
            return [] if twin_a is None or twin_b is None else [(twin_a, twin_b)]
        return [(x, t) for x, t in ((a, twin_a), (b, twin_b)) if t is not None]


def checked_baselines(baselines: Any) -> Mapping[str, Any]:
    """The argument `baselines`, or an error if it is not a mapping of names."""
    if not isinstance(baselines, Mapping | None):
        raise InvalidInput(
            "baselines must be a mapping of names to twins, such as "
            f"{{'untrained': ...}}; got {type(baselines).__name__}."
        )
    for name in baselines or {}:
        if not isinstance(name, str) or not name.isprintable() or not name.strip():
            raise InvalidInput(
                f"{name!r} in baselines must be one line of text, such as 'untrained'."
            )
    return baselines or {}


def read_baselines(
    reps: Sequence[Representation], baselines: Mapping[str, Any]
) -> tuple[list[Representation], list[Baseline]]:
    """All representations followed by their twins, and the index of each twin.

    Each value of `baselines` is a mapping of names of representations to their twins
    (or of models to mappings of layers to twins), a list of `Representation` with
    `twin_of` or matching names, or a single twin for all.
    """
    all_reps, found = list(reps), []
    for baseline, value in baselines.items():
        if isinstance(value, list) and any(
            isinstance(twin, Representation) for twin in value
        ):
            value = match_twins(baseline, value, [rep.name for rep in reps])
        if isinstance(value, Mapping):
            flat = _by_name(value)
            unknown = set(flat) - {rep.name for rep in reps}
            if unknown:
                raise InvalidInput(
                    f"baselines[{baseline!r}] names {sorted(unknown)[0]!r}, which is "
                    f"not compared; choose from {', '.join(r.name for r in reps)}."
                )
            named = {name: gather({name: twin})[0] for name, twin in flat.items()}
        else:
            single = gather([value])[0]
            named = {rep.name: single for rep in reps}
        index: dict[int, int] = {}
        twins: list[int | None] = []
        for rep in reps:
            twin = named.get(rep.name)
            if twin is None:
                twins.append(None)
                continue
            if id(twin) not in index:
                index[id(twin)] = len(all_reps)
                shared = not isinstance(value, Mapping)
                title = baseline if shared else f"{rep.name} ({baseline})"
                while any(other.name == title for other in all_reps):
                    title += " (baseline)"
                all_reps.append(replace(twin, name=title))
            twins.append(index[id(twin)])
        found.append(Baseline(baseline, tuple(twins)))
    return all_reps, found


def _by_name(twins: Mapping[Any, Any]) -> dict[str, Any]:
    """Twins by the names of representations; the layers of models are flattened."""
    flat = {}
    for name, value in twins.items():
        layers = value if isinstance(value, Mapping) else {None: value}
        for layer, twin in layers.items():
            flat[str(name) if layer is None else f"{name}/{layer}"] = twin
    return flat


def baseline_pairs(
    baselines: Sequence[Baseline], pairs: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int, str], ...]:
    """The comparisons needed for all baselines of these pairs, without repetition."""
    return tuple(
        dict.fromkeys(
            (x, y, baseline.name)
            for baseline in baselines
            for a, b in pairs
            for x, y in baseline.pairs(a, b)
        )
    )


def attach(
    rows: Sequence[Row],
    names: Sequence[str],
    baselines: Sequence[Baseline],
    unfinished: Container[str],
) -> list[Row]:
    """Add to each row the scores of its baselines.

    For a label in `unfinished`, a baseline is added only if all of its rows are there.
    """
    if not baselines:
        return list(rows)
    compared = names[: len(baselines[0].twins)]  # the others are twins
    index = {name: i for i, name in enumerate(compared)}
    scores = {
        (row.label, row.a, row.b): row.score
        for row in rows
        if row.baseline_of is not None
    }
    result = []
    for row in rows:
        in_this_run = row.a in index and row.b in index
        if row.baseline_of is not None or not in_this_run:
            result.append(row)
            continue
        found = {}
        for baseline in baselines:
            pairs = baseline.pairs(index[row.a], index[row.b])
            keys = [(row.label, names[x], names[y]) for x, y in pairs]
            if row.label in unfinished and not scores.keys() >= set(keys):
                continue
            defined = [score for key in keys if (score := scores.get(key)) is not None]
            if defined:
                found[baseline.name] = sum(defined) / len(defined)
        result.append(replace(row, baselines=found))
    return result
