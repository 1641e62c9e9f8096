"""Measures of softmax models: one correct, the others each wrong in one way."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from similitude import Claims, Measure, SoftmaxModel
from similitude._base import _array
from similitude.transformations import MODEL_EQUIVALENCE, Group


@dataclass(frozen=True, kw_only=True)
class CorrectLogits(Measure):
    """Root mean square distance of centered logits; the base of the wrong measures."""

    name = "correct_logits"
    domain = "softmax"
    refs = ("none",)

    def claims(self) -> Claims:
        return Claims(
            kind="distance",
            range=(0.0, float("inf")),
            symmetric=True,
            triangle=True,
            invariant_x=MODEL_EQUIVALENCE,
            invariant_y=MODEL_EQUIVALENCE,
            on_device=True,
        )

    def prepare(self, x: SoftmaxModel, seed: Any = None) -> Any:
        f, g = _array.widen(x.embeddings), _array.widen(x.unembeddings)
        xp = _array.namespace(f)
        if x.candidates is not None:
            g = xp.take(g, x.candidates, axis=0)
        return f @ (g - xp.mean(g, axis=0)).T

    def compare(self, p: Any, q: Any) -> Any:
        xp = _array.namespace(p)
        return xp.sqrt(xp.mean(xp.sum((p - q) ** 2, axis=1)))


RIGHT = CorrectLogits()


class RawLogits(CorrectLogits):
    """Not invariant to a shift of all unembeddings, which changes no probability."""

    def prepare(self, x, seed=None):
        return _array.widen(x.embeddings) @ _array.widen(x.unembeddings).T


class EmbeddingsOnly(CorrectLogits):
    """Compares embeddings directly, without any invariance to coordinates."""

    def prepare(self, x, seed=None):
        return _array.widen(x.embeddings)


class ClaimsRotationsOnly(CorrectLogits):
    def claims(self):
        atoms = frozenset({Group.ROTATION, Group.TRANSLATION})
        return replace(RIGHT.claims(), invariant_x=atoms)


class ClaimsTemperatures(CorrectLogits):
    def claims(self):
        atoms = MODEL_EQUIVALENCE | {Group.ROW_SCALE}
        return replace(RIGHT.claims(), invariant_y=atoms)


class MeanLogits(CorrectLogits):
    """Averages over inputs first, so the pairing of inputs is lost."""

    def compare(self, p, q):
        xp = _array.namespace(p)
        difference = xp.mean(p, axis=0) - xp.mean(q, axis=0)
        return xp.sqrt(xp.sum(difference**2))


class SquaredLogits(CorrectLogits):
    def compare(self, p, q):
        return RIGHT.compare(p, q) ** 2


class BoundedLogits(CorrectLogits):
    def claims(self):
        return replace(RIGHT.claims(), range=(0.0, 1.0))


class OverflowingProbabilities(CorrectLogits):
    """Exponentials without subtracting the maximum: NaN for certain models."""

    def prepare(self, x, seed=None):
        logits = RIGHT.prepare(x, seed)
        xp = _array.namespace(logits)
        with np.errstate(over="ignore", invalid="ignore"):
            e = xp.exp(logits)
            return e / xp.sum(e, axis=1, keepdims=True)


class SingleLogits(CorrectLogits):
    """Single precision inside, as in the reference code."""

    def prepare(self, x, seed=None):
        logits = RIGHT.prepare(x, seed)
        xp = _array.namespace(logits)
        return xp.astype(xp.astype(logits, xp.float32), xp.float64)


class AbsoluteEpsilon(CorrectLogits):
    """Treats tiny unembeddings as 0."""

    def prepare(self, x, seed=None):
        xp = _array.namespace(x.unembeddings)
        small = float(xp.max(xp.abs(x.unembeddings))) < 1e-8
        return RIGHT.prepare(x, seed) * (0.0 if small else 1.0)


class NumpyModelsOnly(CorrectLogits):
    def prepare(self, x, seed=None):
        f, g = (_array.to_numpy(v) for v in (x.embeddings, x.unembeddings))
        return RIGHT.prepare(SoftmaxModel(f, g))


class FrozenUnembeddings(CorrectLogits):
    """Differentiates through the embeddings only."""

    def prepare(self, x, seed=None):
        fixed = _array.stop_gradient(x.unembeddings)
        return RIGHT.prepare(replace(x, unembeddings=fixed))


class DropsUnmatchedRows(CorrectLogits):
    """No validation: drops inputs and labels that only one model has."""

    def __call__(self, x, y, rng=None):
        p, q = RIGHT.prepare(x), RIGHT.prepare(y)
        n, k = min(len(p), len(q)), min(p.shape[1], q.shape[1])
        return self.compare(p[:n, :k], q[:n, :k])


class MixesDtypes(CorrectLogits):
    """Computes products in the dtype of the inputs."""

    def prepare(self, x, seed=None):
        g, xp = x.unembeddings, _array.namespace(x.unembeddings)
        return xp.astype(x.embeddings @ (g - xp.mean(g, axis=0)).T, xp.float64)


class ReordersLabels(CorrectLogits):
    """Permutes labels instead of inputs."""

    def permute(self, q, order):
        return q[:, ::-1] if q.ndim == 2 else q


# Each measure with the check that must fail, and the start of its message.
WRONG_SOFTMAX = [
    (RawLogits, "check_invariances: claims constant_shift of x"),
    (EmbeddingsOnly, "check_invariances: claims permutation of x"),
    (ClaimsRotationsOnly, "check_invariances: does not claim linear of x"),
    (ClaimsTemperatures, "check_invariances: claims row_scale of y"),
    (MeanLogits, "check_pairing"),
    (SquaredLogits, "check_triangle"),
    (BoundedLogits, "check_range"),
    (OverflowingProbabilities, "check_hard_cases: sure of everything: the score is"),
    (SingleLogits, "check_gradients"),
    (AbsoluteEpsilon, "check_offset_and_scale: a scale of 1e90 in x"),
    (NumpyModelsOnly, "check_libraries: torch in"),
    (FrozenUnembeddings, "check_gradients: claims a gradient, but has none"),
    (DropsUnmatchedRows, "check_refusals"),
    (MixesDtypes, "check_dtypes"),
    (ReordersLabels, "check_permute"),
]
