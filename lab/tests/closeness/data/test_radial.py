"""Radial classification data equal those of the authors."""

import numpy as np
import pytest

from similitude import InvalidInput
from similitude_lab.closeness.data import radial_classification


@pytest.mark.parametrize(
    ("split", "classes", "counts"),
    [
        ("test", 4, [490, 513, 490, 507]),
        ("test", 6, [333, 322, 348, 345, 323, 329]),
        ("train", 4, [4980, 4927, 5058, 5035]),
        ("train", 6, [3321, 3290, 3296, 3352, 3428, 3313]),
    ],
)
def test_counts_and_first_points_match_the_authors(split, classes, counts) -> None:
    data = radial_classification(classes=classes, split=split)
    np.testing.assert_array_equal(data.counts, counts)
    first = {"test": (1.0367526, 2.4648545), "train": (0.3771906, -0.3963146)}[split]
    # The authors' float32 numbers, as printed to seven decimals.
    printed = np.round(data.points[0].astype(np.float64), 7)
    np.testing.assert_array_equal(printed, first)
    assert data.points.dtype == np.float32


@pytest.mark.parametrize("classes", [4, 6, 10, 18])
def test_labels_match_the_authors_rule(classes: int) -> None:
    """The authors reflect through the origin, then bin the arc cosine."""
    data = radial_classification(classes=classes, split="test")
    edges = np.arange(0, np.pi, np.pi / classes)[:classes]
    for point, label in zip(data.points, data.labels, strict=True):
        upper = -point if point[1] < 0 else point
        angle = np.arccos(upper[0] / np.linalg.norm(upper))
        assert label == np.searchsorted(edges, angle, side="right") - 1


def test_equal_classes_keeps_the_first_points_of_each_class() -> None:
    data = radial_classification(classes=4, n=1000, seed=3, equal_classes=True)
    everything = radial_classification(classes=4, n=1000, seed=3)
    fewest = everything.counts.min()
    np.testing.assert_array_equal(data.counts, [fewest] * 4)
    for label in range(4):  # the first points of each class, in another order
        kept = data.points[data.labels == label]
        first = everything.points[everything.labels == label][:fewest]
        np.testing.assert_array_equal(
            kept[kept[:, 0].argsort()], first[first[:, 0].argsort()]
        )
    assert np.any(np.diff(data.labels) < 0)  # shuffled


def test_points_on_the_axes_have_a_class() -> None:
    from similitude_lab.closeness.data._radial import _double_cones

    axis = np.array([[1, 0], [-1, 0], [1, -1e-45], [0, 0]], dtype=np.float32)
    assert set(_double_cones(axis, 4)) <= {0, 3}


@pytest.mark.parametrize(
    "wrong", [{"classes": 1}, {"classes": 4, "split": "both"}, {"classes": 4, "n": 0}]
)
def test_invalid_options_raise(wrong: dict) -> None:
    with pytest.raises(InvalidInput):
        radial_classification(**wrong)
