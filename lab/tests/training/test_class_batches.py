"""Class batches, and the schedule of the penalty weight."""

import numpy as np
import pytest
import torch

from similitude import InvalidInput
from similitude.topology import densification_loss
from similitude_lab.training import ClassBatches, cyclic_ramp

LABELS = np.random.default_rng(0).permutation(np.repeat([3, 5, 8], [40, 16, 25]))


def test_every_step_has_every_class_without_duplicates() -> None:
    batches = ClassBatches(LABELS, per_class=8, rng=1)
    steps = list(batches.epoch(0))
    assert len(steps) == len(batches) == 5
    for step in steps:
        for label, cloud in zip((3, 5, 8), step.classes, strict=True):
            np.testing.assert_array_equal(LABELS[cloud], label)
            assert len(set(cloud.tolist())) == 8
        assert len(set(step.unbiased.tolist())) == 8
        assert len(step.samples) == 32
        np.testing.assert_array_equal(step.samples[step.groups], step.classes)
    largest = np.concatenate([step.classes[0] for step in steps])
    assert len(set(largest.tolist())) == 40  # all of the largest class, each once


def test_epochs_are_reshuffled_and_depend_on_the_seed() -> None:
    def run(rng: int, epoch: int) -> list[list[int]]:
        steps = ClassBatches(LABELS, per_class=8, rng=rng).epoch(epoch)
        return [s.samples.tolist() for s in steps]

    assert run(1, 0) == run(1, 0)
    assert run(1, 0) != run(1, 1)
    assert run(1, 0) != run(2, 0)


def test_unbiased_draw_has_the_class_frequencies_of_the_data() -> None:
    batches = ClassBatches(LABELS, per_class=8, rng=1, unbiased=27)
    drawn = np.concatenate([s.unbiased for e in range(40) for s in batches.epoch(e)])
    shares = np.array([np.mean(LABELS[drawn] == c) for c in (3, 5, 8)])
    np.testing.assert_allclose(shares, np.array([40, 16, 25]) / 81, atol=0.02)
    none = next(iter(ClassBatches(LABELS, 8, 1, unbiased=0).epoch(0)))
    assert len(none.samples) == 24


def test_class_batches_work_with_densification_loss() -> None:
    z = torch.randn(len(LABELS), 6, requires_grad=True)
    step = next(iter(ClassBatches(torch.tensor(LABELS), 8, 0).epoch(0)))
    loss = densification_loss(z[step.samples], step.groups, 1.0)
    loss.backward()
    moved = z.grad.abs().sum(dim=1) > 0
    assert set(np.flatnonzero(moved)) == set(step.classes.ravel())
    np.testing.assert_allclose(
        loss.detach(), densification_loss(z.detach(), step.classes, 1.0)
    )


def test_class_batches_reject_wrong_inputs() -> None:
    with pytest.raises(InvalidInput, match="class 5 has 16 samples"):
        ClassBatches(LABELS, per_class=17, rng=0)
    with pytest.raises(InvalidInput, match="per_class"):
        ClassBatches(LABELS, per_class=1, rng=0)
    with pytest.raises(InvalidInput, match="unbiased=82"):
        ClassBatches(LABELS, per_class=4, rng=0, unbiased=82)
    with pytest.raises(InvalidInput, match="rng"):
        ClassBatches(LABELS, per_class=4, rng=None)
    with pytest.raises(InvalidInput, match="integers"):
        ClassBatches(LABELS / 2, per_class=4, rng=0)


def test_cyclic_ramp_rises_and_holds_in_each_cycle() -> None:
    weights = np.array([cyclic_ramp(s, 400, peak=0.02) for s in range(400)])
    np.testing.assert_allclose(weights[:75], 0.02 * np.arange(75) / 75)
    np.testing.assert_array_equal(weights[75:100], 0.02)
    for cycle in range(1, 4):
        np.testing.assert_allclose(
            weights[100 * cycle :][:100], weights[:100], atol=1e-15
        )
    assert cyclic_ramp(0, 10, peak=0.5, ramp=0.0) == 0.5
    for wrong in ({"step": 10}, {"ramp": 2.0}, {"peak": -1.0}, {"cycles": 0}):
        with pytest.raises(InvalidInput):
            cyclic_ramp(**({"step": 0, "steps": 10, "peak": 1.0} | wrong))
