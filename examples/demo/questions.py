"""Which rows of the table a question is about."""

from collections.abc import Callable, Sequence

import numpy as np

from similitude.engine import Row

Question = Callable[[Row], bool]


def architectures(row: Row) -> tuple[str, ...]:
    """Of both sides: models are called as mlp-0."""
    return tuple(str(model).split("-")[0] for model in (row.a_model, row.b_model))


def other_seed(row: Row) -> bool:
    """Same architecture, same layer, another seed."""
    a, b = architectures(row)
    return a == b and row.a_layer == row.b_layer and row.a_model != row.b_model


def other_architecture(row: Row) -> bool:
    """Same depth, the other architecture."""
    a, b = architectures(row)
    return a != b and row.a_layer == row.b_layer


def first_and_last(row: Row) -> bool:
    """The two ends of networks of one architecture with other seeds."""
    a, b = architectures(row)
    ends = {row.a_layer, row.b_layer} == {"one", "logits"}
    return a == b and ends and row.a_model != row.b_model


def of_layer(layer: str) -> Question:
    return lambda row: other_seed(row) and row.a_layer == layer


def of_mlps(question: Question) -> Question:
    return lambda row: question(row) and architectures(row)[0] == "mlp"


def values(rows: Sequence[Row], measure: str, question: Question) -> np.ndarray:
    """Scores of one measure for the pairs that a question is about."""
    chosen = (row for row in rows if row.measure == measure and question(row))
    return np.array([row.score for row in chosen if row.score is not None])


def before_training(
    rows: Sequence[Row], measure: str, question: Question
) -> np.ndarray:
    """What the untrained twins of those pairs score."""
    chosen = (row for row in rows if row.measure == measure and question(row))
    found = (row.baselines.get("untrained") for row in chosen)
    return np.array([score for score in found if score is not None])
