"""Conditions that select rows of the table."""

from collections.abc import Callable, Sequence

import numpy as np

from similitude.engine import Row

Question = Callable[[Row], bool]


def architectures(row: Row) -> tuple[str, ...]:
    """Architectures of both models, from names such as mlp-0."""
    return tuple(str(model).split("-")[0] for model in (row.a_model, row.b_model))


def other_seed(row: Row) -> bool:
    """Same architecture, same layer, another seed."""
    a, b = architectures(row)
    return a == b and row.a_layer == row.b_layer and row.a_model != row.b_model


def other_architecture(row: Row) -> bool:
    """Same layer, different architecture."""
    a, b = architectures(row)
    return a != b and row.a_layer == row.b_layer


def within_classes(
    rows: Sequence[Row], measure: str, select: Callable[[Row], bool]
) -> np.ndarray:
    """Scores without the means of the classes."""
    chosen = (row for row in rows if row.measure == measure and select(row))
    return np.array(
        [row.baselines["within"] for row in chosen if "within" in row.baselines]
    )


def first_and_last(row: Row) -> bool:
    """First and last layer of two networks of one architecture, different seeds."""
    a, b = architectures(row)
    ends = {row.a_layer, row.b_layer} == {"layer1", "logits"}
    return a == b and ends and row.a_model != row.b_model


def of_layer(layer: str) -> Question:
    return lambda row: other_seed(row) and row.a_layer == layer


def of_mlps(question: Question) -> Question:
    return lambda row: question(row) and architectures(row)[0] == "mlp"


def values(rows: Sequence[Row], measure: str, question: Question) -> np.ndarray:
    """Scores of one measure for the selected pairs."""
    chosen = (row for row in rows if row.measure == measure and question(row))
    return np.array([row.score for row in chosen if row.score is not None])


def before_training(
    rows: Sequence[Row], measure: str, question: Question
) -> np.ndarray:
    """Scores of the untrained twins of the selected pairs."""
    chosen = (row for row in rows if row.measure == measure and question(row))
    found = (row.baselines.get("untrained") for row in chosen)
    return np.array([score for score in found if score is not None])
