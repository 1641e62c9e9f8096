"""The measure: a frozen record of options that can prepare, compare and claim."""

import abc
import functools
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar, Literal, Self, get_args, get_origin

import numpy as np

from .. import inputs
from .._array import Array, namespace
from .._seed import Rng, as_seed
from ._claims import Claims

Domain = Literal["points", "outputs", "softmax"]
Cost = Literal["cheap", "moderate", "heavy"]
Option = str | int | float | bool | None


@dataclass(frozen=True)
class Measure(abc.ABC):
    """A comparison of two representations, with all of its options.

    A concrete measure is a frozen dataclass whose fields are its options, JSON scalars
    only, so that equality, hashing, configuration files and citations follow from one
    object. It is final, and it writes three methods: `claims`, `prepare`, `compare`.

    The work is split in two so that K representations cost K preparations and K^2
    cheap comparisons: `prepare` sees one representation, `compare` two prepared ones.

    Three more methods are optional, and `offers` tells whether a measure has them:
    `compare_all` where all pairs are one product, `permute` where the rows of a
    prepared representation can be reordered without preparing it again, and `details`.
    """

    name: ClassVar[str]
    domain: ClassVar[Domain] = "points"
    cost: ClassVar[Cost] = "cheap"
    extra: ClassVar[str | None] = None  # the optional dependency it needs
    refs: ClassVar[tuple[str, ...]]  # keys into references.bib
    version: ClassVar[int] = 1  # raised when a change alters values

    @abc.abstractmethod
    def claims(self) -> Claims:
        """What is true of this measure with these options."""

    @abc.abstractmethod
    def prepare(self, x: Any, seed: Any = None) -> Any:
        """All work that depends on one representation only.

        `seed` is a value, not a generator, so that both sides draw the same rows.
        """

    @abc.abstractmethod
    def compare(self, p: Any, q: Any) -> Array:
        """The score of two prepared representations, 0-d, in the caller's library."""

    def compare_all(self, ps: Sequence[Any]) -> Array:
        """Scores of all ordered pairs of prepared ones, K x K; here one by one."""
        rows = [[self.compare(p, q) for q in ps] for p in ps]
        xp = namespace(rows[0][0])
        return xp.stack([xp.stack(row) for row in rows])

    def permute(self, q: Any, order: np.ndarray) -> Any:
        """What `prepare` would give for the rows of q in the order of these indices."""
        raise NotImplementedError(f"{self.name} prepares anew for every permutation")

    def details(self, p: Any, q: Any) -> dict[str, Any]:
        """What a careful reader wants beside the score; JSON values."""
        return {}

    def offers(self, method: str) -> bool:
        """Whether this measure has its own version of an optional method."""
        return getattr(type(self), method) is not getattr(Measure, method)

    def __call__(self, x: Any, y: Any, rng: Rng | None = None) -> Array:
        """The score of two representations of the same stimuli."""
        x, y = inputs.admit(self.domain, x, y)
        seed = None if rng is None else as_seed(rng)
        return self.compare(self.prepare(x, seed), self.prepare(y, seed))

    @property
    def func(self) -> Callable[..., Array]:
        """The documented function of the same name, with these options filled in."""
        function = getattr(sys.modules[type(self).__module__], self.name)
        return functools.partial(function, **self.options)

    @property
    def options(self) -> dict[str, Option]:
        return asdict(self)

    @property
    def label(self) -> str:
        """The name, and the options that are not at their defaults."""
        changed = [
            f"{f.name}={value!r}"
            for f in fields(self)
            if (value := getattr(self, f.name)) != f.default
        ]
        return f"{self.name}({', '.join(changed)})" if changed else self.name

    def variants(self) -> list[Self]:
        """This measure, and what each listed value of one option makes of it."""
        others = [
            replace(self, **{f.name: value})
            for f in fields(self)
            for value in ((False, True) if f.type is bool else _listed(f.type))
        ]
        return list(dict.fromkeys([self, *others]))

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "version": self.version, "options": self.options}


def _listed(annotation: Any) -> tuple[Option, ...]:
    """The values that a Literal type lists."""
    return get_args(annotation) if get_origin(annotation) is Literal else ()
