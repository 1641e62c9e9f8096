"""The strongest findings of the results, in plain words.

Each candidate has a strength between 0 and 1 (`_pairs.contrast`) and a weight by its
kind. The page shows the three strongest ones, of different kinds if possible.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine import Results, Row
from ...engine.text import (
    PARTS,
    LayerFact,
    change,
    comparable,
    layer_facts,
    most,
    number,
    sign_of,
    step_facts,
    steps_in_words,
)
from .._data._items import shown
from ._pairs import (
    baselines_of,
    beside,
    closest,
    contrast,
    farthest,
    scored,
    scores,
    with_interval,
)

SHOWN = 3
# A baseline says most about a score, and an order of pairs less than a difference.
WEIGHTS = {
    "steps": 3.0,
    "gain": 2.5,
    "baseline": 2.0,
    "disagreement": 0.6,
    "extremes": 0.3,
    "pair": 0.5,
}
# These contrasts exist under each measure. The page opens with a picture of the first
# measure, and the finding next to it is about the same one.
SAME = {"steps", "gain", "baseline", "extremes"}
PLAIN = {"model", "layer", "domain", "reducer"}  # fields that have their own place
WEAKEST = 0.05  # weaker contrasts are not findings
DISAGREE = 0.5  # a rank correlation below this is a finding


class Finding(NamedTuple):
    """One sentence with its baselines, and a link to its section."""

    kind: str
    text: str
    strength: float
    section: str
    always: bool = False  # shown even if it is weak and nothing else was found


def findings(
    results: Results,
    fields: Mapping[str, Sequence[Any]],
    agreement: Mapping[str, Any],
) -> tuple[list[Finding], int]:
    """The strongest findings, and the number of candidates they were chosen from.

    `fields` are those of the representations.
    """
    found = [*_candidates(results, fields), *_disagreement(results, agreement)]
    found += _steps(results)
    candidates = len(found)
    found = [one for one in found if one.strength >= WEAKEST or one.always]
    asked = {one.kind: one for one in reversed(found)}  # under the first measure
    found.sort(key=_weighted, reverse=True)  # stable: equal ones stay in order
    first: dict[str, Finding] = {}
    for one in found:
        first.setdefault(one.kind, asked[one.kind] if one.kind in SAME else one)
    others = [one for one in found if one not in first.values()]
    return [*first.values(), *others][:SHOWN], candidates


def _weighted(one: Finding) -> float:
    return WEIGHTS.get(one.kind.partition(" ")[0], 1.0) * one.strength


def _candidates(
    results: Results, fields: Mapping[str, Sequence[Any]]
) -> Iterator[Finding]:
    names = results.names
    for label in results.measures:
        rows = scored(row for row in results.rows if row.label == label)
        if not rows:
            continue
        yield from _beyond_baseline(rows)
        if len({frozenset((r.a, r.b)) for r in rows}) == 1:
            yield _one_pair(rows[0])
            continue
        yield from _layers(rows)
        yield from _outlier(rows)
        yield from _fields(rows, fields, names)
        yield _extremes(rows)


def _steps(results: Results) -> Iterator[Finding]:
    """How the layers of a run approach their last checkpoint."""
    for label in results.measures:
        rows = [row for row in results.rows if row.label == label]
        facts = step_facts(rows, results.representations[: results.compared])
        if facts:
            text = steps_in_words(shown(label), facts)
            yield Finding("steps", text, 1.0, "dynamics")


def _name(row: Row) -> str:
    similar = "larger" if row.kind == "similarity" else "smaller"
    return f"{shown(row.label)} ({similar} is more similar)"


def _one_pair(row: Row) -> Finding:
    versus = contrast(scores([row]), baselines_of([row]).get("null", []))
    text = (
        f"{_name(row)}: {shown(row.a)} and {shown(row.b)} score {with_interval(row)}; "
        f"{beside([row])}."
    )
    return Finding(
        "pair " + row.label,
        text,
        versus.strength if versus else 0.0,
        "pair",
        always=True,
    )


def _beyond_baseline(rows: Sequence[Row]) -> Iterator[Finding]:
    """Scores of corresponding layers and their first real baseline."""
    chosen = comparable(rows)
    named = [name for name in baselines_of(chosen) if name not in {"null", *PARTS}]
    if not named:
        return
    paired = [row for row in chosen if named[0] in row.baselines]
    base = [row.baselines[named[0]] for row in paired]
    versus = contrast(scores(paired), base)
    if versus is None:
        return
    sign = sign_of(paired[0])
    more = sum(
        sign * (r.score or 0) > sign * b for r, b in zip(paired, base, strict=True)
    )
    text = (
        f"{_name(paired[0])}: {_which(paired)} score {number(versus.first)} on "
        f"average; {beside(paired)}. {more:,} of {len(paired):,} pairs are more "
        f"similar than their baseline {shown(named[0])}."
    )
    yield Finding("baseline", text, versus.strength, "matrix")


def _which(rows: Sequence[Row]) -> str:
    if len(rows) == 1:
        return f"{shown(rows[0].a)} and {shown(rows[0].b)}"
    if all(r.a_layer is not None and r.a_layer == r.b_layer for r in rows):
        return f"the {len(rows):,} pairs of equal layers of different models"
    return f"the {len(rows):,} pairs"


def _layers(rows: Sequence[Row]) -> Iterator[Finding]:
    """The gain of layers over their baseline, or the layer that differs most."""
    facts = layer_facts(rows)
    if not facts:
        return
    first, last = facts[0], facts[-1]
    others = [row for fact in facts[1:] for row in fact.rows]
    if first.gain is not None:
        base = [row.baselines[str(first.baseline)] for row in first.rows]
        versus = contrast(scores(first.rows), base)
        kind, what = "gain", f"{shown(most(facts))}: {_with_baseline(first)}"
        text = f"{what}. {shown(last.layer)} gained least: {_with_baseline(last)}."
    else:
        versus = contrast(scores(first.rows), scores(others))
        rest = number(float(np.mean(scores(others))))
        kind, text = (
            "layer",
            (
                f"{shown(first.layer)} is the layer that differs most between models, "
                f"{number(first.score)}; the other layers score {rest}. In this layer, "
                f"{beside(first.rows)}."
            ),
        )
    if versus is not None:
        yield Finding(kind, f"{_name(rows[0])}: {text}", versus.strength, "layers")


def _with_baseline(fact: LayerFact) -> str:
    count = "1 pair" if len(fact.rows) == 1 else f"mean of {len(fact.rows):,} pairs"
    base = f"{shown(str(fact.baseline))} {number(fact.base)}"
    return f"{number(fact.score)}, {base}, difference {change(fact)} ({count})"


def _outlier(rows: Sequence[Row]) -> Iterator[Finding]:
    """The model that is least similar to the others."""
    chosen = comparable(rows)
    with_model: dict[str, list[Row]] = {}
    for row in chosen:
        for model in _models(row):
            with_model.setdefault(model, []).append(row)
    if len(with_model) < 4:
        return
    sign = sign_of(rows[0])
    worst = min(with_model, key=lambda m: sign * float(np.mean(scores(with_model[m]))))
    others = [row for row in chosen if worst not in _models(row)]
    versus = contrast(scores(with_model[worst]), scores(others))
    if versus is None:
        return
    text = (
        f"{_name(rows[0])}: {shown(worst)} is the least similar to the others, "
        f"{number(versus.first)} on average; pairs of the others score "
        f"{number(versus.second)}. For {shown(worst)}, {beside(with_model[worst])}."
    )
    yield Finding("outlier", text, versus.strength, "map")


def _models(row: Row) -> tuple[str, str]:
    return row.a_model or row.a, row.b_model or row.b


def _fields(
    rows: Sequence[Row], fields: Mapping[str, Sequence[Any]], names: Sequence[str]
) -> Iterator[Finding]:
    """A manifest field whose values separate similar from other pairs."""
    chosen = comparable(rows)
    for field, values in fields.items():
        of = dict(zip(names, values, strict=True))
        if field in PLAIN or len(set(values)) > len(values) // 2:
            continue
        equal = [row for row in chosen if of[row.a] == of[row.b]]
        others = [row for row in chosen if of[row.a] != of[row.b]]
        versus = contrast(scores(equal), scores(others))
        if versus is not None:
            text = (
                f"{_name(rows[0])}: pairs with the same {field} score "
                f"{number(versus.first)}, pairs with another {field} "
                f"{number(versus.second)}; {beside(chosen)}."
            )
            yield Finding("field", text, versus.strength, "map")


def _extremes(rows: Sequence[Row]) -> Finding:
    """The most and the least similar pair of equal layers of different models."""
    chosen = comparable(rows)
    first, last = closest(chosen), farthest(chosen)
    versus = contrast(scores([first]), scores([last]))
    text = (
        f"{_name(first)}: the most similar pair is {shown(first.a)} and "
        f"{shown(first.b)}, {with_interval(first)}; the least similar is "
        f"{shown(last.a)} and {shown(last.b)}, {with_interval(last)}. For all pairs, "
        f"{beside(chosen)}."
    )
    strength = versus.strength if versus else 0.0
    return Finding("extremes", text, strength, "matrix", always=True)


def _disagreement(results: Results, agreement: Mapping[str, Any]) -> Iterator[Finding]:
    """The two measures that order the pairs least alike."""
    labels = results.measures
    pairs = [
        (rho, labels[i], labels[j], agreement["pairs"][i][j])
        for i, line in enumerate(agreement["correlations"])
        for j, rho in enumerate(line[:i])
        if rho is not None
    ]
    if not pairs:
        return
    rho, first, second, count = min(pairs)
    if rho < DISAGREE:
        text = (
            f"{shown(second)} and {shown(first)} order the pairs differently: their "
            f"rank correlation is {rho:.2f} over {count:,} pairs (1: the same order; "
            f"0: unrelated). A conclusion from one of them need not hold for the other."
        )
        yield Finding("disagreement", text, (DISAGREE - rho) / 1.5, "agreement")
