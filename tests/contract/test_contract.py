"""Every measure passes the contract tests of its claims."""

import dataclasses
import importlib.util
import inspect
import itertools
import typing

import numpy as np
import pytest

import similitude
from contract.variants import VARIANTS
from similitude import MEASURES, Measure
from similitude.measures import (
    CKA,
    RSA,
    Kernel,
    LinearRegression,
    MeanCCA,
    MinibatchCKA,
    MutualKNN,
    Procrustes,
)
from similitude.testing import check_measure


@pytest.mark.parametrize("measure", VARIANTS, ids=lambda m: m.label)
def test_measure_passes_its_contract(measure: Measure) -> None:
    check_measure(measure)


def test_all_array_libraries_are_installed() -> None:
    for name in ("torch", "array_api_strict"):
        assert importlib.util.find_spec(name), f"{name} is part of the dev install"


def test_variants_include_defaults_and_combinations_of_options() -> None:
    assert set(MEASURES.values()) <= set(VARIANTS)
    labels = {variant.label for variant in VARIANTS}
    assert "cka(kernel=polynomial, estimator=biased, form=angular)" in labels
    assert "rsa(inner=euclidean, outer=cosine)" in labels
    assert len({v.claims() for v in VARIANTS if v.name == "cka"}) >= 12


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (MeanCCA(form="squared"), 12 / 59),  # max(rank) / (n - 1)
        (LinearRegression(), 8 / 59),  # rank of x / (n - 1)
        (MutualKNN(), 10 / 59),
        (CKA(), 0.0),
        (CKA(form="angular"), np.pi / 2),
    ],
    ids=lambda value: getattr(value, "label", ""),
)
def test_claimed_chance_level_equals_the_mean_score_of_noise(
    measure: Measure, expected: float
) -> None:
    rng = np.random.default_rng(0)
    scores = [
        float(measure(rng.normal(size=(60, 8)), rng.normal(size=(60, 12))))
        for _ in range(200)
    ]
    error = np.std(scores, ddof=1) / np.sqrt(len(scores))
    assert abs(np.mean(scores) - expected) < 4 * error


def test_claimed_chance_level_of_wide_noise() -> None:
    """Measures whose chance level goes to 1 as d / n grows are near 1 at d = 10 n."""
    x, y = np.random.default_rng(0).normal(size=(2, 50, 500))
    whitened = RSA(inner="sqeuclidean", outer="whitened_cosine")
    for measure in (
        CKA(estimator="biased"),
        whitened,
        RSA(outer="cosine"),
        Procrustes(form="similarity"),
    ):
        assert measure(x, y) > 0.9
        assert any(word in measure.claims().chance for word in ("1", "same"))
    root = np.sqrt(12 / 59)
    rng = np.random.default_rng(0)
    means = [
        float(MeanCCA()(rng.normal(size=(60, 8)), rng.normal(size=(60, 12))))
        for _ in range(50)
    ]
    assert 0.85 * root < np.mean(means) < root  # "just below the root"


@pytest.mark.parametrize("name", MEASURES)
def test_function_and_record_have_the_same_options(name: str) -> None:
    parameters = inspect.signature(getattr(similitude, name)).parameters
    x, y, *options = (p for p in parameters.values() if p.name != "rng")
    variants = [one for one in VARIANTS if one.name == name]
    assert ("rng" in parameters) == any(one.claims().stochastic for one in variants)
    assert x.kind is y.kind is inspect.Parameter.POSITIONAL_ONLY
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in options)
    fields = dataclasses.fields(MEASURES[name])
    assert [(p.name, p.default) for p in options] == [
        (f.name, f.default) for f in fields
    ]
    # Without the bounds of a record, such as Annotated[int, at_least(1)].
    hints = typing.get_type_hints(type(MEASURES[name]))
    expected = [hints[f.name] for f in fields]
    # Functions take the text of a record too.
    assert [p.annotation for p in options] == [
        hint | str if isinstance(hint, type) and issubclass(hint, Kernel) else hint
        for hint in expected
    ]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda m: m.label)
def test_function_gives_the_score_of_the_record(variant: Measure) -> None:
    from similitude.testing._battery import draws_for

    draw = draws_for(variant)[0]
    function = getattr(similitude, variant.name)
    seed = {"rng": 0} if variant.claims().stochastic else {}
    expected = float(variant(draw.x, draw.y, **seed))
    got = float(function(draw.x, draw.y, **variant.options, **seed))
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(float(variant.func(draw.x, draw.y, **seed)), expected)


@pytest.mark.parametrize("name", MEASURES)
def test_docstring_has_every_section(name: str) -> None:
    text = inspect.getdoc(getattr(similitude, name))
    parts = (".. math::", "where\n", "Returns", "Notes", "confused with", ">>> ")
    for part in parts:
        assert part in text, f"{name}: no {part!r}"
    for key in MEASURES[name].refs:
        assert key in text, f"{name}: {key} is not in its References"


@pytest.mark.parametrize("name", MEASURES)
def test_kind_says_whether_high_or_low_is_near(name: str) -> None:
    """On the battery each representation is nearest to itself."""
    from similitude.testing._battery import draws_for

    measure = MEASURES[name]
    toward = 1.0 if measure.claims().kind == "similarity" else -1.0
    seed = {"rng": 0} if measure.claims().stochastic else {}
    for draw in draws_for(measure):
        near, far = (float(measure(draw.x, v, **seed)) for v in (draw.x, draw.y))
        assert toward * near > toward * far - 1e-12


@pytest.mark.parametrize("name", ["cka", "mean_cca", "rsa", "mutual_knn", "imd"])
def test_undefined_message_names_the_argument(name: str) -> None:
    from similitude.testing._battery import draws

    draw, constant = draws("points")[0], np.ones((60, 3))
    for side, two in (("x", (constant, draw.y)), ("y", (draw.x, constant))):
        with pytest.raises(similitude.Undefined, match=f"^{side}: "):
            MEASURES[name](*two)


def test_all_measures_give_different_scores_on_the_battery() -> None:
    """No two measures give the same scores."""
    from similitude.testing._battery import draws_for

    assert len(MEASURES) >= 36
    # With a batch of 256 all sixty rows are one batch, and minibatch CKA equals CKA.
    records = {**MEASURES, "minibatch_cka": MinibatchCKA(batch=16)}
    by_domain: dict[str, dict[str, list[float]]] = {}
    for m in records.values():
        seed = {"rng": 0} if m.claims().stochastic else {}
        scores = [float(m(d.x, d.y, **seed)) for d in draws_for(m)]
        by_domain.setdefault(m.domain, {})[m.name] = scores
    assert sum(map(len, by_domain.values())) == len(MEASURES)
    for scores in by_domain.values():
        for a, b in itertools.combinations(scores, 2):
            difference = np.max(np.abs(np.subtract(scores[a], scores[b])))
            assert difference > 1e-6, (a, b)
