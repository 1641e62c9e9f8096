"""Validation of the two arguments of a measure, for each of the three domains."""

from typing import Any

import numpy as np

from .._base import _array, _validate
from ..errors import InvalidInput
from ._frames import frame_parts, is_frame
from ._outputs import outputs
from ._softmax_model import SoftmaxModel, check_softmax_model


def admit(domain: str, x: Any, y: Any, *, paired: bool = True) -> tuple[Any, Any]:
    """Validate both arguments of a measure of this domain.

    If `paired` is false, the two may have different stimuli and numbers of stimuli.
    """
    x, y = _values(x, y, paired=paired)
    if domain == "points":
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
    check_softmax_model(x, "x")
    check_softmax_model(y, "y")
    _check_comparable(x, y)
    return x, y


def _values(x: Any, y: Any, *, paired: bool) -> tuple[Any, Any]:
    """The values of both; their sample ids, if any, must agree and have one order."""
    (x, x_ids), (y, y_ids) = _with_ids(x, "x"), _with_ids(y, "y")
    if paired and x_ids is not None and y_ids is not None:
        same_length = len(x_ids) == len(y_ids)  # otherwise another error follows
        if same_length and x_ids.tolist() != y_ids.tolist():
            raise InvalidInput(
                "x and y have different sample ids, or the same ones in another order. "
                "Reorder the rows, or use similitude.compare, which joins rows by id."
            )
    return x, y


def _with_ids(value: Any, name: str) -> tuple[Any, Any]:
    """The values and sample ids of a data frame or a `Representation`.

    A `Representation` is in a higher layer, so it is recognized by its attributes.
    """
    if hasattr(value, "domain") and hasattr(value, "load"):
        return value.load(), value.ids
    if is_frame(value):
        parts = frame_parts(value, name)
        return parts.values, parts.ids
    return value, None


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
