"""Depth alone does not make two networks similar."""

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, Representation

LAYERS = 5


def deep(rng: np.random.Generator, n: int = 40) -> dict[str, np.ndarray]:
    """Layers that follow from each other, of inputs that nobody else has seen."""
    x, layers = rng.normal(size=(n, 8)), {}
    for i in range(LAYERS):
        x = np.tanh(x @ rng.normal(size=(8, 8)) / 2 + 0.5 * rng.normal(size=(n, 8)))
        layers[f"layer{i}"] = x
    return layers


def test_independent_deep_networks_do_not_look_similar() -> None:
    alone, together = [], []
    for i in range(60):
        rng = np.random.default_rng(i)
        models = {"a": deep(rng), "b": deep(rng)}
        (best,) = sim.best_layers(models, permutations=39, rng=i)
        together.append(best.p)
        x, y = (models[m[0]][m[2:]] for m in (best.a, best.b))
        rows = sim.compare({"x": x, "y": y}, "cka", permutations=39, rng=i).rows
        alone.append(rows[0].p)
        assert best.pairs == LAYERS**2
    # The best pair, judged as if it were the only one, is "significant" far too often.
    assert np.mean(np.array(alone) <= 0.05) > 0.2
    # As the best of 25, no more often than it should be: P(12 or more of 60) < 1e-4.
    assert sum(p <= 0.05 for p in together) < 12
    assert 0.3 < np.mean(together) < 0.7


def test_shared_stimuli_are_found_whatever_the_depth() -> None:
    rng = np.random.default_rng(0)
    a, b = deep(rng), deep(rng)
    b["layer1"] = a["layer3"] @ rng.normal(size=(8, 6)) + 0.1 * rng.normal(size=(40, 6))
    (best,) = sim.best_layers({"a": a, "b": b}, permutations=99)
    assert (best.a, best.b) == ("a/layer3", "b/layer1")
    assert best.p == 0.01
    assert 0.5 < best.calibrated < 1
    np.testing.assert_allclose(best.score, sim.cka(a["layer3"], b["layer1"]))


def test_it_is_the_calibrated_maximum_of_shared_permutations() -> None:
    rng = np.random.default_rng(1)
    a, b = deep(rng), deep(rng)
    for measure, sign in ((sim.CKA(), 1), (sim.Procrustes(), -1)):
        (best,) = sim.best_layers({"a": a, "b": b}, measure, permutations=19, rng=3)
        stream = np.random.SeedSequence(3, spawn_key=(1,))
        orders = sim.stats.orders(40, 19, stream)
        maxima = [
            max(
                sign * float(measure(x, y[order]))
                for x in a.values()
                for y in b.values()
            )
            for order in orders
        ]
        observed = max(
            sign * float(measure(x, y)) for x in a.values() for y in b.values()
        )
        np.testing.assert_allclose(best.score, sign * observed, rtol=1e-12)
        assert best.p == (1 + sum(m >= observed for m in maxima)) / 20
        tau, itself = np.quantile(maxima, 0.95), 1.0 if sign > 0 else 0.0
        expected = (observed - tau) / (itself - tau)
        np.testing.assert_allclose(best.calibrated, expected, rtol=1e-9)


def test_three_models_are_three_pairs_and_ids_are_joined() -> None:
    rng = np.random.default_rng(0)
    order = rng.permutation(40)
    reps = [
        Representation(f"{m}{i}", x[order], model=m, ids=order)
        if m == "b"
        else Representation(f"{m}{i}", x, model=m, ids=np.arange(40))
        for m in "abc"
        for i, x in enumerate(deep(np.random.default_rng(5)).values())
    ]
    found = sim.best_layers(reps, permutations=9)
    assert [(f.model_a, f.model_b) for f in found] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    np.testing.assert_allclose([f.score for f in found], 1, rtol=1e-12)


@pytest.mark.parametrize(
    ("reps", "measure", "message"),
    [
        ({"a": {"x": np.eye(6)}}, "cka", "two models"),
        ([Representation("r", np.eye(6))], "cka", "does not say which model"),
        ({"a": {"x": np.eye(6)}, "b": {"x": np.eye(6)}}, "cak", "Did you mean 'cka'"),
        (
            {"a": {"x": np.eye(6)}, "b": {"x": np.eye(6)}},
            "magnitude_difference",
            "does not pair rows",
        ),
        (
            {"a": {"x": np.ones((6, 2))}, "b": {"x": np.eye(6)}},
            "cka",
            "a/x: .* Leave it out",
        ),
    ],
)
def test_questions_without_an_answer(reps, measure: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        sim.best_layers(reps, measure, permutations=3)
