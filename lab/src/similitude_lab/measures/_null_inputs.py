"""Two independent inputs of noise, of the kind that a measure compares."""

from typing import Any

import numpy as np
from scipy.special import log_softmax

from similitude.errors import InvalidInput
from similitude.inputs import Outputs, SoftmaxModel


def independent(
    domain: str, n: int, d: int, rng: np.random.Generator
) -> tuple[Any, Any]:
    """Two inputs with n rows that have nothing in common.

    Parameters
    ----------
    domain
        "points": two Gaussian arrays with d columns. "outputs": the outputs of two
        classifiers with d classes and random true labels. "softmax": embeddings and
        unembeddings in d dimensions, with d + 3 labels.
    """
    if domain == "points":
        return rng.normal(size=(n, d)), rng.normal(size=(n, d))
    if domain == "outputs":
        targets = rng.integers(d, size=n)
        logits = [rng.normal(size=(n, d)) for _ in range(2)]
        first, second = (
            Outputs(log_softmax(z, axis=1), z.argmax(axis=1), targets) for z in logits
        )
        return first, second
    if domain == "softmax":
        shapes = (n, d), (d + 3, d)
        f, g, other_f, other_g = (rng.normal(size=shape) for shape in shapes * 2)
        return SoftmaxModel(f, g), SoftmaxModel(other_f, other_g)
    raise InvalidInput(f"there is no noise of the kind {domain!r}.")
