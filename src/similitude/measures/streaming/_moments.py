"""Linear measures of rows that arrive in batches."""

import dataclasses
from typing import Any, Literal, Self

import numpy as np

from ..._base._array import Array
from ..._base._validate import pair
from ...errors import InvalidInput, Undefined
from .._base import Measure
from .._sums import Sums
from ..cca._mean_cca import MeanCCA
from ..cca._pwcca import PWCCA
from ..cca._svcca import SVCCA
from ..kernel_alignment._cka import CKA
from ..regression._linear_regression import LinearRegression
from ..shape._procrustes import Procrustes

__all__ = ["Moments"]


class Moments:
    """Sums over the rows of x and y, batch by batch, that determine linear measures.

    `update` adds a batch and `merge` adds the rows of another `Moments`, in any order.
    Both change this object and return it. It can be pickled, for example to distribute
    batches over processes. `state` is a dictionary of numbers and numpy arrays.

    The size is that of a few d x d matrices for any number of rows. Each batch is
    summed about its own mean, and the sums are moved to the mean of all rows. Results
    equal those of all rows together to 1e-10 (1e-6 for float32 batches), even if the
    means are 1e3 standard deviations. The sums cannot resolve directions below 1e-6 of
    the largest direction, or distances below 1e-7.

    Results are numpy scalars. Batches may be arrays of any library.

    Examples
    --------
    >>> import numpy as np, similitude as sim
    >>> x = np.random.default_rng(0).normal(size=(1000, 8))
    >>> y = x[:, :5] ** 3
    >>> moments = sim.streaming.Moments()
    >>> for rows in np.split(np.arange(1000), 10):
    ...     _ = moments.update(x[rows], y[rows])
    >>> abs(moments.cka() - sim.cka(x, y)) < 1e-12
    np.True_
    """

    def __init__(self) -> None:
        self._sums: Sums | None = None

    @property
    def n(self) -> int:
        """Number of rows so far."""
        return 0 if self._sums is None else self._sums.n

    def __repr__(self) -> str:
        if self._sums is None:
            return "Moments()"
        d1, d2 = self._sums.xy.shape
        return f"<Moments of {self.n:,} rows of {d1} and {d2} columns>"

    def update(self, x: Any, y: Any) -> Self:
        """Add a batch, m x d1 and m x d2. Row i of both is the same stimulus."""
        return self._add(Sums.from_batch(*pair(x, y)))

    def merge(self, other: "Moments") -> Self:
        """Add all rows of `other`, which does not change."""
        if not isinstance(other, Moments):
            raise InvalidInput(
                f"merge takes another Moments; got {type(other).__name__}. For rows, "
                f"use update(x, y)."
            )
        return self if other._sums is None else self._add(other._sums)

    def _add(self, sums: Sums) -> Self:
        current = self._sums
        if current is not None and current.xy.shape != sums.xy.shape:
            raise InvalidInput(
                f"these moments have {current.xy.shape[0]} and {current.xy.shape[1]} "
                f"columns; got {sums.xy.shape[0]} and {sums.xy.shape[1]}. Use separate "
                f"Moments for each pair of layers."
            )
        self._sums = sums if current is None else current.joined(sums)
        return self

    def state(self) -> dict[str, Any]:
        """The complete state as numbers and arrays, for `from_state`."""
        return {} if self._sums is None else dict(vars(self._sums))

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        moments = cls()
        if state:
            names = {f.name for f in dataclasses.fields(Sums)}
            if set(state) != names:
                raise InvalidInput(
                    f"state has the entries {sorted(state)}; expected {sorted(names)}. "
                    f"Pass a dictionary that state() returned."
                )
            arrays: dict[str, Any] = {
                k: v if np.ndim(v) == 0 else np.asarray(v, dtype=np.float64)
                for k, v in state.items()
            }
            moments._sums = Sums(**arrays)
        return moments

    def cka(
        self,
        *,
        estimator: Literal["unbiased", "biased"] = "unbiased",
        form: Literal["similarity", "angular"] = "similarity",
    ) -> Array:
        """Linear `similitude.cka` of all rows."""
        measure = CKA(estimator=estimator, form=form)
        return self._score(measure, 4 if measure.estimator == "unbiased" else 2)

    def mean_cca(
        self,
        *,
        form: Literal["correlation", "squared"] = "correlation",
        shrinkage: float = 0.0,
    ) -> Array:
        """`similitude.mean_cca` of all rows."""
        return self._score(MeanCCA(form=form, shrinkage=shrinkage))

    def svcca(
        self,
        *,
        by: Literal["variance", "singular_values"] = "variance",
        threshold: float = 0.99,
    ) -> Array:
        """`similitude.svcca` of all rows."""
        return self._score(SVCCA(by=by, threshold=threshold))

    def pwcca(
        self, *, variant: Literal["asymmetric", "symmetrized"] = "asymmetric"
    ) -> Array:
        """`similitude.pwcca` of all rows."""
        return self._score(PWCCA(variant=variant))

    def procrustes(
        self,
        *,
        form: Literal["angular", "euclidean", "squared", "similarity"] = "angular",
    ) -> Array:
        """`similitude.procrustes` of all rows."""
        return self._score(Procrustes(form=form))

    def linear_regression(self, *, ridge: float = 0.0) -> Array:
        """`similitude.linear_regression` of all rows: y from x."""
        return self._score(LinearRegression(ridge=ridge))

    def _score(self, measure: Measure, rows: int = 2) -> Array:
        return measure.compare_sums(self._sums_of_at_least(rows))

    def _sums_of_at_least(self, rows: int) -> Sums:
        if self._sums is None or self.n < rows:
            raise Undefined(
                f"at least {rows} rows are needed; these moments have {self.n}. Add "
                f"rows with update(x, y)."
            )
        return self._sums
