"""The diversity condition: enough labels and inputs in general position."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..inputs import SoftmaxModel
from ._coordinates import centered
from ._pair import chosen_set, noise_level, paired


@dataclass(frozen=True)
class Spread:
    """How far from singular a square matrix is.

    Attributes
    ----------
    rank
        Numerical rank, given the precision in which the representations are stored.
    dimension
        M, the full rank.
    ratio
        Smallest singular value divided by the sum of all.
    condition
        Largest singular value divided by the smallest; infinite if the smallest is 0.
    """

    rank: int
    dimension: int
    ratio: float
    condition: float

    @property
    def full(self) -> bool:
        return self.rank == self.dimension


@dataclass(frozen=True)
class ModelDiversity:
    """Diversity of one model on chosen labels and inputs.

    Attributes
    ----------
    labels
        `Spread` of L, with columns g(y_i) - g(y_0).
    inputs
        `Spread` of N, with columns f(x_i) - f(x_0).
    label_rank, input_rank
        Rank over all candidates, and over all inputs. It is M if some choice is
        diverse.
    """

    labels: Spread
    inputs: Spread
    label_rank: int
    input_rank: int

    @property
    def satisfied(self) -> bool:
        """Whether the model is diverse on the chosen labels and inputs."""
        return self.labels.full and self.inputs.full

    @property
    def possible(self) -> bool:
        """Whether the model is diverse on at least one choice of labels and inputs."""
        m = self.labels.dimension
        return self.label_rank == m and self.input_rank == m


@dataclass(frozen=True)
class Diversity:
    """Chosen labels and inputs, pivots first, and how diverse each model is on them."""

    labels: tuple[int, ...]
    inputs: tuple[int, ...]
    p: ModelDiversity
    q: ModelDiversity | None

    @property
    def satisfied(self) -> bool:
        return all(m.satisfied for m in (self.p, self.q) if m is not None)


def diversity(
    p: Any, q: Any = None, *, labels: Any = None, inputs: Any = None
) -> Diversity:
    """Check the diversity of one or two models, on chosen labels and inputs.

    A model is diverse for g if there are labels y_0, ..., y_M such that the M vectors
    g(y_i) - g(y_0) are linearly independent. It is diverse for f if the same holds for
    inputs. If two models are diverse and have equal distributions, their
    representations are linearly related.

    Parameters
    ----------
    p
        A `SoftmaxModel`.
    q
        A second model with the same inputs, labels and M, checked on the same sets.
    labels, inputs
        M + 1 indices each, the pivot first. By default they are chosen greedily: each
        one is the farthest from the span of the previous ones, in both models jointly.
        The choice is the same for equivalent models.

    Returns
    -------
    Diversity
        `satisfied` says whether the condition holds. The function does not raise if
        the condition fails.

    Examples
    --------
    >>> import numpy as np
    >>> f = np.random.default_rng(0).normal(size=(50, 2))
    >>> line = [[0.0, 1.0], [1.0, 2.0], [2.0, 3.0], [3.0, 4.0]]  # g on a line
    >>> report = diversity(SoftmaxModel(f, line))
    >>> report.satisfied, report.p.label_rank, report.p.input_rank
    (False, 1, 2)
    """
    pair = paired(p, p if q is None else q)
    models = (p,) if q is None else (p, q)
    size, all_inputs = pair.dimension + 1, np.arange(pair.n)
    if labels is None:
        rows = [model.g[pair.labels] for model in models]
        y = pair.labels[_choose(rows, size, "labels")]
    else:
        y = chosen_set(labels, pair.labels, size, "labels")
    if inputs is None:
        x = all_inputs[_choose([model.f for model in models], size, "inputs")]
    else:
        x = chosen_set(inputs, all_inputs, size, "inputs")
    reports = [_model_diversity(model, pair.labels, y, x) for model in models]
    return Diversity(
        tuple(y.tolist()),
        tuple(x.tolist()),
        reports[0],
        reports[1] if len(reports) == 2 else None,
    )


def spread(matrix: np.ndarray, noise: Any) -> Spread:
    """`Spread` of a matrix; singular values up to `noise` count as 0."""
    s = np.linalg.svd(matrix, compute_uv=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = s[0] / s[-1] if s[-1] > 0 else np.inf
        ratio = s[-1] / s.sum() if s[0] > 0 else 0.0
    rank = int(np.count_nonzero(s > noise))
    return Spread(rank, matrix.shape[1], float(ratio), float(condition))


def _model_diversity(
    model: SoftmaxModel, candidates: np.ndarray, labels: np.ndarray, inputs: np.ndarray
) -> ModelDiversity:
    parts = []
    for rows, chosen, available in (
        (model.g, labels, candidates),
        (model.f, inputs, slice(None)),
    ):
        picked = spread(
            rows[chosen[1:]] - rows[chosen[0]], noise_level(rows[chosen], model.eps)
        )
        whole = spread(
            centered(rows[available]), noise_level(rows[available], model.eps)
        )
        parts.append((picked, whole.rank))
    (label_spread, label_rank), (input_spread, input_rank) = parts
    return ModelDiversity(label_spread, input_spread, label_rank, input_rank)


def _choose(sides: list[np.ndarray], size: int, name: str) -> np.ndarray:
    """Greedy choice of rows in general position in every model, the pivot first.

    The pivot is the row farthest from the mean. Each further row is the one farthest
    from the affine span of the chosen rows. Distances are multiplied over models. They
    are measured in orthonormal coordinates, so linear maps do not change the choice.
    """
    count = sides[0].shape[0]
    if count < size:
        raise InvalidInput(
            f"there are {count} {name}; diversity needs at least M + 1 = {size}."
        )
    left = [np.linalg.svd(centered(rows), full_matrices=False)[0] for rows in sides]
    picked: list[int] = []
    free = np.ones(count, dtype=bool)
    for step in range(size):
        far = np.prod([np.linalg.norm(rows, axis=1) for rows in left], axis=0)
        best = int(np.where(free, far, -1.0).argmax())
        picked.append(best)
        free[best] = False
        if step == 0:
            left = [rows - rows[best] for rows in left]
            continue
        for i, rows in enumerate(left):
            length = np.linalg.norm(rows[best])
            if length > 0:
                unit = rows[best] / length
                left[i] = rows - np.outer(rows @ unit, unit)
    return np.asarray(picked)
