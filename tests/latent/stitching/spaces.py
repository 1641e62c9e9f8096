"""Classes in sixteen dimensions, and the same rows after a group element."""

import numpy as np

from similitude import transformations
from similitude.latent.stitching import Embeddings, StitchingData

RNG = np.random.default_rng(17)
D, CLASSES, N = 16, 8, 900
LABELS = np.arange(N) % CLASSES
CENTERS = RNG.normal(size=(CLASSES, D))
# Coordinates have different scales, as in real data. With isotropic rows the robust
# transform would equal the centered cosine, and a rotation would not lose accuracy.
X = (CENTERS[LABELS] + RNG.normal(size=(N, D))) * np.geomspace(0.2, 5, D)
TRAIN, TEST, ANCHORS = slice(0, 300), slice(300, 800), slice(800, 900)
DATA = StitchingData(LABELS[TRAIN], LABELS[TEST])


def rows(z: np.ndarray) -> Embeddings:
    return Embeddings(z[TRAIN], z[TEST], z[ANCHORS])


def planted(groups: tuple[str, ...]) -> dict[str, Embeddings]:
    g = transformations.sample_element(groups, D, np.random.default_rng(0))
    return {"one": rows(X), "two": rows(g(X) + (3.0 if "translation" in groups else 0))}
