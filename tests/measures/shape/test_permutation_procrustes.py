"""Permutation Procrustes against all permutations."""

import numpy as np
import pytest

import similitude as sim
from measures.matching.naive_matching import by_all_permutations, normalized

RNG = np.random.default_rng(12)
X = RNG.normal(size=(30, 5)) * [1, 2, 3, 0.5, 1] + 2
Y = X[:, ::-1] + RNG.normal(size=(30, 5))


@pytest.mark.parametrize("widths", [(5, 5), (3, 5), (5, 2), (1, 1)])
@pytest.mark.parametrize("normalize", ["none", "frobenius", "columns"])
def test_permutation_procrustes_equals_the_best_permutation(
    normalize: str, widths: tuple[int, int]
) -> None:
    x, y = X[:, : widths[0]], Y[:, : widths[1]]
    expected = by_all_permutations(normalized(x, normalize), normalized(y, normalize))
    got = sim.permutation_procrustes(x, y, normalize=normalize)
    np.testing.assert_allclose(got, expected, rtol=1e-10)
    if normalize == "frobenius":
        got = sim.permutation_procrustes(x, y, normalize=normalize, form="angular")
        np.testing.assert_allclose(got, np.arccos(1 - expected**2 / 2), rtol=1e-8)


def test_a_permutation_cannot_undo_a_sign_and_a_rotation_can() -> None:
    """Distances reach 2 and pi; with rotations they reach sqrt(2) and pi / 2."""
    x = X[:, :1]
    options = {"normalize": "frobenius"}
    np.testing.assert_allclose(sim.permutation_procrustes(x, -x, **options), 2.0)
    angle = sim.permutation_procrustes(x, -x, form="angular", **options)
    np.testing.assert_allclose(angle, np.pi, rtol=1e-7)
    np.testing.assert_allclose(sim.procrustes(x, -x), 0.0, atol=1e-12)


def test_angular_form_needs_frobenius_normalization() -> None:
    for normalize in ("none", "columns"):
        with pytest.raises(sim.InvalidInput, match="normalize='frobenius'"):
            sim.permutation_procrustes(X, Y, normalize=normalize, form="angular")


def test_permutation_procrustes_is_not_a_metric_across_widths() -> None:
    """`triangle` is not claimed, because width 2 lets opposite units stay unmatched.

    The path from x over (e x, -e x) to -x is shorter than the direct distance.
    """
    x = X[:, :1]
    narrow = float(sim.permutation_procrustes(x, -x))
    middle = np.column_stack([0.1 * x, -0.1 * x])
    around = 2 * float(sim.permutation_procrustes(x, middle))
    assert around < narrow - 0.1
    assert sim.measures.PermutationProcrustes().claims().triangle is None


def test_dead_units_are_dropped_and_counted() -> None:
    padded = np.column_stack([X, np.full(30, 0.1), np.zeros(30)])
    for measure in (
        sim.measures.PermutationProcrustes(normalize="columns"),
        sim.measures.GReLUProcrustes(),
        sim.measures.GReLUCKA(),
        sim.measures.SoftMatching(),
    ):
        p, q = measure.prepare(padded), measure.prepare(Y)
        assert measure.details(p, q) == {"dead_x": 2, "dead_y": 0}
        np.testing.assert_allclose(measure.compare(p, q), measure(X, Y), rtol=1e-12)
