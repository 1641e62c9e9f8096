"""A gradient is the derivative, or there is none at all."""

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
        elif measure.domain == "softmax":
            _check_model_slope(measure, torch)
        else:
            _check_output_slope(measure, torch)


def _check_slope(
    measure: Measure, torch: Any, pair: tuple, sides: tuple, where: str
) -> float:
    """The derivative along a random direction, checked; 0 where there is none."""
    tensors = [torch.asarray(np.array(v)) for v in pair]
    for side in sides:
        tensors[side].requires_grad_(True)  # noqa: FBT003
    got = called(measure, *tensors)
    if not _flows(measure, got):
        return 0.0
    got.backward()
    rng = np.random.default_rng(0)
    # A step that stays inside the smallest directions of the battery.
    along = [1e-3 * rng.normal(size=v.shape) * (i in sides) for i, v in enumerate(pair)]
    slope = sum(float(np.sum(tensors[i].grad.numpy() * along[i])) for i in sides)

    values = [
        score(measure, pair[0] + h * along[0], pair[1] + h * along[1]) for h in STEPS
    ]
    _check_derivative(slope, values, f"{where}, argument {sides}")
    return slope


def _check_output_slope(measure: Measure, torch: Any) -> None:
    """The same through the logits of each side."""
    draw = draws("outputs")[0]
    for side in (0, 1):
        start = torch.asarray(np.array((draw.x, draw.y)[side].log_probs))
        logits = start.clone().requires_grad_(True)  # noqa: FBT003
        got = measure(*_with_logits(torch, draw, side, logits))
        if not _flows(measure, got):
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
    """The same through the embeddings and the unembeddings of each side."""
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
        if not _flows(measure, got):
            continue
        got.backward()
        along = torch.asarray(1e-3 * rng.normal(size=start.shape))
        slope = float((leaf.grad * along).sum())
        values = [float(at(start + h * along, models, side, name)) for h in STEPS]
        _check_derivative(slope, values, f"argument {side}, {name}")


def _with_logits(
    torch: Any, draw: Draw, side: int, logits: Any
) -> tuple[Outputs, Outputs]:
    """Both outputs of a draw in torch, one of them with other logits."""
    x, y = (convert(v, torch) for v in (draw.x, draw.y))
    changed = Outputs(logits.log_softmax(dim=1), targets=x.targets)
    return (changed, y) if side == 0 else (x, changed)


def _flows(measure: Measure, got: Any) -> bool:
    """Whether the score carries a gradient, as it claims."""
    if measure.claims().differentiable:
        assert got.requires_grad, "claims a gradient, but none flows"
    else:
        assert not got.requires_grad, (
            "claims no gradient, but one flows: it may be half of the truth"
        )
    return got.requires_grad


# A central difference of fourth order, in units of the direction.
STEPS = (-2e-3, -1e-3, 1e-3, 2e-3)


def _check_derivative(slope: float, values: list[float], where: str) -> None:
    """A slope against the values of the score at `STEPS` along its direction."""
    expected = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / 12e-3
    assert abs(slope - expected) <= 1e-10 + 1e-4 * abs(expected), (
        f"{where}: a slope of {slope!r} instead of {expected!r}"
    )
