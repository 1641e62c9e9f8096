"""Measures of softmax models that are wrong in one way each, and one that is honest."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from similitude import Claims, Group, Measure, SoftmaxModel, _array
from similitude.transformations import MODEL_EQUIVALENCE


@dataclass(frozen=True, kw_only=True)
class HonestLogits(Measure):
    """Root mean square distance of centered logits; the wrong ones change one thing."""

    name = "honest_logits"
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


RIGHT = HonestLogits()


class RawLogits(HonestLogits):
    """Forgets that a shift of all unembeddings changes no probability."""

    def prepare(self, x, seed=None):
        return _array.widen(x.embeddings) @ _array.widen(x.unembeddings).T


class EmbeddingsOnly(HonestLogits):
    """Compares embeddings as they are: no change of coordinates is seen through."""

    def prepare(self, x, seed=None):
        return _array.widen(x.embeddings)


class ClaimsRotationsOnly(HonestLogits):
    def claims(self):
        atoms = frozenset({Group.ORTHOGONAL, Group.TRANSLATION})
        return replace(RIGHT.claims(), invariant_x=atoms)


class ClaimsTemperatures(HonestLogits):
    def claims(self):
        atoms = MODEL_EQUIVALENCE | {Group.ROW_SCALE}
        return replace(RIGHT.claims(), invariant_y=atoms)


class MeanLogits(HonestLogits):
    """Averages over inputs first: which input is which is lost."""

    def compare(self, p, q):
        xp = _array.namespace(p)
        difference = xp.mean(p, axis=0) - xp.mean(q, axis=0)
        return xp.sqrt(xp.sum(difference**2))


class SquaredLogits(HonestLogits):
    def compare(self, p, q):
        return RIGHT.compare(p, q) ** 2


class BoundedLogits(HonestLogits):
    def claims(self):
        return replace(RIGHT.claims(), range=(0.0, 1.0))


class OverflowingProbabilities(HonestLogits):
    """Exponentials without a maximum taken out: NaN where models are sure."""

    def prepare(self, x, seed=None):
        logits = RIGHT.prepare(x, seed)
        xp = _array.namespace(logits)
        with np.errstate(over="ignore", invalid="ignore"):
            e = xp.exp(logits)
            return e / xp.sum(e, axis=1, keepdims=True)


class SingleLogits(HonestLogits):
    """Single precision inside, as in the reference code."""

    def prepare(self, x, seed=None):
        logits = RIGHT.prepare(x, seed)
        xp = _array.namespace(logits)
        return xp.astype(xp.astype(logits, xp.float32), xp.float64)


class AbsoluteEpsilon(HonestLogits):
    """Takes tiny unembeddings for none."""

    def prepare(self, x, seed=None):
        xp = _array.namespace(x.unembeddings)
        small = float(xp.max(xp.abs(x.unembeddings))) < 1e-8
        return RIGHT.prepare(x, seed) * (0.0 if small else 1.0)


class NumpyModelsOnly(HonestLogits):
    def prepare(self, x, seed=None):
        f, g = (_array.to_numpy(v) for v in (x.embeddings, x.unembeddings))
        return RIGHT.prepare(SoftmaxModel(f, g))


class FrozenUnembeddings(HonestLogits):
    """Differentiates through the embeddings only."""

    def prepare(self, x, seed=None):
        fixed = _array.stop_gradient(x.unembeddings)
        return RIGHT.prepare(replace(x, unembeddings=fixed))


class ComparesWhatIsThere(HonestLogits):
    """No door: inputs and labels that only one model has are dropped."""

    def __call__(self, x, y, rng=None):
        p, q = RIGHT.prepare(x), RIGHT.prepare(y)
        n, k = min(len(p), len(q)), min(p.shape[1], q.shape[1])
        return self.compare(p[:n, :k], q[:n, :k])


class MixesDtypes(HonestLogits):
    """Products of what comes, in the dtype in which it comes."""

    def prepare(self, x, seed=None):
        g, xp = x.unembeddings, _array.namespace(x.unembeddings)
        return xp.astype(x.embeddings @ (g - xp.mean(g, axis=0)).T, xp.float64)


class ReordersLabels(HonestLogits):
    """Reorders what it should not."""

    def permute(self, q, order):
        return q[:, ::-1] if q.ndim == 2 else q


# Each with the check that must find it, and how its complaint begins.
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
    (ComparesWhatIsThere, "check_refusals"),
    (MixesDtypes, "check_dtypes"),
    (ReordersLabels, "check_permute"),
]
