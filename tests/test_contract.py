"""Every measure keeps every claim it makes."""

import dataclasses
import importlib.util
import inspect

import numpy as np
import pytest

import similitude
from similitude import MEASURES, Measure
from similitude.testing import check_measure
from variants import VARIANTS


@pytest.mark.parametrize("measure", VARIANTS, ids=lambda m: m.label)
def test_contract(measure: Measure) -> None:
    check_measure(measure)


def test_no_library_is_left_out_here() -> None:
    for name in ("torch", "array_api_strict"):
        assert importlib.util.find_spec(name), f"{name} is part of the dev install"


def test_listed_values_become_variants() -> None:
    labels = {variant.label for variant in VARIANTS}
    assert set(MEASURES) <= labels
    assert {"cka(kernel='rbf')", "rsa(outer='kendall_a')", "disagreement"} <= labels
    assert "procrustes(cross_validated=True)" in labels


@pytest.mark.parametrize("name", MEASURES)
def test_function_has_the_options_of_the_record(name: str) -> None:
    parameters = inspect.signature(getattr(similitude, name)).parameters
    x, y, *options = (p for p in parameters.values() if p.name != "rng")
    assert ("rng" in parameters) == MEASURES[name].claims().stochastic
    assert x.kind is y.kind is inspect.Parameter.POSITIONAL_ONLY
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in options)
    fields = dataclasses.fields(MEASURES[name])
    assert [(p.name, p.default) for p in options] == [
        (f.name, f.default) for f in fields
    ]
    assert [p.annotation for p in options] == [f.type for f in fields]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda m: m.label)
def test_function_is_the_record_called(variant: Measure) -> None:
    from similitude.testing._battery import draws

    draw = draws(variant.domain)[0]
    function = getattr(similitude, variant.name)
    expected = float(variant(draw.x, draw.y))
    got = float(function(draw.x, draw.y, **variant.options))
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(float(variant.func(draw.x, draw.y)), expected)


@pytest.mark.parametrize("name", MEASURES)
def test_docstring_says_what_style_asks_for(name: str) -> None:
    text = inspect.getdoc(getattr(similitude, name))
    parts = (".. math::", "where\n", "Returns", "Notes", "confused with", ">>> ")
    for part in parts:
        assert part in text, f"{name}: no {part!r}"
    for key in MEASURES[name].refs:
        assert key in text, f"{name}: {key} is not in its References"


def test_measures_differ_on_the_battery() -> None:
    """Two records are two measures: no two give the same numbers."""
    from similitude.testing._battery import draws

    scores = {
        m.name: [float(m(d.x, d.y)) for d in draws("points")]
        for m in MEASURES.values()
        if m.domain == "points"
    }
    names = sorted(scores)
    for i, a in enumerate(names):
        for b in names[:i]:
            assert np.max(np.abs(np.subtract(scores[a], scores[b]))) > 1e-6, (a, b)
