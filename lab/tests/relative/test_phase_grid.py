"""The phase diagram: accuracy after planted changes of coordinates."""

import functools

import numpy as np
import pytest

from similitude import InvalidInput
from similitude.latent.stitching import LogisticHead
from similitude_lab.relative import phase_diagram

GRID = {"dimensions": (6, 24), "anchors": (8, 32), "seeds": (0, 1), "samples": 200}


@functools.cache
def found() -> dict[str, np.ndarray]:
    return phase_diagram(["cosine", "robust", "whitened_cosine"], **GRID)


def where(**wanted: object) -> np.ndarray:
    chosen = np.ones(len(found()["d"]), dtype=bool)
    for name, value in wanted.items():
        chosen &= found()[name] == value
    assert chosen.any()
    return chosen


def test_each_transform_change_d_k_and_seed_has_one_row() -> None:
    names = ("transform", "change", "d", "k", "seed")
    keys = list(zip(*(found()[name].tolist() for name in names), strict=True))
    assert len(keys) == len(set(keys)) == 5 * 6 * 2 * 2 * 2
    assert {len(column) for column in found().values()} == {len(keys)}


def test_robust_keeps_accuracy_after_permutation_diagonal_and_shift() -> None:
    for change in ("permutation", "permutation x diagonal + shift"):
        rows = where(transform="robust", change=change)
        np.testing.assert_allclose(
            found()["stitched"][rows], found()["own"][rows], atol=0.5
        )
    rows = where(transform="robust", change=change, k=32)
    assert found()["kept"][rows].min() > 0.9
    for other in ("cosine", "procrustes"):
        rows = where(transform=other, change=change)
        assert found()["kept"][rows].max() < 0.9


def test_cosine_and_procrustes_keep_accuracy_after_rotations_robust_does_not() -> None:
    rows = where(transform="cosine", change="rotation + scale")
    np.testing.assert_allclose(
        found()["stitched"][rows], found()["own"][rows], atol=0.5
    )
    rows = where(transform="procrustes", change="rotation + scale", k=32)
    np.testing.assert_allclose(found()["kept"][rows], 1.0)
    for change in ("rotation + scale", "rotation + shift", "affine"):
        rows = where(transform="robust", change=change)
        assert (found()["stitched"] - found()["own"])[rows].max() < -1


def test_absolute_is_near_chance_and_whitened_keeps_accuracy_or_is_undefined() -> None:
    assert np.abs(found()["kept"][where(transform="absolute")]).mean() < 0.2
    for change in set(found()["change"].tolist()) - {"permutation + warp"}:
        rows = where(transform="whitened_cosine", change=change)
        few = rows & (found()["k"] <= found()["d"])
        assert np.isnan(found()["stitched"][few]).all()
        np.testing.assert_allclose(
            found()["stitched"][rows & ~few], found()["own"][rows & ~few], atol=0.5
        )


def test_robust_loses_more_by_a_rotation_if_units_differ_more_in_scale() -> None:
    options = {"dimensions": (32,), "anchors": (128,), "seeds": (0, 1)}
    lost = []
    for spread in (1.0, 4.0, 16.0):
        table = phase_diagram(
            ["robust"], {"turn": ("orthogonal",)}, spread=spread, **options
        )
        gaps = table["own"] - table["stitched"]
        lost.append(gaps[table["transform"] == "robust"].mean())
    assert lost[0] < 2 < 5 < lost[1] < lost[2]


def test_kept_equals_its_formula_and_results_depend_on_the_seed() -> None:
    chance = 20.0
    kept = (found()["stitched"] - chance) / (found()["ceiling"] - chance)
    np.testing.assert_allclose(found()["kept"], kept)
    small = {"dimensions": (4,), "anchors": (8,), "samples": 60}
    a, b, c = (
        phase_diagram(["robust"], {"turn": ("orthogonal",)}, seeds=[s], **small)
        for s in (0, 0, 1)
    )
    np.testing.assert_array_equal(a["stitched"], b["stitched"])
    assert (a["stitched"] != c["stitched"]).any()


@pytest.mark.parametrize(
    "wrong",
    [
        {"changes": {}},
        {"dimensions": ()},
        {"anchors": (1,)},
        {"dimensions": (1,)},
        {"changes": {"turn": ("rotatoin",)}},
        {"changes": {"home": ("orthogonal",)}},
        {"classes": 1},
        {"samples": 3},
        {"spread": 0.0},
        {"head": LogisticHead(), "seeds": ()},
    ],
)
def test_phase_diagram_rejects_wrong_options(wrong: dict) -> None:
    with pytest.raises(InvalidInput):
        phase_diagram(**wrong)
