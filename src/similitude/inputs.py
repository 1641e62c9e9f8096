"""What can be compared: arrays of points, outputs of classifiers, softmax models."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _array, _softmax, _validate
from ._array import Array
from ._validate import points as points
from .errors import InvalidInput


@dataclass(frozen=True, eq=False)
class Outputs:
    """What a classifier said about n stimuli, and what would have been right.

    Attributes
    ----------
    log_probs
        n x K natural logarithms of probabilities, or None.
    labels
        n integers, the predicted classes; taken from `log_probs` if left out.
    targets
        n integers, the true classes, or None.
    """

    log_probs: Array = None
    labels: Array = None
    targets: Array = None

    def __post_init__(self) -> None:
        if self.labels is None and self.log_probs is None:
            raise InvalidInput("Outputs needs labels, log_probs, or both; got neither.")
        if self.log_probs is not None:
            self._set("log_probs", _log_probabilities(self.log_probs))
        if self.labels is None:
            xp = _array.namespace(self.log_probs)
            self._set("labels", xp.argmax(self.log_probs, axis=1))
        for name in ("labels", "targets"):
            if getattr(self, name) is not None:
                self._set(name, _classes(getattr(self, name), name))
        for name in ("log_probs", "targets"):
            other = getattr(self, name)
            if other is None:
                continue
            if _array.library(other) != _array.library(self.labels):
                raise InvalidInput(
                    f"Outputs: labels are {_array.library(self.labels)}, {name} are "
                    f"{_array.library(other)}. Convert one of them."
                )
            if other.shape[0] != self.n:
                raise InvalidInput(
                    f"Outputs: there are {self.n} labels and {other.shape[0]} rows of "
                    f"{name}; one of each per stimulus is needed."
                )

    def _set(self, name: str, value: Array) -> None:
        object.__setattr__(self, name, value)

    @property
    def n(self) -> int:
        return self.labels.shape[0]


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
        chosen = _array.to_numpy(_classes(targets, "targets"))
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


def outputs(x: Any, name: str = "x") -> Outputs:
    """The door for outputs: labels (1-d) and log-probabilities (2-d) are enough."""
    if isinstance(x, Outputs):
        return x
    x = _validate.dense_array(x, name)
    if x.ndim == 1:
        return Outputs(labels=x)
    if x.ndim == 2:
        return Outputs(log_probs=x)
    raise InvalidInput(
        f"{name} must be Outputs, n labels or n x K log-probabilities; got an array "
        f"of shape {tuple(x.shape)}."
    )


def admit(domain: str, x: Any, y: Any, *, paired: bool = True) -> tuple[Any, Any]:
    """Both arguments of a measure through the door of its domain.

    What is not paired may have been seen at different stimuli, and any number of them.
    """
    if domain == "points":
        return _validate.pair(x, y, paired=paired)
    if domain == "outputs":
        p, q = outputs(x, "x"), outputs(y, "y")
        _validate.check_same_library(p.labels, q.labels)
        if not paired:
            return p, q
        _validate.check_same_rows(p.n, q.n)
        if p.targets is not None and q.targets is not None:
            xp = _array.namespace(p.targets, q.targets)
            if bool(xp.any(p.targets != q.targets)):
                raise InvalidInput(
                    "x and y have different targets. Rows must be the same stimuli in "
                    "the same order."
                )
        return p, q
    for name, value in (("x", x), ("y", y)):
        if not isinstance(value, SoftmaxModel):
            raise InvalidInput(
                f"{name} must be a SoftmaxModel(embeddings, unembeddings); got "
                f"{type(value).__name__}."
            )
    _check_comparable(x, y)
    return x, y


def _check_comparable(x: SoftmaxModel, y: SoftmaxModel) -> None:
    """Two softmax models of the same inputs and labels, in one library."""
    _validate.check_same_library(x.embeddings, y.embeddings)
    _validate.check_same_rows(x.embeddings.shape[0], y.embeddings.shape[0])
    labels = x.unembeddings.shape[0], y.unembeddings.shape[0]
    if labels[0] != labels[1]:
        raise InvalidInput(
            f"x has {labels[0]} labels and y has {labels[1]}. Unembeddings must be of "
            f"the same labels in the same order; name common ones as candidates."
        )
    if x.candidates is y.candidates is None:
        return
    if np.setxor1d(x.labels, y.labels).size:
        raise InvalidInput(
            "x and y have different candidates. Their probabilities must run over the "
            "same labels: give both the same."
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
    return _classes(x, name)


def _classes(x: Any, name: str) -> Array:
    """A 1-d array of class indices."""
    x = _validate.dense_array(x, name)
    xp = _array.namespace(x)
    if x.ndim != 1 or not xp.isdtype(x.dtype, ("integral", "bool")) or 0 in x.shape:
        raise InvalidInput(
            f"{name} must be one class index per stimulus, a 1-d integer array; got "
            f"shape {tuple(x.shape)} and dtype {x.dtype}."
        )
    if xp.isdtype(x.dtype, "bool"):
        x = xp.astype(x, xp.__array_namespace_info__().default_dtypes()["integral"])
    if int(xp.min(x)) < 0:
        raise InvalidInput(f"{name} has the negative class {int(xp.min(x))}.")
    return x


def _log_probabilities(x: Any) -> Array:
    """n x K log-probabilities; -inf is legal and means never."""
    half = str(getattr(x, "dtype", "")).endswith("float16")
    x = _validate.real_array(x, "log_probs")
    if x.ndim != 2 or 0 in x.shape:
        raise InvalidInput(
            f"log_probs must be n x K, one row per stimulus; got shape "
            f"{tuple(x.shape)}."
        )
    xp, plain = _array.namespace(x), _array.widen(_array.stop_gradient(x))
    totals = xp.sum(xp.exp(xp.clip(plain, None, 1.0)), axis=1)
    # A logarithm of 10 in bfloat16 is good to 4 %. Written so that NaN is off.
    off = ~(xp.abs(totals - 1.0) <= (0.1 if half else 1e-3))
    if bool(xp.any(off)):
        row = int(_array.to_numpy(off).argmax())
        total = _array.number(totals[row])
        raise InvalidInput(
            f"log_probs: the probabilities of row {row} sum to {total:.6g}, not 1. "
            f"Pass log-probabilities: log_softmax of logits, log of probabilities."
        )
    return x
