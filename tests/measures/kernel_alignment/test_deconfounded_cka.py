"""CKA after removing a confounder."""

import copy
import functools
import json
import pickle

import numpy as np
import pytest

import similitude as sim
from measures.kernel_alignment.naive_hsic import naive_hsic_0, naive_hsic_1
from similitude.measures.kernel_alignment._confounder import Confounder
from similitude.testing import CHECKS, _hard, _values, failures

RNG = np.random.default_rng(7)
INPUTS = RNG.normal(size=(60, 5)) + 1
X = INPUTS @ RNG.normal(size=(5, 6)) + RNG.normal(size=(60, 6))
Y = INPUTS @ RNG.normal(size=(5, 70)) + RNG.normal(size=(60, 70))


def measure_for_rows(
    n: int, estimator: str = "unbiased"
) -> sim.measures.DeconfoundedCKA:
    inputs = np.random.default_rng(n).normal(size=(n, 3))
    return sim.measures.DeconfoundedCKA(confounder=inputs, estimator=estimator)


@pytest.mark.parametrize("estimator", ["unbiased", "biased"])
def test_deconfounded_cka_equals_its_definition(estimator: str) -> None:
    hsic = naive_hsic_1 if estimator == "unbiased" else naive_hsic_0
    grams = [(v - v.mean(axis=0)) @ (v - v.mean(axis=0)).T for v in (X, Y, INPUTS)]
    base = grams[2]
    k, l = (g - hsic(g, base) / hsic(base, base) * base for g in grams[:2])  # noqa: E741
    expected = hsic(k, l) / np.sqrt(hsic(k, k) * hsic(l, l))
    got = sim.deconfounded_cka(X, Y, confounder=INPUTS, estimator=estimator)
    np.testing.assert_allclose(got, expected, rtol=1e-9)


# `check_record` expects scalar options; the others also use sizes other than 60 rows.
EXCLUDED = {
    "check_record",
    "check_range",
    "check_dtypes",
    "check_hard_cases",
    "check_offset_and_scale",
}


@pytest.mark.parametrize("estimator", ["unbiased", "biased"])
def test_deconfounded_cka_passes_the_contract(
    estimator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The battery has 60 rows; two more checks need confounders with other sizes."""
    monkeypatch.setattr(_values, "other_shapes", lambda domain: ())
    checks = tuple(c for c in CHECKS if c.__name__ not in EXCLUDED)
    assert len(checks) >= 14
    assert failures(measure_for_rows(60, estimator), checks) == []
    for name, n in (("check_offset_and_scale", 40), ("check_dtypes", 50)):
        (check,) = (c for c in CHECKS if c.__name__ == name)
        assert failures(measure_for_rows(n, estimator), (check,)) == []


@pytest.mark.parametrize("name", _hard.POINTS)
def test_hard_cases_are_in_range_or_undefined(name: str) -> None:
    x, y = _hard.POINTS[name]()
    measure = measure_for_rows(len(x))
    try:
        value = _values.score(measure, x, y)
    except sim.Undefined as error:
        message = str(error)
        assert name not in _hard.ORDINARY, message
        return
    _values.in_range(measure, value, name)


def test_similarity_due_to_the_inputs_is_removed() -> None:
    """Random features of the same inputs are similar only because of the inputs."""
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(300, 6))
    x, y = (inputs @ rng.normal(size=(6, 40)) for _ in range(2))
    x, y = (v + 3 * rng.normal(size=v.shape) for v in (x, y))
    assert sim.cka(x, y) > 0.5
    assert abs(sim.deconfounded_cka(x, y, confounder=inputs)) < 0.1


def test_details_report_the_explained_shares() -> None:
    measure = sim.measures.DeconfoundedCKA(confounder=INPUTS)
    details = measure.details(measure.prepare(X), measure.prepare(Y))
    squared = [float(sim.cka(v, INPUTS)) ** 2 for v in (X, Y)]
    np.testing.assert_allclose(list(details.values()), squared, rtol=1e-9)
    with pytest.raises(sim.Undefined, match="explains all"):
        measure(INPUTS @ np.diag([2.0] * 5) + 1, Y)


def test_confounder_is_immutable_and_compared_by_content() -> None:
    inputs = INPUTS.copy()
    a, b = (
        sim.measures.DeconfoundedCKA(confounder=inputs),
        sim.measures.DeconfoundedCKA(confounder=INPUTS),
    )
    inputs[0, 0] += 1
    assert a == b
    assert hash(a) == hash(b)
    assert a != sim.measures.DeconfoundedCKA(confounder=inputs)
    assert a != sim.measures.DeconfoundedCKA(confounder=INPUTS, estimator="biased")
    written = json.loads(json.dumps(a.to_json()))
    assert written["options"] == {
        "confounder": a.confounder.sha256,
        "estimator": "unbiased",
    }
    assert a.label.startswith("deconfounded_cka(confounder=<60 x 5, sha256 ")
    for again in (copy.deepcopy(a), pickle.loads(pickle.dumps(a))):
        assert again == a
        np.testing.assert_array_equal(again(X, Y), a(X, Y))
    assert isinstance(a.func, functools.partial)
    np.testing.assert_array_equal(a.func(X, Y), a(X, Y))
    with pytest.raises(AttributeError, match="cannot be changed"):
        a.confounder.values = inputs
    with pytest.raises(ValueError, match="read-only"):
        a.confounder.values[0, 0] = 3
    # The same numbers in another form are the same content; another shape is not.
    assert Confounder(INPUTS.tolist()) == Confounder(np.asfortranarray(INPUTS))
    assert Confounder(INPUTS) != Confounder(INPUTS.reshape(50, 6))


def test_missing_or_invalid_confounders_are_refused() -> None:
    assert "deconfounded_cka" not in sim.MEASURES
    with pytest.raises(TypeError, match="confounder"):
        sim.measures.DeconfoundedCKA()
    with pytest.raises(sim.InvalidInput, match="confounder has 50 rows"):
        sim.deconfounded_cka(X, Y, confounder=INPUTS[:50])
    bad = np.where(np.arange(60)[:, None] == 2, np.nan, INPUTS)
    with pytest.raises(sim.InvalidInput, match="confounder: row 2"):
        sim.deconfounded_cka(X, Y, confounder=bad)
    with pytest.raises(sim.InvalidInput, match="estimator"):
        sim.deconfounded_cka(X, Y, confounder=INPUTS, estimator="no")
