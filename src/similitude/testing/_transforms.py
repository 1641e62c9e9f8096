"""Random transformations of points and softmax models."""

from dataclasses import replace
from typing import Any

import numpy as np

from ..inputs import SoftmaxModel
from ..transformations import Group, sample_element


def transformed(group: Group, x: Any, rng: np.random.Generator) -> Any:
    """Transform `x` by a random element; `Group` defines this for softmax models."""
    softmax = isinstance(x, SoftmaxModel)
    d = (x.embeddings if softmax else x).shape[1]
    element = sample_element((group,), d, rng, spread=2.5)
    if not softmax:
        return element(x)
    if group is Group.ROW_SCALE:
        return replace(x, embeddings=element(x.embeddings))
    if group in (Group.CONSTANT_SHIFT, Group.TRANSLATION):
        return replace(x, unembeddings=element(x.unembeddings))
    return replace(
        x,
        embeddings=x.embeddings @ element.matrix,
        unembeddings=x.unembeddings @ np.linalg.inv(element.matrix).T,
    )
