"""Softmax models: embeddings of inputs, and unembeddings of labels."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base import _array, _softmax, _validate
from .._base._array import Array
from ..errors import InvalidInput
from ._classes import class_indices


def check_softmax_model(value: Any, name: str) -> None:
    if not isinstance(value, SoftmaxModel):
        raise InvalidInput(
            f"{name} must be a SoftmaxModel(embeddings, unembeddings); got "
            f"{type(value).__name__}."
        )


@dataclass(frozen=True, eq=False)
class SoftmaxModel:
    """A model p(y | x) proportional to exp(f(x)'g(y)), at n inputs and K labels.

    It computes in numpy and float64, for every array library and precision. Inputs are
    processed in blocks that fit the memory budget.

    Attributes
    ----------
    embeddings
        n x M, the rows f(x).
    unembeddings
        K x M, the rows g(y).
    candidates
        Indices of the labels in the softmax, or None for all K.

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
                f"the logits are their inner products, so give the same number."
            )
        object.__setattr__(self, "embeddings", f.values)
        object.__setattr__(self, "unembeddings", g.values)
        if self.candidates is not None:
            chosen = _label_set(self.candidates, "candidates")
            top = int(_array.namespace(chosen).max(chosen))
            if top >= g.n:
                raise InvalidInput(
                    f"SoftmaxModel: candidate {top} is out of range (there are {g.n} "
                    f"labels)."
                )
            counts = np.bincount(_array.to_numpy(chosen))
            if counts.max() > 1:
                raise InvalidInput(
                    f"SoftmaxModel: candidates contain label {counts.argmax()} "
                    f"{counts.max()} times; give each label once."
                )
            object.__setattr__(self, "candidates", chosen)

    @property
    def n(self) -> int:
        """Number of inputs."""
        return self.embeddings.shape[0]

    @property
    def dimension(self) -> int:
        """M, the number of columns of f and g."""
        return self.embeddings.shape[1]

    @property
    def eps(self) -> float:
        """Relative rounding error of the stored values: the larger of f and g."""
        return max(_array.eps(self.embeddings), _array.eps(self.unembeddings))

    @functools.cached_property
    def f(self) -> np.ndarray:
        """The embeddings in float64."""
        return _array.to_numpy(self.embeddings).astype(np.float64, copy=False)

    @functools.cached_property
    def g(self) -> np.ndarray:
        """The unembeddings of all K labels in float64."""
        return _array.to_numpy(self.unembeddings).astype(np.float64, copy=False)

    @functools.cached_property
    def labels(self) -> np.ndarray:
        """The labels in the softmax, in the order of the columns."""
        if self.candidates is None:
            return np.arange(self.unembeddings.shape[0])
        return _array.to_numpy(self.candidates).astype(np.int64)

    @functools.cached_property
    def middle(self) -> np.ndarray:
        """Mean of the candidates' unembeddings; subtracting it keeps p(y | x)."""
        return self.g[self.labels].mean(axis=0)

    @functools.cached_property
    def normalizer(self) -> tuple[np.ndarray, ...]:
        """Peaks, tails and positions of the peaks, of the centered logits.

        log sum_y exp(f(x)'(g(y) - middle)) is peak + tail; the peak is the largest
        logit.
        """
        return _softmax.peaks_and_tails(self.f, self._centered_g[self._candidate_index])

    @functools.cached_property
    def _centered_g(self) -> np.ndarray:
        return self.g - self.middle

    @property
    def _candidate_index(self) -> Any:
        """Index of the candidates: a slice if all labels are, which avoids a copy."""
        return slice(None) if self.candidates is None else self.labels

    def logits(self, labels: Any = None) -> np.ndarray:
        """f(x)'g(y), ``n x |S|``, for these labels S or for all candidates."""
        return _softmax.logits(self.f, self.g[self._index(labels)])

    def log_probs(self, labels: Any = None, *, inputs: Any = None) -> np.ndarray:
        """log p(y | x), ``n x |S|``, normalized over the candidates.

        The relative error is small even for a nearly certain label with a value of
        -1e-10. `labels` (indices) and `inputs` (indices or a slice) select entries.
        """
        rows = slice(None) if inputs is None else inputs
        at, labels = self._index(labels), self._columns(labels)
        peaks, tails, best = (part[rows] for part in self.normalizer)
        u = self.f[rows] @ self._centered_g[at].T - peaks[:, None]
        # The two products may round differently: set logit - peak of the most likely
        # label to exactly 0.
        column = np.full(self.g.shape[0], -1)
        column[labels] = np.arange(labels.size)
        column = column[self.labels[best]]
        selected = np.flatnonzero(column >= 0)
        u[selected, column[selected]] = 0.0
        u -= tails[:, None]
        return u

    def log_normalizers(self) -> np.ndarray:
        """log of the sum over the candidates of exp(f(x)'g(y)), one per input."""
        peaks, tails, _ = self.normalizer
        return self.f @ self.middle + peaks + tails

    def predictions(self) -> np.ndarray:
        """The most likely label of each input; the first one in a tie."""
        return self.labels[self.normalizer[2]]

    def nll(self, targets: Any) -> float:
        """Mean of -log p(target | x), in nats."""
        peaks, tails, _ = self.normalizer
        targets = self._targets(targets)
        gaps = peaks - np.vecdot(self.f, self._centered_g[targets])
        gaps[targets == self.predictions()] = 0.0
        return float(np.mean(gaps + tails))

    def accuracy(self, targets: Any) -> float:
        """Fraction of inputs whose most likely label is the target."""
        return float(np.mean(self.predictions() == self._targets(targets)))

    def _index(self, labels: Any) -> Any:
        return self._candidate_index if labels is None else self._columns(labels)

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
                f"targets has {chosen.shape[0]} entries for {self.n} inputs; give one "
                f"label per input."
            )
        self._check_candidates(chosen, "targets")
        return chosen

    def _check_candidates(self, chosen: np.ndarray, name: str) -> None:
        unknown = chosen[~np.isin(chosen, self.labels)]
        if unknown.size:
            raise InvalidInput(
                f"{name} has label {unknown[0]}, which is not among the "
                f"{self.labels.size} labels in the softmax."
            )


def _label_set(x: Any, name: str) -> Array:
    """Validate a 1-d array of label indices; reject boolean masks."""
    x = _validate.dense_array(x, name)
    if (
        x.ndim != 1
        or 0 in x.shape
        or not _array.namespace(x).isdtype(x.dtype, "integral")
    ):
        raise InvalidInput(
            f"{name} must be indices of labels, a nonempty 1-d integer array; got "
            f"shape {tuple(x.shape)} and dtype {x.dtype}."
        )
    return class_indices(x, name)
