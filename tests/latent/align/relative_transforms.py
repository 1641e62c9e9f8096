"""Every relative transform with its options, and rows for them."""

from typing import Any

import numpy as np

from similitude.latent.align import relative
from similitude.latent.align.relative import TRANSFORMS, Euclidean, Robust

RNG = np.random.default_rng(11)
D, K = 6, 9
X = RNG.normal(size=(40, D)) + 0.3
A = X[:K]
TRAIN = RNG.normal(size=(200, D)) * np.arange(1, D + 1) + 0.2


def options(**more: Any) -> dict[str, Any]:
    """All transforms, with the options that change their invariances."""
    made = {name: record() for name, record in TRANSFORMS.items()}
    made["sparse_cosine"] = relative.SparseCosine(keep=4, power=2.0)
    for stats in ("batch", "train"):
        made[f"robust {stats}"] = Robust(stats=stats)
        made[f"centered {stats}"] = relative.CenteredCosine(stats=stats)
    made["robust eps"] = Robust(eps=1e-5)
    made["whitened train"] = relative.WhitenedCosine(stats="train")
    made["whitened shrunk"] = relative.WhitenedCosine(shrinkage=0.1)
    made["sum"] = relative.Product(aggregate="sum")
    made["product robust"] = relative.Product(
        parts=(Robust(stats="train"), Euclidean(normalize="columns"))
    )
    for how in ("l2", "layer", "columns"):
        made[f"euclidean {how}"] = Euclidean(normalize=how)
        made[f"inner {how}"] = relative.Inner(normalize=how)
        made[f"product {how}"] = relative.Product(normalize=how)
    return made


ALL = options()


def fit(transform: relative.Relative, anchors: Any, train: Any) -> relative.Fitted:
    return transform.fit(anchors, train if transform.takes_reference else None)


def anchors_for(transform: relative.Relative) -> np.ndarray:
    """Anchors for a transform; a basis needs as many anchors as dimensions."""
    return A[:D] if transform.name == "change_of_basis" else A
