"""The findings name planted effects, with their baselines."""

from dataclasses import replace

import numpy as np

import similitude as sim
from report.sample_results import many_models, one_pair
from similitude import Results
from similitude.engine.text import layer_facts
from similitude.report._data._agreement import agreement_of
from similitude.report._data._items import items_of
from similitude.report._words._findings import Finding, findings
from similitude.report._words._pairs import contrast


def found(results: Results) -> list[Finding]:
    fields, agreement = items_of(results)["fields"], agreement_of(results)
    return findings(results, fields, agreement)[0]


def test_contrast_is_separation_times_relative_difference() -> None:
    assert contrast([2.0, 2.0], [1.0, 1.0]) == (2.0, 1.0, 0.5)
    overlapping = contrast([1.0, 3.0], [2.0])
    assert overlapping is not None
    assert overlapping.strength == 0.0  # half of the values are larger
    assert contrast([], [1.0]) is None


def test_trained_models_are_compared_with_untrained_twins(layered: Results) -> None:
    (first,) = (f for f in found(layered) if f.kind == "baseline")
    assert "6 pairs of equal layers of different models" in first.text
    assert "their untrained twins score" in first.text
    assert "randomly paired rows score" in first.text
    assert "6 of 6 pairs are more similar than their baseline untrained" in first.text


def test_braces_in_the_name_of_a_baseline_are_text() -> None:
    x = np.random.default_rng(0).normal(size=(7, 12, 3))
    reps = {f"r{i}": x[i] for i in range(6)}
    twins = {"{0}{a}{": dict.fromkeys(reps, x[6])}
    texts = [f.text for f in found(sim.compare(reps, "cka", baselines=twins))]
    assert any("the baseline {0}{a}{ is " in text for text in texts), texts


def test_one_pair_has_one_finding_per_measure() -> None:
    texts = [one.text for one in found(one_pair())]
    assert len(texts) == 3
    for label in ("cka", "procrustes", "rtd"):
        assert any(text.startswith(f"{label} (") for text in texts)
    (cka,) = (text for text in texts if text.startswith("cka"))
    assert "first and second score 0." in cka
    assert "[" in cka
    assert "p <" in cka


def test_a_field_that_groups_the_models_is_found() -> None:
    results = many_models(count=24, measures=1)
    (field,) = (one for one in found(results) if one.kind == "field")
    assert "pairs with the same arch score" in field.text
    assert field.section == "map"


def test_models_of_one_kind_are_grouped_by_their_names() -> None:
    """The demo has no manifest fields: cnn-0, cnn-1, mlp-0, mlp-1, ..."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 40, 4))
    reps = {}
    for i in range(3):
        reps[f"cnn-{i}"] = x + 0.3 * rng.normal(size=(40, 4))
        reps[f"mlp-{i}"] = y + 0.3 * rng.normal(size=(40, 4))
    (one,) = (f for f in found(sim.compare(reps, "cka")) if f.kind == "field")
    assert "pairs with the same kind of model score 0.8" in one.text


def test_a_model_that_differs_from_all_others_is_found() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 4))
    reps = {f"m{i}": x + 0.1 * rng.normal(size=(40, 4)) for i in range(5)}
    results = sim.compare(reps | {"odd": rng.normal(size=(40, 4))}, "cka")
    (one,) = (f for f in found(results) if f.kind == "outlier")
    assert "odd is the least similar to the others" in one.text


def test_measures_that_disagree_are_found() -> None:
    results = many_models(count=10, measures=2)
    flipped = tuple(
        replace(row, score=-row.score)
        if row.label == "procrustes" and row.score is not None
        else row
        for row in results.rows
    )
    texts = [one.text for one in found(replace(results, rows=flipped))]
    assert any("procrustes order the pairs differently" in text for text in texts)
    assert agreement_of(results)["correlations"][0][1] > 0.9


def test_the_layer_that_differs_most_is_named(layered: Results) -> None:
    without = [replace(row, baselines={}) for row in layered.rows]
    shown = found(replace(layered, rows=tuple(without)))
    texts = [one.text for one in shown if one.kind == "layer"]
    assert len(texts) == 1
    assert "is the layer that differs most between models" in texts[0]


def test_the_layer_that_gained_most_over_untrained_is_the_first_finding(
    layered: Results,
) -> None:
    first = found(layered)[0]
    fact = layer_facts([r for r in layered.rows if r.label == layered.measures[0]])[0]
    assert first.kind == "gain"
    assert f"{fact.layer} gained most over untrained: {fact.score:.3f}" in first.text
    assert "gained least" in first.text


def test_findings_of_a_kind_are_about_the_first_measure(layered: Results) -> None:
    """The picture next to them shows it. A distance would often differ more."""
    for first in layered.measures:
        labels = sorted(layered.measures, key=lambda one: one != first)
        rows = tuple(r for label in labels for r in layered.rows if r.label == label)
        kept = [
            one for one in found(replace(layered, rows=rows)) if one.kind != "field"
        ]
        assert kept[0].kind in {"gain", "baseline"}
        assert kept[0].text.startswith(f"{first} (")
