"""A gradient is the derivative, or there is none at all."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..measures import Measure
from ._battery import draws
from ._libraries import installed
from ._values import defined_draws, score


def check_gradients(measure: Measure) -> None:
    """Autograd agrees with finite differences of each side, and of both at once."""
    for torch in installed(("torch",)):
        if measure.domain == "points":
            slopes = [
                _check_slope(measure, torch, (draw.x, draw.y), sides, draw.name)
                for draw in defined_draws(measure, battery=1)
                for sides in ((0,), (1,), (0, 1))
            ]
            if measure.claims().differentiable:
                assert max(map(abs, slopes)) > 1e-12, "the gradient is zero everywhere"
        else:
            _check_output_slope(measure, torch)


def _check_slope(
    measure: Measure, torch: Any, pair: tuple, sides: tuple, where: str
) -> float:
    """The derivative along a random direction, checked; 0 where there is none."""
    tensors = [torch.asarray(np.array(v)) for v in pair]
    for side in sides:
        tensors[side].requires_grad_(True)  # noqa: FBT003
    rng_or_none = 0 if measure.claims().stochastic else None
    got = measure(tensors[0], tensors[1], rng=rng_or_none)
    if not _flows(measure, got):
        return 0.0
    got.backward()
    rng = np.random.default_rng(0)
    # A step that stays inside the smallest directions of the battery.
    along = [1e-3 * rng.normal(size=v.shape) * (i in sides) for i, v in enumerate(pair)]
    slope = sum(float(np.sum(tensors[i].grad.numpy() * along[i])) for i in sides)

    def at(step: float) -> float:
        return score(measure, pair[0] + step * along[0], pair[1] + step * along[1])

    expected = central_difference(at)
    assert abs(slope - expected) <= 1e-8 + 1e-4 * abs(expected), (
        f"{where}, argument {sides}: a slope of {slope!r} instead of {expected!r}"
    )
    return slope


def _check_output_slope(measure: Measure, torch: Any) -> None:
    """Through the logits of each side."""
    from ..inputs import Outputs

    draw = draws("outputs")[0]
    for side in (0, 1):
        pair = [draw.x, draw.y]

        def outputs(logits: Any, side: int = side, pair: list = pair) -> list:
            both = [
                Outputs(
                    torch.asarray(np.array(v.log_probs)),
                    targets=torch.asarray(np.array(v.targets)),
                )
                for v in pair
            ]
            both[side] = Outputs(logits.log_softmax(dim=1), targets=both[side].targets)
            return both

        logits = torch.asarray(np.array(pair[side].log_probs))
        got = measure(*outputs(logits.requires_grad_(True)))  # noqa: FBT003
        if not _flows(measure, got):
            continue
        got.backward()
        along = 1e-3 * np.random.default_rng(0).normal(size=logits.shape)
        slope = float(np.sum(logits.grad.numpy() * along))
        plain, step = logits.detach(), torch.asarray(along)

        def at(
            h: float, plain: Any = plain, step: Any = step, make: Any = outputs
        ) -> float:
            return float(measure(*make(plain + h * step)))

        expected = central_difference(at)
        assert abs(slope - expected) <= 1e-8 + 1e-4 * abs(expected), (
            f"argument {side}: a slope of {slope!r} instead of {expected!r}"
        )


def _flows(measure: Measure, got: Any) -> bool:
    """Whether the score carries a gradient, as it claims."""
    if measure.claims().differentiable:
        assert got.requires_grad, "claims a gradient, but none flows"
    else:
        assert not got.requires_grad, (
            "claims no gradient, but one flows: it may be half of the truth"
        )
    return got.requires_grad


def central_difference(at: Callable[[float], float], h: float = 1e-3) -> float:
    """Of fourth order."""
    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
