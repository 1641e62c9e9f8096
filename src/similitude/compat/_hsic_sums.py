"""Sums of HSIC_1 over batches, for all layers of two models."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import _linalg
from .._base import _array
from .._base._validate import points
from ..errors import InvalidInput, Undefined
from ..measures.kernel_alignment._base import linear_gram

MIN_ROWS = 4  # HSIC_1 needs quadruples of different rows

Rows = Mapping[str, Any]  # n x d tensors by layer


class HsicSums:
    """Minibatch CKA of every layer of one model with every layer of another.

    A last batch of fewer than 4 rows joins the batch before it, so no row is lost.
    """

    def __init__(self) -> None:
        self._waiting: tuple[Rows, Rows] | None = None
        self._squares = [_Squares(), _Squares()]
        self._cross: Any = 0.0

    def add(self, first: Rows, second: Rows) -> None:
        """Add a batch; only the last one may have fewer than 4 rows."""
        batch = first, second
        if self._waiting is not None:
            if _size(self._waiting) < MIN_ROWS:
                raise InvalidInput(
                    f"a batch has {_size(self._waiting)} rows; create the loader with "
                    f"a batch_size of 4 or more (64 or more gives less noise)."
                )
            if _size(batch) < MIN_ROWS:
                batch = _joined(self._waiting, batch)
            else:
                self._sum(self._waiting)
        self._waiting = batch

    def finish(self) -> np.ndarray:
        """The matrix of scores: a row per layer of the first model."""
        if self._waiting is None or _size(self._waiting) < MIN_ROWS:
            rows = 0 if self._waiting is None else _size(self._waiting)
            raise Undefined(f"unbiased CKA needs at least 4 rows; got {rows}.")
        self._sum(self._waiting)
        norms = [
            squares.norms(list(rows))
            for squares, rows in zip(self._squares, self._waiting, strict=True)
        ]
        self._waiting = None
        return self._cross / (norms[0][:, None] * norms[1])

    def _sum(self, batch: tuple[Rows, Rows]) -> None:
        n = _size(batch)
        pairs = n * (n - 3)
        sides = [[_side(*layer) for layer in rows.items()] for rows in batch]
        for squares, own in zip(self._squares, sides, strict=True):
            squares.add(own, pairs)
        inner = [[_inner(p, q) for q in sides[1]] for p in sides[0]]
        self._cross = self._cross + np.array(inner) / pairs


class _Squares:
    """Sums of HSIC_1 of each layer with itself, and of its rounding errors."""

    def __init__(self) -> None:
        self.total: Any = 0.0
        self.noise: Any = 0.0

    def add(self, sides: "Sequence[_linalg.Side | None]", pairs: int) -> None:
        self.total = self.total + np.array([_inner(s, s) for s in sides]) / pairs
        noise = [0.0 if side is None else side.noise for side in sides]
        self.noise = self.noise + np.array(noise) / pairs

    def norms(self, layers: Sequence[str]) -> np.ndarray:
        for layer, total, noise in zip(layers, self.total, self.noise, strict=True):
            if not total > noise:
                raise Undefined(
                    f"CKA of layer {layer!r} does not exist: its rows are equal, or "
                    f"mutually orthogonal up to a shift, in every batch. Leave it out "
                    f"(model1_layers=, model2_layers=), or use larger batches."
                )
        return np.sqrt(self.total)


def _side(layer: str, x: Any) -> "_linalg.Side | None":
    """The centered Gram of one batch; None if all rows are equal, so HSIC_1 is 0."""
    valid = points(x, f"layer {layer!r}")
    if bool(valid.xp.all(valid.values == valid.values[:1, :])):
        return None
    try:
        rows = _linalg.center(_linalg.widened(valid))
    except Undefined as error:
        raise Undefined(f"layer {layer!r}: {error}") from None
    return linear_gram(rows, unbiased=True)


def _inner(p: "_linalg.Side | None", q: "_linalg.Side | None") -> float:
    return 0.0 if p is None or q is None else _array.number(_linalg.inner(p, q))


def _size(batch: tuple[Rows, Rows]) -> int:
    return len(next(iter(batch[0].values())))


def _joined(one: tuple[Rows, Rows], two: tuple[Rows, Rows]) -> tuple[Rows, Rows]:
    first, second = (
        {name: _array.namespace(x).concat([x, b[name]]) for name, x in a.items()}
        for a, b in zip(one, two, strict=True)
    )
    return first, second
