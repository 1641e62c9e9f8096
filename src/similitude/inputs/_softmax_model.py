"""Softmax models: embeddings of inputs, and unembeddings of labels."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _array, _softmax, _validate
from .._array import Array
from ..errors import InvalidInput
from ._classes import class_indices


@dataclass(frozen=True, eq=False)
class SoftmaxModel:
    """A model p(y | x) proportional to exp(f(x)'g(y)), seen at n inputs and K labels.

    What it computes is numpy, in float64, whatever library and precision it was given;
    blocks of inputs keep within the memory budget.

    Attributes
    ----------
    embeddings
        n x M, the rows f(x).
    unembeddings
        K x M, the rows g(y).
    candidates
        Indices of the labels that the softmax runs over, or None for all K.

    Examples
    --------
    Two inputs and two labels; logits 0 and log 3 give probabilities 1/4 and 3/4.

    >>> import numpy as np
    >>> model = SoftmaxModel([[1.0], [2.0]], [[0.0], [np.log(3.0)]])
    >>> np.exp(model.log_probs())
    array([[0.25, 0.75],
           [0.1 , 0.9 ]])
    >>> model.predictions()
    array([1, 1])
    >>> model.accuracy([1, 0])
    0.5
    """

    embeddings: Array
    unembeddings: Array
    candidates: Array = None

    def __post_init__(self) -> None:
        f = _validate.points(self.embeddings, "embeddings")
        g = _validate.points(self.unembeddings, "unembeddings")
        _validate.check_same_library(f.values, g.values)
        if f.d != g.d:
            raise InvalidInput(
                f"SoftmaxModel: embeddings have {f.d} columns and unembeddings {g.d}; "
                f"their inner products are the logits, so both need the same number."
            )
        object.__setattr__(self, "embeddings", f.values)
        object.__setattr__(self, "unembeddings", g.values)
        if self.candidates is not None:
            chosen = _label_set(self.candidates, "candidates")
            top = int(_array.namespace(chosen).max(chosen))
            if top >= g.n:
                raise InvalidInput(
                    f"SoftmaxModel: candidates name label {top}, and there are {g.n}."
                )
            counts = np.bincount(_array.to_numpy(chosen))
            if counts.max() > 1:
                raise InvalidInput(
                    f"SoftmaxModel: candidates name label {counts.argmax()} "
                    f"{counts.max()} times; a set of labels has each of them once."
                )
            object.__setattr__(self, "candidates", chosen)

    @property
    def n(self) -> int:
        """How many inputs."""
        return self.embeddings.shape[0]

    @property
    def dimension(self) -> int:
        """M, the number of coordinates of f and of g."""
        return self.embeddings.shape[1]

    @property
    def eps(self) -> float:
        """Relative error with which the representations are stored."""
        return max(_array.eps(self.embeddings), _array.eps(self.unembeddings))

    @functools.cached_property
    def f(self) -> np.ndarray:
        """The embeddings in float64."""
        return _array.to_numpy(self.embeddings).astype(np.float64, copy=False)

    @functools.cached_property
    def g(self) -> np.ndarray:
        """The unembeddings in float64, of all K labels."""
        return _array.to_numpy(self.unembeddings).astype(np.float64, copy=False)

    @functools.cached_property
    def labels(self) -> np.ndarray:
        """The labels that the softmax runs over, in the order of the columns."""
        if self.candidates is None:
            return np.arange(self.unembeddings.shape[0])
        return _array.to_numpy(self.candidates).astype(np.int64)

    @functools.cached_property
    def middle(self) -> np.ndarray:
        """Mean of the candidates' unembeddings; logits may be taken about it."""
        return self.g[self.labels].mean(axis=0)

    @functools.cached_property
    def normalizer(self) -> tuple[np.ndarray, ...]:
        """Largest logit about the middle, what the others add, and its position.

        log sum_y exp(f(x)'(g(y) - middle)) is the sum of the first two.
        """
        return _softmax.peaks_and_tails(self.f, self._about_middle[self._all])

    @functools.cached_property
    def _about_middle(self) -> np.ndarray:
        return self.g - self.middle

    @property
    def _all(self) -> Any:
        """An index for the candidates; a slice, which copies nothing, where it can."""
        return slice(None) if self.candidates is None else self.labels

    def logits(self, labels: Any = None) -> np.ndarray:
        """f(x)'g(y), n x |S|; of these labels only, if some are named."""
        return _softmax.logits(self.f, self.g[self._index(labels)])

    def log_probs(self, labels: Any = None, *, inputs: Any = None) -> np.ndarray:
        """log p(y | x), n x |S|, over the candidates.

        Accurate relative to itself: the -1e-10 of a label that is all but certain has
        its digits. Of some labels or some inputs (indices or a slice) only, if named.
        """
        rows = slice(None) if inputs is None else inputs
        at, labels = self._index(labels), self._columns(labels)
        peaks, tails, best = (part[rows] for part in self.normalizer)
        u = self.f[rows] @ self._about_middle[at].T - peaks[:, None]
        # The likeliest label is at its peak, though products round as they please.
        column = np.full(self.g.shape[0], -1)
        column[labels] = np.arange(labels.size)
        column = column[self.labels[best]]
        there = np.flatnonzero(column >= 0)
        u[there, column[there]] = 0.0
        u -= tails[:, None]
        return u

    def log_normalizers(self) -> np.ndarray:
        """log of the sum over the candidates of exp(f(x)'g(y)), one per input."""
        peaks, tails, _ = self.normalizer
        return self.f @ self.middle + peaks + tails

    def predictions(self) -> np.ndarray:
        """The likeliest label of each input; the first of those that tie."""
        return self.labels[self.normalizer[2]]

    def nll(self, targets: Any) -> float:
        """Mean of -log p(target | x), in nats."""
        peaks, tails, _ = self.normalizer
        targets = self._targets(targets)
        gaps = peaks - np.vecdot(self.f, self._about_middle[targets])
        gaps[targets == self.predictions()] = 0.0
        return float(np.mean(gaps + tails))

    def accuracy(self, targets: Any) -> float:
        """Share of inputs whose likeliest label is the target."""
        return float(np.mean(self.predictions() == self._targets(targets)))

    def _index(self, labels: Any) -> Any:
        return self._all if labels is None else self._columns(labels)

    def _columns(self, labels: Any) -> np.ndarray:
        if labels is None:
            return self.labels
        chosen = _array.to_numpy(_label_set(labels, "labels"))
        self._check_candidates(chosen, "labels")
        return chosen

    def _targets(self, targets: Any) -> np.ndarray:
        chosen = _array.to_numpy(class_indices(targets, "targets"))
        if chosen.shape[0] != self.n:
            raise InvalidInput(
                f"targets has {chosen.shape[0]} entries, and there are {self.n} "
                f"inputs; give one label per input."
            )
        self._check_candidates(chosen, "targets")
        return chosen

    def _check_candidates(self, chosen: np.ndarray, name: str) -> None:
        foreign = chosen[~np.isin(chosen, self.labels)]
        if foreign.size:
            raise InvalidInput(
                f"{name} has label {foreign[0]}, which is not among the "
                f"{self.labels.size} labels that the softmax runs over."
            )


def _label_set(x: Any, name: str) -> Array:
    """A 1-d array of indices of labels; a mask is not one."""
    x = _validate.dense_array(x, name)
    if (
        x.ndim != 1
        or 0 in x.shape
        or not _array.namespace(x).isdtype(x.dtype, "integral")
    ):
        raise InvalidInput(
            f"{name} must be indices of labels, a 1-d integer array of one or more; "
            f"got shape {tuple(x.shape)} and dtype {x.dtype}."
        )
    return class_indices(x, name)
