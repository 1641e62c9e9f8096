"""The split of rows into training rows, test rows and anchors."""

import numpy as np
import pytest

from similitude import InvalidInput
from similitude.latent.stitching import split_rows, stitching_task

X = np.random.default_rng(0).normal(size=(40, 5))
Y = np.random.default_rng(1).normal(size=(40, 3))
LABELS = np.arange(40) % 4


def test_split_rows_is_a_random_partition() -> None:
    parts = split_rows(40, test=0.25, rng=3)
    assert len(parts["test"]) == 10
    assert sorted([*parts["train"], *parts["test"]]) == list(range(40))
    np.testing.assert_array_equal(parts["anchor"], parts["train"])
    np.testing.assert_array_equal(
        split_rows(40, test=0.25, rng=3)["test"], parts["test"]
    )
    assert set(split_rows(40, test=0.25, rng=4)["test"]) != set(parts["test"])
    assert len(split_rows(3, test=0.01)["test"]) == 1
    assert len(split_rows(3, test=0.99)["train"]) == 1


def test_task_has_the_same_stimuli_in_all_encoders() -> None:
    task = stitching_task({"x": X, "y": Y}, LABELS, test=0.25, rng=3)
    parts = split_rows(40, test=0.25, rng=3)
    for name, rows in (("x", X), ("y", Y)):
        space = task.encoders[name]
        np.testing.assert_array_equal(space.train, rows[parts["train"]])
        np.testing.assert_array_equal(space.test, rows[parts["test"]])
        np.testing.assert_array_equal(space.anchors, rows[parts["train"]])
    np.testing.assert_array_equal(task.data.test_labels, LABELS[parts["test"]])
    assert (task.pool, task.duplicates) == (30, 0)


def test_a_given_split_is_used() -> None:
    words = ["train"] * 20 + ["test"] * 12 + ["Anchors"] * 8
    task = stitching_task({"x": X, "y": Y}, LABELS, split=words)
    np.testing.assert_array_equal(task.encoders["y"].anchors, Y[32:])
    np.testing.assert_array_equal(task.encoders["x"].test, X[20:32])


def test_rows_that_repeat_an_anchor_are_dropped_in_all_encoders() -> None:
    x, y = X.copy(), Y.copy()
    x[5], y[9] = x[3], y[8]
    words = ["train"] * 20 + ["test"] * 20
    task = stitching_task({"x": x, "y": y}, LABELS, split=words)
    left = [i for i in range(20) if i not in (5, 9)]
    np.testing.assert_array_equal(task.encoders["x"].anchors, x[left])
    np.testing.assert_array_equal(task.encoders["y"].anchors, y[left])
    np.testing.assert_array_equal(task.encoders["x"].train, x[:20])
    assert task.duplicates == 2
    kept = stitching_task({"x": x, "y": y}, LABELS, split=words, duplicates="keep")
    assert (kept.pool, kept.duplicates) == (20, 0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: split_rows(40, test=1.0), "share of rows"),
        (lambda: split_rows(1), "at least 2 rows"),
        (lambda: stitching_task({"x": X}, LABELS), "got only x"),
        (lambda: stitching_task({"x": X, "y": Y[:9]}, LABELS), "same stimuli"),
        (lambda: stitching_task({"x": X, "y": Y}, LABELS[:9]), "9 labels"),
        (
            lambda: stitching_task({"x": X, "y": Y}, LABELS, split=["train"] * 39),
            "39 words for 40 rows",
        ),
        (
            lambda: stitching_task({"x": X, "y": Y}, LABELS, split=["dev"] * 40),
            "'dev' is unknown",
        ),
        (
            lambda: stitching_task({"x": X, "y": Y}, LABELS, split=["train"] * 40),
            "no row is marked test",
        ),
        (
            lambda: stitching_task({"x": X, "y": Y}, LABELS, duplicates="lose"),
            "duplicates='lose'",
        ),
    ],
)
def test_mistakes_are_named(wrong, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        wrong()
