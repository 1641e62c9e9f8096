"""The measure: a frozen record of options that can prepare, compare and claim."""

import abc
import functools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.random import SeedSequence

from .. import inputs
from .._array import Array, namespace
from .._record import Record
from .._seed import Rng, as_seed
from ..errors import Undefined
from ..representation import Domain
from ._claims import Claims
from ._known import Alias, Known
from ._reading import in_words

Cost = Literal["cheap", "moderate", "heavy"]


@dataclass(frozen=True, kw_only=True)
class Measure(Record):
    """A comparison of two representations, with all of its options.

    A concrete measure is a frozen dataclass whose fields are its options, JSON scalars
    only, so that equality, hashing, configuration files and citations follow from one
    object. It is final, and it writes three methods: `claims`, `prepare`, `compare`.

    The work is split in two so that K representations cost K preparations and K^2
    cheap comparisons: `prepare` sees one representation, `compare` two prepared ones.

    Six more methods are optional, and `offers` tells whether a measure has them:
    `compare_all` where all pairs are one product, `leave_out` where groups of rows can
    be left out without preparing what remains, `permute` where the rows of a prepared
    representation can be reordered without preparing it again, `null` where many
    orders together cost less than one by one, `null_moments` where the distribution
    over all orders is known in closed form, and `details`.
    """

    domain: ClassVar[Domain] = "points"
    cost: ClassVar[Cost] = "cheap"
    extra: ClassVar[str | None] = None  # the optional dependency it needs
    version: ClassVar[int] = 1  # raised when a change alters values
    aliases: ClassVar[tuple[Alias, ...]] = ()  # other names that people type
    known: ClassVar[tuple[Known, ...]] = ()  # scores that are known by hand

    @classmethod
    def of_inputs(cls, inputs: Any) -> "Measure | None":
        """The measure that needs what the networks saw, given it; here there is none.

        `compare` adds it where it is told the inputs.
        """
        return None

    @abc.abstractmethod
    def claims(self) -> Claims:
        """What is true of this measure with these options."""

    @abc.abstractmethod
    def prepare(self, x: Any, seed: SeedSequence | None = None) -> Any:
        """All work that depends on one representation only.

        `x` is what a user passes, or `Points` that have passed the door: begin with
        ``x = similitude.inputs.points(x)``. `seed` is a value, not a generator, so that
        both sides draw the same rows.
        """

    @abc.abstractmethod
    def compare(self, p: Any, q: Any) -> Array:
        """The score of two prepared representations, 0-d, in the caller's library.

        Numpy scores are `numpy.float64`, which is how numpy holds a 0-d float.
        """

    def compare_all(self, ps: Sequence[Any]) -> Array:
        """Scores of all ordered pairs of prepared ones, K x K.

        Here one by one, of a symmetric measure each pair once. Overwrite it where all
        pairs together cost less: what is offered is computed in one piece, and what
        is not is kept pair by pair by the engine.
        """
        count, symmetric = len(ps), self.claims().symmetric
        once = {
            (i, j): self.compare(ps[i], ps[j])
            for i in range(count)
            for j in range(i if symmetric else 0, count)
        }
        scores = [
            once[(i, j) if (i, j) in once else (j, i)]
            for i in range(count)
            for j in range(count)
        ]
        xp = namespace(scores[0])
        return xp.reshape(xp.stack(scores), (count, count))

    def leave_out(self, ps: Sequence[Any], sizes: Sequence[int]) -> np.ndarray:
        """`compare_all` without the first sizes[0] rows, without the next sizes[1], ...

        G x K x K in numpy, for the jackknife; NaN where the score does not exist, or
        where the rows that stay, seen through what was prepared of all, lost digits to
        those that go. The engine prepares them anew.
        """
        raise NotImplementedError(f"{self.name} prepares anew for every group")

    def permute(self, q: Any, order: np.ndarray) -> Any:
        """What `prepare` would give for the rows of q in the order of these indices."""
        raise NotImplementedError(f"{self.name} prepares anew for every permutation")

    def null(self, p: Any, q: Any, orders: np.ndarray) -> Array:
        """Scores with the rows of q in each of these orders, B x n; here one by one.

        For every measure that offers `permute`; 1-d, in the caller's library.
        """
        scores = [self.compare(p, self.permute(q, order)) for order in orders]
        return namespace(scores[0]).stack(scores)

    def null_moments(self, p: Any, q: Any) -> tuple[float, float, float]:
        """Mean, variance and skewness of the score over all permutations of rows."""
        raise NotImplementedError(f"{self.name} has no moments in closed form")

    def details(self, p: Any, q: Any) -> dict[str, Any]:
        """What a careful reader wants beside the score; JSON values."""
        return {}

    def reading(self, n: int) -> str:
        """The words by which a score of n rows is read; here those of its claims."""
        return in_words(self.claims())

    def biased_twin(self) -> Self | None:
        """The same measure with its biased estimator, which others print."""
        if self.options.get("estimator") != "unbiased":
            return None
        changes: dict[str, Any] = {"estimator": "biased"}
        return replace(self, **changes)

    def offers(self, method: str) -> bool:
        """Whether this measure, with these options, has its own optional method."""
        return getattr(type(self), method) is not getattr(Measure, method)

    def __call__(self, x: Any, y: Any, rng: Rng | None = None) -> Array:
        """The score of two representations; if it is paired, of the same stimuli."""
        x, y = inputs.admit(self.domain, x, y, paired=self.claims().paired)
        seed = None if rng is None else as_seed(rng)
        prepared = {}
        for name, side in (("x", x), ("y", y)):
            try:
                prepared[name] = self.prepare(side, seed)
            except Undefined as error:
                raise Undefined(f"{name}: {error}") from None
        return self.compare(prepared["x"], prepared["y"])

    @property
    def func(self) -> Callable[..., Array]:
        """The documented function of the same name, with these options filled in."""
        module = sys.modules[type(self).__module__]
        function = getattr(module, self.name, None)
        if function is None:  # a measure of one's own needs none
            return self
        return functools.partial(function, **self.options)

    @property
    def family(self) -> str:
        """The folder of `similitude.measures` it is in; a third party's is "other"."""
        package, *inner = type(self).__module__.split(".")
        return inner[1] if package == "similitude" and len(inner) == 3 else "other"

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "version": self.version, "options": self.options}
