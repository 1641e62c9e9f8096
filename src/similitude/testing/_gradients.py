"""Checks of gradients: exact, or absent if the measure does not claim them."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np

from ..inputs import Outputs
from ..measures import Measure
from ._battery import Draw, convert, draws
from ._libraries import installed
from ._values import called, defined_draws, score


def check_gradients(measure: Measure) -> None:
    """Autograd agrees with finite differences, for each side and for both."""
    for torch in installed(("torch",)):
        if measure.domain == "points":
            slopes = [
                _check_slope(measure, torch, (draw.x, draw.y), sides, draw.name)
                for draw in defined_draws(measure, battery=1)
                for sides in ((0,), (1,), (0, 1))
            ]
            if measure.claims().differentiable:
                assert max(map(abs, slopes)) > 1e-12, "the gradient is zero everywhere"
        elif measure.domain == "softmax":
            _check_model_slope(measure, torch)
        else:
            _check_output_slope(measure, torch)


def _check_slope(
    measure: Measure, torch: Any, pair: tuple, sides: tuple, where: str
) -> float:
    """Check the derivative along a random direction; return it, or 0 if absent."""
    tensors = [torch.asarray(np.array(v)) for v in pair]
    for side in sides:
        tensors[side].requires_grad_(True)  # noqa: FBT003
    got = called(measure, *tensors)
    if not _has_gradient(measure, got):
        return 0.0
    got.backward()
    rng = np.random.default_rng(0)
    # A step that is smaller than the smallest directions of the battery.
    along = [1e-3 * rng.normal(size=v.shape) * (i in sides) for i, v in enumerate(pair)]
    slope = sum(float(np.sum(tensors[i].grad.numpy() * along[i])) for i in sides)

    values = [
        score(measure, pair[0] + h * along[0], pair[1] + h * along[1]) for h in STEPS
    ]
    _check_derivative(slope, values, f"{where}, argument {sides}")
    return slope


def _check_output_slope(measure: Measure, torch: Any) -> None:
    """Check the derivative with respect to the logits of each side."""
    draw = draws("outputs")[0]
    for side in (0, 1):
        start = torch.asarray(np.array((draw.x, draw.y)[side].log_probs))
        logits = start.clone().requires_grad_(True)  # noqa: FBT003
        got = measure(*_with_logits(torch, draw, side, logits))
        if not _has_gradient(measure, got):
            continue
        got.backward()
        along = torch.asarray(1e-3 * np.random.default_rng(0).normal(size=start.shape))
        _check_derivative(
            float((logits.grad * along).sum()),
            [
                float(measure(*_with_logits(torch, draw, side, start + h * along)))
                for h in STEPS
            ],
            f"argument {side}",
        )


def _check_model_slope(measure: Measure, torch: Any) -> None:
    """Check the derivatives with respect to embeddings and unembeddings."""
    draw = draws("softmax")[0]
    rng = np.random.default_rng(0)
    for side, name in itertools.product((0, 1), ("embeddings", "unembeddings")):
        models = [convert(v, torch) for v in (draw.x, draw.y)]
        start = getattr(models[side], name)

        def at(values: Any, models: list, side: int, name: str) -> Any:
            changed = replace(models[side], **{name: values})
            x, y = (changed, models[1]) if side == 0 else (models[0], changed)
            return called(measure, x, y)

        leaf = start.clone().requires_grad_(True)  # noqa: FBT003
        got = at(leaf, models, side, name)
        if not _has_gradient(measure, got):
            continue
        got.backward()
        along = torch.asarray(1e-3 * rng.normal(size=start.shape))
        slope = float((leaf.grad * along).sum())
        values = [float(at(start + h * along, models, side, name)) for h in STEPS]
        _check_derivative(slope, values, f"argument {side}, {name}")


def _with_logits(
    torch: Any, draw: Draw, side: int, logits: Any
) -> tuple[Outputs, Outputs]:
    """Both outputs of a draw in torch, one of them with these logits."""
    x, y = (convert(v, torch) for v in (draw.x, draw.y))
    changed = Outputs(logits.log_softmax(dim=1), targets=x.targets)
    return (changed, y) if side == 0 else (x, changed)


def _has_gradient(measure: Measure, got: Any) -> bool:
    """Check the claim, and return whether the score has a gradient."""
    if measure.claims().differentiable:
        assert got.requires_grad, "claims a gradient, but has none"
    else:
        assert not got.requires_grad, (
            "does not claim a gradient, but has one, which may be incomplete"
        )
    return got.requires_grad


# Points of a fourth-order central difference, in units of the direction.
STEPS = (-2e-3, -1e-3, 1e-3, 2e-3)


def _check_derivative(slope: float, values: list[float], where: str) -> None:
    """Compare a slope with finite differences of the scores at `STEPS`."""
    expected = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / 12e-3
    assert abs(slope - expected) <= 1e-10 + 1e-4 * abs(expected), (
        f"{where}: a slope of {slope!r} instead of {expected!r}"
    )
