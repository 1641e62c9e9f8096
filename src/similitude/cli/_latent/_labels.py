"""Classes of stimuli, from the labels that a user gave."""

import numpy as np

from ...errors import InvalidInput


def classes(values: np.ndarray, *, ordinal: bool) -> np.ndarray:
    """Classes as integers; class names are numbered in sorted order."""
    if values.dtype.kind == "f" and (values == np.round(values)).all():
        values = values.astype(np.int64)
    if values.dtype.kind in "iu":
        return values.astype(np.int64)
    if values.dtype.kind == "f" or ordinal:
        raise InvalidInput(f"--labels: {values[0]} is not a class; use integers.")
    return np.unique(values, return_inverse=True)[1]
