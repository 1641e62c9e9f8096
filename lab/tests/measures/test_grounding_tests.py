"""The grounding tests and their changes of the training data."""

import itertools

import numpy as np
import pytest

import similitude as sim
from similitude_lab.measures._grounding_tests import (
    average_precision,
    chance_precision,
    group_precision,
    monotonicity,
)
from similitude_lab.measures._mini_resi import random_labels, ranks, with_shortcut
from similitude_lab.measures._sensitivity import judge_measure, without_components
from similitude_lab.training._digits_networks import dissimilarity, point_measures


def distance(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.abs(x - y).sum())


def networks(*values: float) -> list[dict[str, np.ndarray]]:
    return [{"layer_1": np.array([[value]])} for value in values]


def test_average_precision_agrees_with_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    positive = rng.random(40) < 0.3
    for distances in (rng.random(40), rng.integers(5, size=40)):
        expected = metrics.average_precision_score(positive, -distances)
        np.testing.assert_allclose(average_precision(positive, distances), expected)


def test_separate_groups_have_a_precision_of_one() -> None:
    groups = [networks(0.0, 0.1, 0.2), networks(5.0, 5.1), networks(9.0, 9.1)]
    assert group_precision(distance, groups) == 1.0
    mixed = [networks(0.0, 5.0), networks(0.1, 5.1)]
    assert group_precision(distance, mixed) < 0.5
    pairs = list(itertools.combinations([0, 0, 0, 1, 1, 2, 2], 2))
    assert chance_precision([3, 2, 2]) == np.mean([a == b for a, b in pairs])


def test_layers_on_a_line_are_monotone() -> None:
    layers = {f"layer_{k}": np.array([[float(k)]]) for k in range(1, 5)}
    assert monotonicity(distance, [layers]) == 1.0
    layers["layer_4"] = np.array([[1.1]])
    assert monotonicity(distance, [layers]) < 1.0


def test_an_undefined_score_makes_a_test_undefined() -> None:
    undefined = lambda x, y: float("nan")  # noqa: E731
    assert np.isnan(group_precision(undefined, [networks(0, 1), networks(2, 3)]))


def test_labels_and_shortcuts_change_as_announced() -> None:
    rng = np.random.default_rng(0)
    data = np.full((500, 8, 8), 0.5, np.float32), rng.integers(10, size=500)
    np.testing.assert_array_equal(random_labels(data, 0.0, rng)[1], data[1])
    kept = np.mean(random_labels(data, 1.0, rng)[1] == data[1])
    assert 0.03 < kept < 0.2
    images, labels = with_shortcut(data, 1.0, rng)
    np.testing.assert_array_equal(labels, data[1])
    border = images[:, :, [0, 7]]
    assert (border.sum(axis=(1, 2)) == 1).all()
    first, last = border[:, :, 0], border[:, :, 1]
    shown = np.where(last.any(axis=1), 8 + last.argmax(axis=1), first.argmax(axis=1))
    np.testing.assert_array_equal(shown, labels)
    assert (data[0] == 0.5).all()


def test_ranks_put_the_best_first_and_undefined_last() -> None:
    rows: dict[str, list] = {"measure": ["a", "b", "c"]}
    names = (
        *("accuracy_difference", "output_difference", "label_randomization"),
        *("shortcut_affinity", "augmentation", "layer_monotonicity"),
    )
    rows |= {name: [0.2, 0.9, float("nan")] for name in names}
    np.testing.assert_array_equal(ranks(rows), [[2, 1, 3]] * 6)


def test_dissimilarities_are_larger_for_less_similar_rows() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 6))
    near, far = x + 0.1 * rng.normal(size=x.shape), rng.normal(size=x.shape)
    for name in ("cka", "procrustes", "mutual_knn", "rtd"):
        compare = dissimilarity(name)
        assert compare(x, near) < compare(x, far), name
    assert {"cka", "rtd", "procrustes"} <= set(point_measures())
    assert not {"d_fg", "disagreement"} & set(point_measures())


def test_rotated_networks_have_the_same_layers() -> None:
    rng = np.random.default_rng(0)
    layers = [rng.normal(size=(40, 64)) for _ in range(4)]
    found = []
    for _ in range(2):
        turn = np.linalg.qr(rng.normal(size=(64, 64)))[0]
        rows = {f"layer_{k + 1}": layer @ turn for k, layer in enumerate(layers)}
        found.append(rows | {"train_rows": rows["layer_4"]})
    drop = np.array([[0.1, 0.5], [0.1, 0.5]])
    row = judge_measure("procrustes", found, (32, 4), drop)
    assert row["layers_identified"] == 1.0
    assert row["share_deleted"] == 0.5  # rotations do not change the score
    assert row["curve"][0] < row["curve"][1]


def test_components_are_deleted_from_the_smallest_on() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, 5)) * [5, 4, 3, 2, 1]
    np.testing.assert_allclose(without_components(rows, rows, 5), rows)
    reduced = without_components(rows, rows, 2)
    assert np.linalg.matrix_rank(reduced - reduced.mean(axis=0)) == 2
    assert float(sim.cka(rows, reduced)) > 0.6
