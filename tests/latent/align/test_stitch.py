"""Class scores, and `stitch` with a given encoder, transform and decoder."""

import numpy as np
import pytest
import torch
from sklearn.metrics import f1_score
from torch import nn

from similitude import InvalidInput, knn_jaccard, retrieval_mrr
from similitude.latent.align import class_scores, fit_affine, fit_procrustes, stitch
from similitude.latent.align.relative import Cosine
from similitude.transformations import random_orthogonal

RNG = np.random.default_rng(8)


def test_weighted_f1_equals_that_of_scikit_learn() -> None:
    for _ in range(20):
        target, guess = RNG.integers(5, size=(2, 40))
        guess = np.where(RNG.random(40) < 0.5, target, guess)
        expected = f1_score(target, guess, average="weighted", zero_division=0.0)
        np.testing.assert_allclose(class_scores(guess, target).f1, 100 * expected)


def test_mae_of_a_constant_prediction_is_the_mean_distance() -> None:
    stars = np.repeat(np.arange(5), 8)
    for c, mean in ((0, 2.0), (2, 1.2), (4, 2.0)):
        scores = class_scores(np.full(40, c), stars, ordinal=True)
        np.testing.assert_allclose([scores.mae, scores.accuracy], [100 * mean, 20])
    assert class_scores(stars, stars).mae is None


def test_neighbor_measures_are_1_for_equal_spaces_and_relative_spaces() -> None:
    """These two measures are meant for relative spaces."""
    x = RNG.normal(size=(60, 7))
    turned = 3 * x @ random_orthogonal(7, RNG)
    relative = [Cosine().fit(z[:12])(z) for z in (x, turned)]
    for a, b in ((x, x), relative):
        np.testing.assert_allclose(knn_jaccard(a, b, k=5), 1.0)
        np.testing.assert_allclose(retrieval_mrr(a, b), 1.0)
    noise = RNG.normal(size=(60, 7))
    assert knn_jaccard(x, noise, k=5) < 0.3
    assert retrieval_mrr(x, noise) < 0.5


def test_class_scores_reject_wrong_shapes() -> None:
    with pytest.raises(InvalidInput, match="predicted has 3 rows and target has 2"):
        class_scores([0, 1, 1], [0, 1])
    with pytest.raises(
        InvalidInput, match="predicted must be integers, one per sample"
    ):
        class_scores(np.ones((3, 2)), [0, 1, 1])


def test_stitch_by_map_recovers_torch_feature_maps() -> None:
    torch.manual_seed(0)
    front, back = nn.Conv2d(1, 4, 3), nn.Sequential(nn.Flatten(), nn.Linear(144, 3))
    x = torch.randn(20, 1, 8, 8)
    with torch.no_grad():
        z = front(x)
        q = torch.tensor(random_orthogonal(4, RNG), dtype=torch.float32)
        other = torch.einsum("nchw,cd->ndhw", z, q) + 2
        rows = [a.movedim(1, -1).reshape(-1, 4) for a in (other, z)]
        f = fit_procrustes(*(a.numpy() for a in rows), translate=True)  # from numpy
        stitched = stitch(
            lambda x: torch.einsum("nchw,cd->ndhw", front(x), q) + 2, f, back
        )
        np.testing.assert_allclose(stitched(x), back(z), atol=1e-4)
        np.testing.assert_allclose(stitched.transformed(other), z, atol=1e-5)


def test_stitch_accepts_relative_none_and_functions() -> None:
    x = RNG.normal(size=(9, 4))
    relative = Cosine().fit(x[:3])
    np.testing.assert_array_equal(stitch(None, relative, np.asarray)(x), relative(x))
    np.testing.assert_array_equal(stitch(np.abs, None, np.asarray)(x), np.abs(x))
    np.testing.assert_array_equal(stitch(None, np.sign, np.asarray)(x), np.sign(x))
    with pytest.raises(InvalidInput, match="cosine is not fitted"):
        stitch(None, Cosine(), np.asarray)
    with pytest.raises(InvalidInput, match="decoder must be a function"):
        stitch(None, fit_affine(x, x), None)
