"""Base class of relative transforms, which are fitted to anchors."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from ...._base._array import Array, library, to_numpy
from ...._base._record import Record
from ...._base._validate import Points, points
from ....errors import InvalidInput
from ....transformations import Group, closure
from ._fitted import Fitted
from ._rows import Normalize, moments, normalized

State = dict[str, Array]


@dataclass(frozen=True, kw_only=True)
class Relative(Record):
    r"""A description of rows by their similarities to anchors.

    .. math:: T_A(z) = (s(z, a_1), \dots, s(z, a_k))

    Subclasses define s. `normalize` is the normalization of T_A(z):

    - ``"none"``: no normalization;
    - ``"l2"``: rows of length 1 (as in the first publication, before its head);
    - ``"layer"``: rows of mean 0 and variance 1;
    - ``"columns"``: columns of mean 0 and variance 1 over the reference, or over the
      anchors without a reference. The fit computes these statistics, so the output of
      one row does not depend on other rows.

    This choice changes results and is rarely reported: report it.
    """

    refs: ClassVar[tuple[str, ...]] = ("moschella2023relative",)

    normalize: Normalize = "none"

    @property
    @abstractmethod
    def similarity_invariances(self) -> frozenset[Group]:
        """Largest groups that leave s unchanged if applied to rows and anchors."""

    @property
    def invariances(self) -> frozenset[Group]:
        """Groups that leave the output unchanged if applied to rows and anchors."""
        found = closure(self.similarity_invariances)
        if self.normalize == "none" or not self.homogeneous:
            return found
        return found | {Group.ISOTROPIC_SCALE}

    @property
    def homogeneous(self) -> bool:
        """Whether scaling rows and anchors only scales s; `normalize` removes that."""
        return True

    def invariances_of(self, k: int, d: int) -> frozenset[Group]:
        """Invariances for k anchors in d dimensions, for transforms that need both."""
        return self.invariances

    @property
    def takes_reference(self) -> bool:
        """Whether `fit` uses reference rows."""
        return self.normalize == "columns" or self.needs_reference

    @property
    def needs_reference(self) -> bool:
        """Whether `fit` requires reference rows."""
        return getattr(self, "stats", None) == "train"

    def fit(
        self, anchors: Any, reference: Any = None, *, allow_duplicates: bool = False
    ) -> Fitted:
        """Fit the transform to anchors; the result is a function of rows.

        Parameters
        ----------
        anchors
            k x d, embedded by the encoder whose rows will be transformed. Gradients
            flow through the anchors; detach them to prevent that.
        reference
            n x d rows of the same encoder, for statistics (``stats="train"``,
            ``normalize="columns"``). An error for transforms that do not use it.
        allow_duplicates
            Accept equal anchors. They give equal columns and are usually a mistake.
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
                f"reference= is missing: {self.name} takes its statistics from it. Use "
                f"fit(anchors, reference=train_rows), or choose stats='anchors'."
            )
        if reference is None:
            return
        if not self.takes_reference:
            raise InvalidInput(
                f"reference= has no effect for {self.label}; omit it, or choose "
                f"stats='train' or normalize='columns' if the transform has them."
            )
        if reference.shape[1] != anchors.d:
            raise InvalidInput(
                f"reference has {reference.shape[1]} columns, but the anchors have "
                f"{anchors.d}; embed both with the same encoder."
            )
        if library(reference) != library(anchors.values):
            raise InvalidInput(
                f"reference is a {library(reference)} array, but anchors is a "
                f"{library(anchors.values)} array. Convert one of them."
            )

    @abstractmethod
    def prepare(self, anchors: Array, reference: Array | None) -> State:
        """Compute the arrays that `similarities` needs, by name."""

    @abstractmethod
    def similarities(self, state: State, x: Array) -> Array:
        """Compute s for every row of `x` and every anchor."""

    def transform(self, state: State, x: Array) -> Array:
        """Compute similarities and normalize them."""
        return normalized(self.similarities(state, x), self.normalize, state)


def check_anchors(least: int, anchors: Array, why: str) -> None:
    if anchors.shape[0] < least:
        raise InvalidInput(
            f"got {anchors.shape[0]} anchors, but {why}; give at least {least}."
        )


def _check_distinct(anchors: Points) -> None:
    """Raise if two anchors are equal; compares bytes after turning -0.0 into 0.0."""
    first: dict[bytes, int] = {}
    for i, row in enumerate(to_numpy(anchors.values) + 0.0):
        j = first.setdefault(row.tobytes(), i)
        if j != i:
            raise InvalidInput(
                f"anchors: rows {j} and {i} of {anchors.n} are equal. Choose another "
                f"anchor, or pass allow_duplicates=True."
            )
