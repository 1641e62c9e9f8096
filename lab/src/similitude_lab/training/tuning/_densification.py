"""Topological densification as a penalty: it connects classes at scale beta."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from similitude.errors import InvalidInput
from similitude.plugins import check_at_least, check_not_negative, check_positive
from similitude.topology import consistent_densification_loss

from .._class_batches import ClassBatches, cyclic_ramp
from ._recipe import Recipe
from ._steps import Stage


@dataclass(frozen=True, kw_only=True)
class Densification:
    r"""Densification penalty and its batches, for `fine_tune`.

    .. math::

        \lambda_t \, (w_1 \ell_\beta(\mathrm{pre}) + w_2 \ell_\beta(\mathrm{post}))

    with the same beta before and after the relative layer ("consistent"). Pass its
    methods: ``fine_tune(..., penalty=d.penalty, sampler=d.sampler)``.

    Attributes
    ----------
    beta
        Scale at which classes should be connected.
        `similitude.topology.suggest_beta` proposes values.
    weight
        Highest :math:`\lambda`. In each of `cycles` cycles it rises from 0 during the
        fraction `ramp` of the cycle, and then holds.
    per_class
        Samples of each class in a step; every step contains all classes.
    unbiased
        Number of samples drawn from all samples, for the task loss only and not for
        the penalty; `per_class` by default.
    weights
        :math:`w_1, w_2`: weights of the losses before and after the relative layer.
    metric
        Distance between rows, before and after the relative layer.
    apart
        Use one forward pass per class and one for the draw, if a whole step does not
        fit into memory. ``recipe.accumulate`` must then be the number of classes, plus
        one for the draw. The gradient is the same unless the transform
        (``stats="batch"``) or the encoder (BatchNorm) uses batch statistics: these
        would then come from a single class.

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
        check_at_least("unbiased", self._n_unbiased, 0)

    @property
    def _n_unbiased(self) -> int:
        return self.per_class if self.unbiased is None else self.unbiased

    def sampler(
        self, labels: np.ndarray, recipe: Recipe, rng: np.random.Generator
    ) -> Sequence[np.ndarray]:
        """Return the forward passes of an epoch: classes first, the draw last."""
        batches = ClassBatches(labels, self.per_class, rng, self._n_unbiased)
        if not self.apart:
            return [step.samples for step in batches.epoch(0)]
        needed = len(batches.classes) + (self._n_unbiased > 0)
        if recipe.accumulate != needed:
            raise InvalidInput(
                f"accumulate={recipe.accumulate}; set it to {needed}, because with "
                f"apart=True a step has one forward pass per class and one for the "
                f"draw."
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
        classes = len(stage.labels) - (0 if self.apart else self._n_unbiased)
        last_pass = stage.number == stage.passes - 1
        is_draw = self.apart and self._n_unbiased > 0 and last_pass
        if weight == 0 or is_draw:
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
        return weight * self._pass_weight(stage) * loss

    def _pass_weight(self, stage: Stage) -> float:
        """Correct for the average over samples; the loss is a mean over classes."""
        if not self.apart:
            return 1.0
        classes = stage.passes - (self._n_unbiased > 0)
        return 1.0 + self._n_unbiased / (classes * self.per_class)
