"""Scores of predicted classes, in percent as in printed tables."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._base._validate import integer_labels
from ...errors import InvalidInput


@dataclass(frozen=True)
class ClassScores:
    """Accuracy, weighted F1 and mean absolute error, all times 100.

    `mae` treats classes as numbers on a scale (stars of a review). It is None if the
    classes are only names.
    """

    accuracy: float
    f1: float
    mae: float | None


def class_scores(predicted: Any, target: Any, *, ordinal: bool = False) -> ClassScores:
    r"""Score predicted classes against the true classes.

    Weighted F1 is :math:`\sum_c n_c F_c / n` with
    :math:`F_c = 2 TP_c / (2 TP_c + FP_c + FN_c)`, where :math:`n_c` counts the true
    members of class c.

    Parameters
    ----------
    predicted, target
        n integers each.
    ordinal
        Classes are points on a scale; also compute the mean absolute error.

    Examples
    --------
    >>> class_scores([0, 1, 1, 1], [0, 1, 1, 3], ordinal=True)
    ClassScores(accuracy=75.0, f1=65.0, mae=50.0)
    """
    guess = integer_labels(predicted, "predicted", "iub")
    truth = integer_labels(target, "target", "iub")
    if len(guess) != len(truth):
        raise InvalidInput(
            f"predicted has {len(guess)} rows and target has {len(truth)}; give one "
            f"of each per row."
        )
    names, codes = np.unique(np.concatenate([truth, guess]), return_inverse=True)
    truth_codes, guess_codes = codes[: len(truth)], codes[len(truth) :]
    members = np.bincount(truth_codes, minlength=len(names))
    predictions = np.bincount(guess_codes, minlength=len(names))
    correct = truth_codes == guess_codes
    hits = np.bincount(truth_codes[correct], minlength=len(names))
    f1 = 2.0 * hits / (members + predictions)  # 2 TP + FP + FN, never 0 here
    return ClassScores(
        accuracy=100.0 * float(correct.mean()),
        f1=100.0 * float((members * f1).sum() / len(truth)),
        mae=100.0 * float(np.abs(guess - truth).mean()) if ordinal else None,
    )
