"""Validation of the two arguments of a measure, for each of the three domains."""

from typing import Any

import numpy as np

from .. import _array, _validate
from ..errors import InvalidInput
from ._frames import frame_parts, is_frame
from ._outputs import outputs
from ._softmax_model import SoftmaxModel


def admit(domain: str, x: Any, y: Any, *, paired: bool = True) -> tuple[Any, Any]:
    """Validate both arguments of a measure of this domain.

    If `paired` is false, the two may have different stimuli and numbers of stimuli.
    """
    if domain == "points":
        if is_frame(x) or is_frame(y):
            x, y = _values_of_frames(x, y, paired=paired)
        return _validate.pair(x, y, paired=paired)
    if domain == "outputs":
        p, q = outputs(x, "x"), outputs(y, "y")
        _validate.check_same_library(p.labels, q.labels)
        if not paired:
            return p, q
        _validate.check_same_rows(p.n, q.n)
        if p.targets is not None and q.targets is not None:
            xp = _array.namespace(p.targets, q.targets)
            if bool(xp.any(p.targets != q.targets)):
                raise InvalidInput(
                    "x and y have different targets. Rows must be the same stimuli in "
                    "the same order."
                )
        return p, q
    for name, value in (("x", x), ("y", y)):
        if not isinstance(value, SoftmaxModel):
            raise InvalidInput(
                f"{name} must be a SoftmaxModel(embeddings, unembeddings); got "
                f"{type(value).__name__}."
            )
    _check_comparable(x, y)
    return x, y


def _values_of_frames(x: Any, y: Any, *, paired: bool) -> tuple[Any, Any]:
    """The numbers of data frames, which must have the same sample ids in one order."""
    values, ids = [], []
    for name, value in (("x", x), ("y", y)):
        parts = frame_parts(value, name) if is_frame(value) else None
        values.append(value if parts is None else parts.values)
        ids.append(None if parts is None else parts.ids)
    if paired and ids[0] is not None and ids[1] is not None:
        same_length = len(ids[0]) == len(ids[1])  # otherwise another error follows
        if same_length and ids[0].tolist() != ids[1].tolist():
            raise InvalidInput(
                "x and y have different sample ids (index or column id), or the same "
                "ones in another order. Reorder the rows, or use similitude.compare, "
                "which joins rows by id."
            )
    return values[0], values[1]


def _check_comparable(x: SoftmaxModel, y: SoftmaxModel) -> None:
    """Check that both models have the same inputs, labels and array library."""
    _validate.check_same_library(x.embeddings, y.embeddings)
    _validate.check_same_rows(x.embeddings.shape[0], y.embeddings.shape[0])
    labels = x.unembeddings.shape[0], y.unembeddings.shape[0]
    if labels[0] != labels[1]:
        raise InvalidInput(
            f"x has {labels[0]} labels and y has {labels[1]}. Unembeddings must be of "
            f"the same labels in the same order; select the common labels in both."
        )
    if x.candidates is y.candidates is None:
        return
    if np.setxor1d(x.labels, y.labels).size:
        raise InvalidInput(
            "x and y have different candidates. Their probabilities must be over the "
            "same labels; give both the same candidates."
        )
