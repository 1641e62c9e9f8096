"""A relative transform: options that are fitted to anchors and become a function."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from ..._array import Array, library, to_numpy
from ..._record import Record
from ..._validate import Points, points
from ...errors import InvalidInput
from ...transformations import Group, closure
from ._fitted import Fitted
from ._rows import Normalize, moments, normalized

State = dict[str, Array]


@dataclass(frozen=True, kw_only=True)
class Relative(Record):
    r"""A way to describe rows by what they are to anchors.

    .. math:: T_A(z) = (s(z, a_1), \dots, s(z, a_k))

    Subclasses say what s is. `normalize` says what is done to T_A(z) afterwards:

    - ``"none"``: nothing;
    - ``"l2"``: rows of length 1 (what the first publication does before its head);
    - ``"layer"``: rows of mean 0 and variance 1;
    - ``"columns"``: columns of mean 0 and variance 1 over the reference, or over the
      anchors where there is none. Statistics of the fit, so that what becomes of one
      row never depends on the others.

    This choice changes results and is rarely reported: say which one was made.
    """

    refs: ClassVar[tuple[str, ...]] = ("moschella2023relative",)

    normalize: Normalize = "none"

    @property
    @abstractmethod
    def similarity_invariances(self) -> frozenset[Group]:
        """Largest groups that may act on rows and anchors alike without changing s."""

    @property
    def invariances(self) -> frozenset[Group]:
        """Groups that may act on rows and anchors alike without changing the output."""
        found = closure(self.similarity_invariances)
        if self.normalize == "none" or not self.homogeneous:
            return found
        return found | {Group.ISOTROPIC_SCALE}

    @property
    def homogeneous(self) -> bool:
        """Whether a scale of rows and anchors only scales s, so that it can go."""
        return True

    def invariances_of(self, k: int, d: int) -> frozenset[Group]:
        """The same for so many anchors in so many dimensions, where that matters."""
        return self.invariances

    @property
    def takes_reference(self) -> bool:
        """Whether `fit` makes anything of reference rows."""
        return self.normalize == "columns" or self.needs_reference

    @property
    def needs_reference(self) -> bool:
        """Whether `fit` cannot do without reference rows."""
        return getattr(self, "stats", None) == "train"

    def fit(
        self, anchors: Any, reference: Any = None, *, allow_duplicates: bool = False
    ) -> Fitted:
        """The function of rows that these anchors make of this transform.

        Parameters
        ----------
        anchors
            k x d, embedded by the encoder whose rows will be transformed. Gradients
            flow through them; detach them if they should not.
        reference
            n x d rows of the same encoder, from which statistics are taken
            (``stats="train"``, ``normalize="columns"``); refused where nothing is.
        allow_duplicates
            Equal anchors give equal columns, and are mistakes more often than not.
        """
        a = points(anchors, "anchors")
        if not allow_duplicates:
            _check_distinct(a)
        ref = None
        if reference is not None:
            ref = points(reference, "reference").values
        self._check_reference(a, ref)
        state = self.prepare(a.values, ref)
        if self.normalize == "columns":
            rows = self.similarities(state, a.values if ref is None else ref)
            state["output_mean"], state["output_factor"] = moments(rows)
        return Fitted(self, state, a.n, a.d)

    def _check_reference(self, anchors: Points, reference: Array | None) -> None:
        if reference is None and self.needs_reference:
            raise InvalidInput(
                f"{self.name} takes its statistics from a reference: fit(anchors, "
                f"reference=train_rows), or choose stats='anchors'."
            )
        if reference is None:
            return
        if not self.takes_reference:
            raise InvalidInput(
                f"reference= does nothing for {self.label}; leave it out, or choose "
                f"stats='train' or normalize='columns' where the transform has them."
            )
        if reference.shape[1] != anchors.d:
            raise InvalidInput(
                f"reference has {reference.shape[1]} columns and the anchors have "
                f"{anchors.d}; embed both with the same encoder."
            )
        if library(reference) != library(anchors.values):
            raise InvalidInput(
                f"reference is a {library(reference)} array and the anchors are "
                f"{library(anchors.values)}. Convert one of them."
            )

    @abstractmethod
    def prepare(self, anchors: Array, reference: Array | None) -> State:
        """Everything that `similarities` needs, as arrays by name."""

    @abstractmethod
    def similarities(self, state: State, x: Array) -> Array:
        """s of every row of `x` to every anchor."""

    def transform(self, state: State, x: Array) -> Array:
        """The whole: similarities and what is done to them afterwards."""
        return normalized(self.similarities(state, x), self.normalize, state)


def check_anchors(least: int, anchors: Array, why: str) -> None:
    if anchors.shape[0] < least:
        raise InvalidInput(
            f"anchors are {anchors.shape[0]}, and {why}; give at least {least}."
        )


def _check_distinct(anchors: Points) -> None:
    """No anchor twice; by the bytes of a row, where -0.0 was made 0.0."""
    first: dict[bytes, int] = {}
    for i, row in enumerate(to_numpy(anchors.values) + 0.0):
        j = first.setdefault(row.tobytes(), i)
        if j != i:
            raise InvalidInput(
                f"anchors: rows {j} and {i} of {anchors.n} are equal. Choose another "
                f"anchor, or pass allow_duplicates=True."
            )
