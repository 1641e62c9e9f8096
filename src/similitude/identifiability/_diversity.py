"""The diversity condition: enough labels and inputs in general position."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..inputs import SoftmaxModel
from ._coordinates import centered
from ._pair import chosen_set, noise_of, paired


@dataclass(frozen=True)
class Spread:
    """How far from singular a square matrix is.

    Attributes
    ----------
    rank
        Numerical rank, to the precision in which the representations are stored.
    dimension
        M: what the rank should be.
    ratio
        Smallest singular value over the sum of all.
    condition
        Largest singular value over the smallest; infinite where that is 0.
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
    """The two sides of one model on chosen labels and inputs.

    Attributes
    ----------
    labels
        Of L, with columns g(y_i) - g(y_0).
    inputs
        Of N, with columns f(x_i) - f(x_0).
    label_rank, input_rank
        Over all candidates, and over all inputs: M if some choice is diverse.
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
        """Whether it is diverse on some labels and inputs."""
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
    """Whether a model (or each of two) is diverse, and on which labels and inputs.

    A model is diverse for g if there are labels y_0, ..., y_M such that the M vectors
    g(y_i) - g(y_0) are linearly independent, and for f likewise with inputs. Then
    equal distributions mean linearly related representations.

    Parameters
    ----------
    p
        A `SoftmaxModel`.
    q
        A second one of the same inputs, labels and M, to be judged on the same sets.
    labels, inputs
        M + 1 indices each, the pivot first. By default they are chosen: one after the
        other, the one that is farthest out of the span of those before, in both models
        at once. The choice is the same for equivalent models.

    Returns
    -------
    Diversity
        It reports and does not raise: `satisfied` says whether the condition holds.

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
    size, every = pair.dimension + 1, np.arange(pair.n)
    if labels is None:
        rows = [model.g[pair.labels] for model in models]
        chosen = pair.labels[_choose(rows, size, "labels")]
    else:
        chosen = chosen_set(labels, pair.labels, size, "labels")
    if inputs is None:
        at = every[_choose([model.f for model in models], size, "inputs")]
    else:
        at = chosen_set(inputs, every, size, "inputs")
    reports = [_of_model(model, pair.labels, chosen, at) for model in models]
    return Diversity(
        tuple(chosen.tolist()),
        tuple(at.tolist()),
        reports[0],
        reports[1] if len(reports) == 2 else None,
    )


def spread(matrix: np.ndarray, noise: Any) -> Spread:
    """Of a matrix whose entries are known to about `noise`."""
    s = np.linalg.svd(matrix, compute_uv=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = s[0] / s[-1] if s[-1] > 0 else np.inf
        ratio = s[-1] / s.sum() if s[0] > 0 else 0.0
    rank = int(np.count_nonzero(s > noise))
    return Spread(rank, matrix.shape[1], float(ratio), float(condition))


def _of_model(
    model: SoftmaxModel, candidates: np.ndarray, labels: np.ndarray, inputs: np.ndarray
) -> ModelDiversity:
    parts = []
    for rows, chosen, every in (
        (model.g, labels, candidates),
        (model.f, inputs, slice(None)),
    ):
        picked = spread(
            rows[chosen[1:]] - rows[chosen[0]], noise_of(rows[chosen], model.eps)
        )
        whole = spread(centered(rows[every]), noise_of(rows[every], model.eps))
        parts.append((picked, whole.rank))
    (of_labels, label_rank), (of_inputs, input_rank) = parts
    return ModelDiversity(of_labels, of_inputs, label_rank, input_rank)


def _choose(sides: list[np.ndarray], size: int, name: str) -> np.ndarray:
    """Rows in general position on every side, greedily, the pivot first.

    In orthonormal coordinates of each side, so that no linear map changes the choice.
    The pivot is the row farthest from the middle; then always the row farthest from
    the affine span of those that are in, by the product of the distances.
    """
    count = sides[0].shape[0]
    if count < size:
        raise InvalidInput(
            f"there are {count} {name}; a choice of M + 1 = {size} needs at least that."
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
