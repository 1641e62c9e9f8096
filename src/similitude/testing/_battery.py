"""Data that reveals false claims.

The battery has five draws. Each is three related representations of 60 stimuli with 6,
8 and 6 columns. The spectrum falls as 1/k, followed by three directions of 1e-3 that
affect only scale-free measures. Means are not zero, and coordinates are generic. There
are several draws because a score may be unchanged by chance on one of them.

For softmax models each draw is three related models of 600 inputs, 5 labels and 2
dimensions, which is just enough for 200 disjoint sets of three inputs.

`other_shapes` has draws on which a measure may be `Undefined`, but must otherwise be
right: more columns than rows, the first representation wider, and equal widths without
a steep spectrum. Some false claims fail only on these.

All arrays are read-only, so that a measure cannot change the data of the next check.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..inputs import Outputs, SoftmaxModel
from ..measures import Measure
from ..transformations import random_orthogonal

N = 60


@dataclass(frozen=True, eq=False)
class Draw:
    """Three representations of the same stimuli; x and z have the same width."""

    name: str
    x: Any
    y: Any
    z: Any


def draws_for(measure: Measure) -> tuple[Draw, ...]:
    """The draws for a measure; of equal widths if it compares the same columns."""
    return draws(measure.domain, same_columns=measure.claims().same_columns)


def comparable(measure: Measure, x: Any, y: Any) -> tuple[Any, Any]:
    """Both sides, with the columns that both have if the measure needs the same."""
    if not measure.claims().same_columns:
        return x, y
    width = min(x.shape[1], y.shape[1])
    return x[:, :width], y[:, :width]


@functools.cache
def draws(domain: str, *, same_columns: bool = False) -> tuple[Draw, ...]:
    """The battery for the measures of one domain."""
    if same_columns:
        return tuple(
            replace(draw, y=frozen(draw.y[:, : draw.x.shape[1]].copy()))
            for draw in draws(domain)
        )
    makers: dict[str, Callable[..., list[Any]]]
    makers = {"points": _points, "outputs": _outputs, "softmax": softmax_models}
    rngs = [np.random.default_rng([20260101, i]) for i in range(5)]
    return tuple(_draw(f"draw {i}", makers[domain](rng)) for i, rng in enumerate(rngs))


@functools.cache
def other_shapes(domain: str) -> tuple[Draw, ...]:
    """Additional draws, on which a measure may be undefined."""
    if domain == "outputs":
        return ()
    if domain == "softmax":
        return _other_models()
    shapes = {
        "wide": (20, 30, 25, 30),
        "wider first": (40, 8, 5, 8),
        "equal widths": (24, 4, 4, 4),
    }
    return tuple(
        _draw(name, related(np.random.default_rng([20260102, i]), *shape))
        for i, (name, shape) in enumerate(shapes.items())
    )


def _other_models() -> tuple[Draw, ...]:
    def rng(i: int) -> np.random.Generator:
        return np.random.default_rng([20260103, i])

    candidates = np.asarray([0, 2, 3, 5, 6, 7])
    return (
        _draw("three dimensions", softmax_models(rng(0), 900, 8, 3)),
        _draw("few inputs", softmax_models(rng(1), 30, 5, 2)),
        _draw("candidates", softmax_models(rng(2), 600, 8, 2, candidates=candidates)),
    )


def _draw(name: str, three: list[Any]) -> Draw:
    x, y, z = three
    return Draw(name, x, y, z)


def related(rng: np.random.Generator, n: int, *widths: int) -> list[np.ndarray]:
    """Representations with three common directions and independent noise."""
    shared = rng.normal(size=(n, 3))
    return [
        frozen(
            shared @ rng.normal(size=(3, d))
            + 0.5 * rng.normal(size=(n, d))
            + rng.normal(size=d)
        )
        for d in widths
    ]


def frozen(x: np.ndarray) -> np.ndarray:
    x.setflags(write=False)
    return x


def _points(rng: np.random.Generator) -> list[np.ndarray]:
    shared = rng.normal(size=(N, 4))
    return [frozen(_representation(rng, shared, d)) for d in (6, 8, 6)]


def _representation(rng: np.random.Generator, shared: np.ndarray, d: int) -> np.ndarray:
    """A noisy function of `shared`, with the spectrum and means described above."""
    mixed = shared @ rng.normal(size=(shared.shape[1], d)) + rng.normal(size=(N, d))
    basis = np.linalg.qr(mixed - mixed.mean(axis=0))[0] * N**0.5
    spectrum = np.concatenate([1 / np.arange(1, d - 2), np.full(3, 1e-3)])
    return basis * spectrum @ random_orthogonal(d, rng) + rng.normal(size=d)


def _outputs(rng: np.random.Generator) -> list[Outputs]:
    targets = frozen(rng.integers(4, size=N))
    logits = [rng.normal(size=(N, 4)) + 1.5 * np.eye(4)[targets] for _ in range(3)]
    return [Outputs(log_softmax(v), frozen(v.argmax(axis=1)), targets) for v in logits]


def log_softmax(logits: np.ndarray) -> np.ndarray:
    return frozen(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)))


def softmax_models(
    rng: np.random.Generator,
    n: int = 600,
    labels: int = 5,
    dim: int = 2,
    *,
    candidates: np.ndarray | None = None,
) -> list[SoftmaxModel]:
    """Three similar models in different coordinates."""
    f, g = rng.normal(size=(n, dim)) + 0.3, 1.5 * rng.normal(size=(labels, dim))
    models = []
    for _ in range(3):
        mix = random_orthogonal(dim, rng) * np.linspace(0.7, 1.3, dim)
        own_f = (f + 0.3 * rng.normal(size=f.shape)) @ mix
        own_g = (g + 0.3 * rng.normal(size=g.shape)) @ np.linalg.inv(mix).T
        shift = rng.normal(size=dim)
        models.append(SoftmaxModel(frozen(own_f), frozen(own_g + shift), candidates))
    return models


def fields(x: Any) -> dict[str, Any]:
    """The arrays in `x` by name; None for missing fields."""
    if isinstance(x, Outputs):
        return {"log_probs": x.log_probs, "labels": x.labels, "targets": x.targets}
    if isinstance(x, SoftmaxModel):
        names = ("embeddings", "unembeddings", "candidates")
        return {name: getattr(x, name) for name in names}
    return {"values": x}


def mapped(x: Any, function: Any) -> Any:
    """Apply a function to each array in `x`."""
    parts = {k: None if v is None else function(v) for k, v in fields(x).items()}
    return (
        type(x)(**parts) if isinstance(x, Outputs | SoftmaxModel) else parts["values"]
    )


def reorder(x: Any, order: np.ndarray) -> Any:
    """Reorder the rows of `x`; the rows of a model are its inputs."""
    if isinstance(x, SoftmaxModel):
        return replace(x, embeddings=frozen(x.embeddings[order]))
    return mapped(x, lambda v: frozen(v[order]))


def convert(x: Any, library: Any) -> Any:
    """Copy `x` to arrays of another library, given as a module."""
    return mapped(x, lambda v: library.asarray(np.array(v)))


def row_count(x: Any) -> int:
    if isinstance(x, SoftmaxModel):
        return x.embeddings.shape[0]
    return x.n if isinstance(x, Outputs) else x.shape[0]
