"""`best_layers`: the maximum over layers is calibrated for depth."""

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, Representation

LAYERS = 5


def deep(rng: np.random.Generator, n: int = 40) -> dict[str, np.ndarray]:
    """Layers of a random network on its own random inputs."""
    x, layers = rng.normal(size=(n, 8)), {}
    for i in range(LAYERS):
        x = np.tanh(x @ rng.normal(size=(8, 8)) / 2 + 0.5 * rng.normal(size=(n, 8)))
        layers[f"layer{i}"] = x
    return layers


def test_independent_deep_networks_are_rarely_significant() -> None:
    single_p, best_p = [], []
    for i in range(60):
        rng = np.random.default_rng(i)
        models = {"a": deep(rng), "b": deep(rng)}
        (best,) = sim.best_layers(models, permutations=39, rng=i)
        best_p.append(best.p)
        x, y = (models[m[0]][m[2:]] for m in (best.a, best.b))
        rows = sim.compare({"x": x, "y": y}, "cka", permutations=39, rng=i).rows
        single_p.append(rows[0].p)
        assert best.pairs == LAYERS**2
    # Without a correction for the maximum, the best pair is significant too often.
    assert np.mean(np.array(single_p) <= 0.05) > 0.2
    # As the best of 25 pairs, it has the nominal rate: P(12 or more of 60) < 1e-4.
    assert sum(p <= 0.05 for p in best_p) < 12
    assert 0.3 < np.mean(best_p) < 0.7


def test_related_layers_of_deep_networks_are_found() -> None:
    rng = np.random.default_rng(0)
    a, b = deep(rng), deep(rng)
    b["layer1"] = a["layer3"] @ rng.normal(size=(8, 6)) + 0.1 * rng.normal(size=(40, 6))
    (best,) = sim.best_layers({"a": a, "b": b}, permutations=99)
    assert (best.a, best.b) == ("a/layer3", "b/layer1")
    assert best.p == 0.01
    assert 0.5 < best.calibrated < 1
    np.testing.assert_allclose(best.score, sim.cka(a["layer3"], b["layer1"]))


def test_best_layers_is_the_calibrated_maximum_with_shared_permutations() -> None:
    rng = np.random.default_rng(1)
    a, b = deep(rng), deep(rng)
    for measure, sign in ((sim.measures.CKA(), 1), (sim.measures.Procrustes(), -1)):
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
        tau, self_score = np.quantile(maxima, 0.95), 1.0 if sign > 0 else 0.0
        expected = (observed - tau) / (self_score - tau)
        np.testing.assert_allclose(best.calibrated, expected, rtol=1e-9)


def test_three_models_give_three_pairs_joined_by_id() -> None:
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
        ({"a": {"x": np.eye(6)}}, "cka", "give two or more models"),
        ([Representation("r", np.eye(6))], "cka", "r does not have a model"),
        ({"a": {"x": np.eye(6)}, "b": {"x": np.eye(6)}}, "cak", "Did you mean 'cka'"),
        (
            {"a": {"x": np.eye(6)}, "b": {"x": np.eye(6)}},
            "magnitude_difference",
            "does not pair rows",
        ),
        (
            {"a": {"x": np.ones((6, 2))}, "b": {"x": np.eye(6)}},
            "cka",
            "a/x: .* Remove this layer",
        ),
    ],
)
def test_best_layers_refuses_invalid_arguments(
    reps, measure: str, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        sim.best_layers(reps, measure, permutations=3)
