"""The base class of all measures."""

import abc
import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.random import SeedSequence

from .. import inputs
from .._base._array import Array, namespace
from .._base._record import Record
from .._base._seed import Rng, as_seed
from ..errors import Undefined
from ..representation import Domain
from ._claims import Alias, Claims, KnownScore
from ._reading import in_words
from ._sums import Sums

Cost = Literal["cheap", "moderate", "heavy"]


@dataclass(frozen=True, kw_only=True)
class Measure(Record):
    """A comparison of two representations, with all of its options.

    A concrete measure is a final, frozen dataclass. Its fields are its options, and
    options are JSON scalars. Equality, hashing, configuration files and citations all
    use this one object. A measure implements three methods: `claims`, `prepare` and
    `compare`.

    `prepare` takes one representation, `compare` takes two prepared ones. K
    representations therefore cost K preparations and K^2 cheap comparisons.

    Nine more methods are optional. `offers` tells whether a measure implements them:

    - `compare_all`, if one product gives the scores of all pairs;
    - `leave_out`, if rows can be left out without preparing the remaining rows again;
    - `permute`, if rows of a prepared representation can be reordered;
    - `null`, if many permutations together cost less than one at a time;
    - `null_moments`, if moments over all permutations are known in closed form;
    - `per_stimulus`, if single stimuli have scores;
    - `compare_sums`, if sums over rows give the score of data larger than memory;
    - `prepare_parts`, if rows of data larger than memory can be prepared in parts;
    - `details`, for values that are reported with the score.
    """

    domain: ClassVar[Domain] = "points"
    cost: ClassVar[Cost] = "cheap"
    # Copies of n x d rows in float64 at one time, if n >= 4 d and without a null.
    copies: ClassVar[int] = 6
    extra: ClassVar[str | None] = None  # the optional dependency that it needs
    version: ClassVar[int] = 1  # increases when a change alters values
    aliases: ClassVar[tuple[Alias, ...]] = ()  # other names of the measure
    known: ClassVar[tuple[KnownScore, ...]] = ()  # scores that were computed by hand

    @classmethod
    def of_inputs(cls, inputs: Any) -> "Measure | None":
        """The measure built with the networks' inputs; None if it does not need them.

        `compare` adds this measure if inputs are given.
        """
        return None

    @abc.abstractmethod
    def claims(self) -> Claims:
        """The properties of this measure with these options."""

    @abc.abstractmethod
    def prepare(self, x: Any, seed: SeedSequence | None = None) -> Any:
        """Do all work that depends on one representation only.

        `x` is user input, or `Points` that are already validated. Begin with
        ``x = similitude.inputs.points(x)``. `seed` is a value, not a generator, so both
        sides draw the same rows.
        """

    @abc.abstractmethod
    def compare(self, p: Any, q: Any) -> Array:
        """The score of two prepared representations: 0-d, in the caller's library.

        For numpy the score is a `numpy.float64`, the 0-d float of numpy.
        """

    def prepare_parts(
        self,
        parts: Callable[[], Iterator[np.ndarray]],
        n: int,
        seed: SeedSequence | None = None,
    ) -> Any:
        """`prepare` of n rows that are read in parts, in order, by calling `parts`.

        `compare` uses it if a representation does not fit into the memory budget.
        """
        raise NotImplementedError(f"{self.name} does not implement prepare_parts")

    def compare_all(self, ps: Sequence[Any]) -> Array:
        """Scores of all ordered pairs of prepared representations, K x K.

        This default compares one pair at a time; if the measure is symmetric, each pair
        once. Override it if all pairs together cost less. The engine then computes all
        pairs at once; otherwise it stores scores pair by pair.
        """
        count, symmetric = len(ps), self.claims().symmetric
        computed = {
            (i, j): self.compare(ps[i], ps[j])
            for i in range(count)
            for j in range(i if symmetric else 0, count)
        }
        scores = [
            computed[(i, j) if (i, j) in computed else (j, i)]
            for i in range(count)
            for j in range(count)
        ]
        xp = namespace(scores[0])
        return xp.reshape(xp.stack(scores), (count, count))

    def leave_out(
        self, ps: Sequence[Any], groups: Sequence[np.ndarray], kept: np.ndarray
    ) -> np.ndarray:
        """`compare_all` without some groups of rows, which are given by their indices.

        Each of L results keeps the groups that have 1 in its row of `kept`, L x G. A
        numpy array, L x K x K, for the jackknife. An entry is NaN if the score does not
        exist, or if preparing all rows together lost digits of the remaining rows. The
        engine then prepares the remaining rows again.
        """
        raise NotImplementedError(f"{self.name} does not implement leave_out")

    def permute(self, q: Any, order: np.ndarray) -> Any:
        """The prepared representation q with its rows in the order of these indices."""
        raise NotImplementedError(f"{self.name} does not implement permute")

    def null(self, p: Any, q: Any, orders: np.ndarray) -> Array:
        """Scores with the rows of q in each of the B orders; `orders` is B x n.

        This default needs `permute` and compares one order at a time. The result is
        1-d, in the caller's library.
        """
        scores = [self.compare(p, self.permute(q, order)) for order in orders]
        return namespace(scores[0]).stack(scores)

    def null_moments(self, p: Any, q: Any) -> tuple[float, float, float]:
        """Mean, variance and skewness of the score over all permutations of rows."""
        raise NotImplementedError(f"{self.name} does not implement null_moments")

    def null_work(self, n: int, d_x: int, d_y: int) -> float:
        """Predicted multiplications for the score of one permutation of n rows.

        `compare` plans the number of permutations by it. It depends on sizes only, so
        the plan is the same on every machine. This default is one product of both
        sides, and a tenth of a millisecond of overhead.
        """
        return 3e6 + n * min(n, d_x) * min(n, d_y)

    def score_work(self, n: int, d_x: int, d_y: int) -> float:
        """Predicted multiplications for one score of two prepared sides.

        Only times that are printed before a run depend on it.
        """
        return self.null_work(n, d_x, d_y)

    def moments_work(self, n: int, d: int) -> float:
        """Predicted multiplications of `null_moments` for one side of n x d."""
        return float(n * n * n)

    def per_stimulus(self, p: Any, q: Any) -> np.ndarray:
        """One score per stimulus, in numpy; `claims` says how they give the score."""
        raise NotImplementedError(f"{self.name} does not implement per_stimulus")

    def compare_sums(self, sums: Sums) -> Array:
        """The score from sums over the rows of both sides, without the rows.

        `compare` uses it if a representation does not fit into the memory budget. Its
        rows are then read once, in parts.
        """
        raise NotImplementedError(f"{self.name} does not implement compare_sums")

    def details(self, p: Any, q: Any) -> dict[str, Any]:
        """Values to report with the score, as JSON values."""
        return {}

    def barcodes(self, p: Any, q: Any) -> dict[str, np.ndarray]:
        """Bars behind the score, by direction: k x 2 births and deaths, in numpy.

        `compare` stores them in the results folder.
        """
        return {}

    def reading(self, n: int) -> str:
        """A phrase that tells how to read a score of n rows, made from the claims."""
        return in_words(self.claims())

    def biased_twin(self) -> Self | None:
        """This measure with the biased estimator that others report, or None."""
        if self.options.get("estimator") != "unbiased":
            return None
        changes: dict[str, Any] = {"estimator": "biased"}
        return replace(self, **changes)

    def offers(self, method: str) -> bool:
        """Whether this measure, with these options, implements an optional method."""
        return getattr(type(self), method) is not getattr(Measure, method)

    def __call__(self, x: Any, y: Any, rng: Rng | None = None) -> Array:
        """The score of two representations; a paired measure needs the same stimuli."""
        return self.compare(*self.prepare_both(x, y, rng))

    def prepare_both(self, x: Any, y: Any, rng: Rng | None = None) -> tuple[Any, Any]:
        """Validate and prepare two representations; errors name the argument."""
        x, y = inputs.admit(self.domain, x, y, paired=self.claims().paired)
        seed = None if rng is None else as_seed(rng)
        prepared = {}
        for name, side in (("x", x), ("y", y)):
            try:
                prepared[name] = self.prepare(side, seed)
            except Undefined as error:
                raise Undefined(f"{name}: {error}") from None
        return prepared["x"], prepared["y"]

    @property
    def func(self) -> Callable[..., Array]:
        """The function of the same name, with these options filled in."""
        module = sys.modules[type(self).__module__]
        function = getattr(module, self.name, None)
        if function is None:  # a user-defined measure does not need a function
            return self
        return functools.partial(function, **self.options)

    @property
    def family(self) -> str:
        """The folder in `similitude.measures`; "other" for third-party measures."""
        package, *inner = type(self).__module__.split(".")
        return inner[1] if package == "similitude" and len(inner) == 3 else "other"

    def identity(self) -> dict[str, Any]:
        """What identifies this measure in results folders, as JSON values."""
        return self.to_json()

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "version": self.version, "options": self.options}
