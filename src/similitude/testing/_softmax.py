"""Softmax models for the checks: hard cases, extreme scales, malformed input."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..inputs import SoftmaxModel
from ..transformations import Group
from ._battery import convert, draws, reorder, softmax_models
from ._libraries import installed

Models = tuple[SoftmaxModel, SoftmaxModel]


def _two(n: int = 600, labels: int = 5, dim: int = 2, **options: Any) -> Models:
    x, y, _ = softmax_models(np.random.default_rng(5), n, labels, dim, **options)
    return x, y


def _changed(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Models:
    """Two models, with the embeddings or unembeddings of the first changed."""
    x, y = _two()
    return replace(x, **{name: change(getattr(x, name).copy())}), y


def _both(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Models:
    x, y = (replace(m, **{name: change(getattr(m, name).copy())}) for m in _two())
    return x, y


def _repeated(v: np.ndarray) -> np.ndarray:
    v[1] = v[0]
    return v


MODELS: dict[str, Callable[[], Models]] = {
    "one input": lambda: _two(n=1),
    "two inputs": lambda: _two(n=2),
    "inputs for one set only": lambda: _two(n=3),
    "one label": lambda: _two(labels=1),
    "two labels": lambda: _two(labels=2),
    "as many labels as dimensions": lambda: _two(labels=3, dim=3),
    "one dimension": lambda: _two(labels=4, dim=1),
    "more dimensions than labels": lambda: _two(labels=4, dim=7),
    "other dimensions": lambda: (_two()[0], _two(dim=3)[1]),
    "two candidates": lambda: _two(labels=6, candidates=np.asarray([1, 4])),
    "candidates": lambda: _two(labels=8, candidates=np.asarray([0, 2, 3, 5, 7])),
    "embeddings that are 0": lambda: _changed("embeddings", np.zeros_like),
    "unembeddings that are 0": lambda: _changed("unembeddings", np.zeros_like),
    "embeddings on a line": lambda: _changed("embeddings", lambda f: f[:, [0, 0]]),
    "unembeddings on a line": lambda: _changed("unembeddings", lambda g: g[:, [0, 0]]),
    "one embedding for all": lambda: _changed("embeddings", lambda f: 0 * f + f[0]),
    "two labels alike": lambda: _both("unembeddings", _repeated),
    "two inputs alike": lambda: _both("embeddings", _repeated),
    "sure of everything": lambda: _both("embeddings", lambda f: 1000 * f),
    "sure of nothing": lambda: _both("embeddings", lambda f: 1e-3 * f),
    "unembeddings at 1e3": lambda: _both("unembeddings", lambda g: g + 1e3),
    "many inputs": lambda: _two(n=1500),
}
# Cases that are common in real models and must have a score.
ORDINARY_MODELS = {"candidates", "two inputs alike", "sure of everything"}
ORDINARY_MODELS |= {"sure of nothing", "unembeddings at 1e3"}


def far_away() -> dict[str, tuple[Group, Callable[[Any], Any]]]:
    """Transformations to equivalent models with large rounding errors."""

    def scaled(c: float) -> Callable[[SoftmaxModel], SoftmaxModel]:
        return lambda m: replace(
            m, embeddings=c * m.embeddings, unembeddings=m.unembeddings / c
        )

    def shifted(m: SoftmaxModel) -> SoftmaxModel:
        return replace(m, unembeddings=m.unembeddings + 1e3)

    scale = Group.ISOTROPIC_SCALE
    return {
        "a shift of 1e3": (Group.CONSTANT_SHIFT, shifted),
        "a scale of 1e-4": (scale, scaled(1e-4)),
        "a scale of 1e-90": (scale, scaled(1e-90)),
        "a scale of 1e90": (scale, scaled(1e90)),
    }


def malformed() -> list[tuple[Any, Any, str]]:
    """Malformed pairs, each with a word that the error must contain."""
    x, y = draws("softmax")[0].x, draws("softmax")[0].y
    subset = np.asarray([0, 1, 2, 3])
    cases = [
        (x, y.embeddings, "SoftmaxModel"),
        (x, reorder(y, np.arange(599)), "599"),
        (x, replace(y, unembeddings=y.unembeddings[:4]), "4"),
        (x, replace(y, candidates=subset), "candidates"),
        (
            replace(x, candidates=subset),
            replace(y, candidates=subset + 1),
            "candidates",
        ),
    ]
    cases += [(x, convert(y, torch), "torch") for torch in installed(("torch",))]
    return cases
