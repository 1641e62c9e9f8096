"""Topological densification as a penalty: classes that are connected at scale beta."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from ..._validate import check_at_least, check_not_negative, check_positive
from ...errors import InvalidInput
from ...topology import consistent_densification_loss
from ..densification import ClassBatches, cyclic_ramp
from ._recipe import Recipe
from ._steps import Stage


@dataclass(frozen=True, kw_only=True)
class Densification:
    r"""The penalty and the batches that go with it, for `fine_tune`.

    .. math::

        \lambda_t \, (w_1 \ell_\beta(\mathrm{pre}) + w_2 \ell_\beta(\mathrm{post}))

    the same beta before and after the relative layer ("consistent"). Pass its methods:
    ``fine_tune(..., penalty=d.penalty, sampler=d.sampler)``.

    Attributes
    ----------
    beta
        The scale at which classes are asked to be connected.
        `similitude.topology.suggest_beta` proposes some.
    weight
        :math:`\lambda` at its highest; it rises from 0 in each of `cycles` cycles, for
        the share `ramp` of them, and then holds.
    per_class
        Samples of each class in a step; all classes are in every step.
    unbiased
        Samples drawn from all, which the loss of the task sees and the penalty does
        not; as many as `per_class` if left out.
    weights
        :math:`w_1, w_2`: of the rows before and after the relative layer.
    metric
        Of the distances between rows, in both places.
    apart
        Each class is a forward pass of its own, and so is the draw: for encoders that
        have no room for all at once. Then ``recipe.accumulate`` must be the number of
        classes, and one more for the draw. The gradient is the same, except where the
        transform (``stats="batch"``) or the encoder (BatchNorm) takes statistics from
        the batch, which would then be those of a single class.

    References
    ----------
    garciacastellanos2024relative, hofer2020topologically

    Examples
    --------
    >>> d = Densification(beta=3.0, per_class=2, unbiased=0)
    >>> labels = np.array([0, 0, 0, 0, 1, 1])
    >>> passes = d.sampler(labels, Recipe(), np.random.default_rng(0))
    >>> [labels[rows].tolist() for rows in passes]
    [[0, 0, 1, 1], [0, 0, 1, 1]]
    """

    beta: float
    weight: float = 0.02
    per_class: int = 16
    unbiased: int | None = None
    weights: tuple[float, float] = (0.1, 0.9)
    cycles: int = 4
    ramp: float = 0.75
    metric: Literal["euclidean", "l1", "linf"] = "euclidean"
    apart: bool = False

    def __post_init__(self) -> None:
        check_positive("beta", self.beta)
        check_not_negative("weight", self.weight)
        check_at_least("per_class", self.per_class, 2)
        check_at_least("unbiased", self._drawn, 0)

    @property
    def _drawn(self) -> int:
        return self.per_class if self.unbiased is None else self.unbiased

    def sampler(
        self, labels: np.ndarray, recipe: Recipe, rng: np.random.Generator
    ) -> Sequence[np.ndarray]:
        """The forward passes of an epoch: classes first, the draw last."""
        batches = ClassBatches(labels, self.per_class, rng, self._drawn)
        if not self.apart:
            return [step.samples for step in batches.epoch(0)]
        needed = len(batches.classes) + (self._drawn > 0)
        if recipe.accumulate != needed:
            raise InvalidInput(
                f"accumulate={recipe.accumulate}; with apart=True a step has {needed} "
                f"forward passes, one for each class and one for the draw."
            )
        return [
            rows
            for step in batches.epoch(0)
            for rows in (*step.classes, step.unbiased)
            if len(rows)
        ]

    def penalty(self, stage: Stage) -> Tensor:
        weight = cyclic_ramp(
            stage.step,
            stage.total,
            peak=self.weight,
            cycles=self.cycles,
            ramp=self.ramp,
        )
        classes = len(stage.labels) - (0 if self.apart else self._drawn)
        draw = self.apart and self._drawn > 0 and stage.number == stage.passes - 1
        if weight == 0 or draw:
            return torch.zeros((), dtype=stage.pre.dtype, device=stage.pre.device)
        groups = np.arange(classes).reshape(-1, self.per_class)
        loss = consistent_densification_loss(
            stage.pre,
            stage.post,
            groups,
            self.beta,
            weights=self.weights,
            metric=self.metric,
        )
        return weight * self._share(stage) * loss

    def _share(self, stage: Stage) -> float:
        """Passes are averaged by their samples; the loss is a mean over classes."""
        if not self.apart:
            return 1.0
        classes = stage.passes - (self._drawn > 0)
        return 1.0 + self._drawn / (classes * self.per_class)
