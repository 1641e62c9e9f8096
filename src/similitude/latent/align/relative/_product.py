"""The product of invariances: several relative representations combined."""

from dataclasses import dataclass
from typing import Any, Literal

from ...._base._array import Array, namespace, widen
from ....errors import InvalidInput
from ....transformations import Group
from ._base import Relative, State
from ._cosines import Cosine
from ._distances import L1, Euclidean, Linf
from ._rows import moments, normalized

DEFAULT_PARTS = (Cosine(), Euclidean(), L1(), Linf())


@dataclass(frozen=True, kw_only=True)
class Product(Relative):
    r"""Several transforms, each normalized, then concatenated or added.

    .. math:: [T^1_A(z), \dots, T^m_A(z)] \quad\text{or}\quad \sum_j T^j_A(z)

    `normalize` is applied to each part before aggregation, so no part outweighs the
    others. ``"concatenate"`` returns n x mk, ``"sum"`` returns n x k. Neither has
    parameters; the trained aggregations of the paper are heads, not transforms. The
    invariances are those that all parts share.

    >>> parts = (Cosine(), Euclidean())
    >>> Product(parts=parts, normalize="none").fit([[1.0, 0.0]])([[3.0, 0.0]])
    array([[1., 2.]])
    >>> both = Product(parts=parts, aggregate="sum", normalize="none")
    >>> both.fit([[1.0, 0.0]])([[3.0, 0.0]])
    array([[3.]])
    """

    name = "product"
    refs = ("cannistraci2024bricks",)

    normalize: Literal["none", "l2", "layer", "columns"] = "l2"
    parts: tuple[Relative, ...] = DEFAULT_PARTS
    aggregate: Literal["concatenate", "sum"] = "concatenate"

    def __post_init__(self) -> None:
        if not _are_transforms(self.parts):
            raise InvalidInput(
                f"parts={self.parts!r}; give a tuple of two or more transforms."
            )
        super().__post_init__()

    @property
    def similarity_invariances(self) -> frozenset[Group]:
        return frozenset.intersection(*(p.invariances for p in self.parts))

    @property
    def invariances(self) -> frozenset[Group]:
        return self._shared([p.invariances for p in self.parts])

    def invariances_of(self, k: int, d: int) -> frozenset[Group]:
        return self._shared([p.invariances_of(k, d) for p in self.parts])

    def _shared(self, per_part: list[frozenset[Group]]) -> frozenset[Group]:
        removed = {Group.ISOTROPIC_SCALE} if self.normalize != "none" else set()
        return frozenset.intersection(
            *(
                groups | (removed if part.homogeneous else set())
                for part, groups in zip(self.parts, per_part, strict=True)
            )
        )

    @property
    def homogeneous(self) -> bool:
        return Group.ISOTROPIC_SCALE in self.invariances

    @property
    def takes_reference(self) -> bool:
        return super().takes_reference or any(p.takes_reference for p in self.parts)

    @property
    def needs_reference(self) -> bool:
        return any(p.needs_reference for p in self.parts)

    def prepare(self, anchors: Array, reference: Array | None) -> State:
        state: State = {}
        rows = anchors if reference is None else reference
        for i, part in enumerate(self.parts):
            fitted = part.prepare(anchors, reference if part.takes_reference else None)
            if part.normalize == "columns":
                found = part.similarities(fitted, rows)
                fitted["output_mean"], fitted["output_factor"] = moments(found)
            state |= {f"{i}.{name}": value for name, value in fitted.items()}
        return state

    def similarities(self, state: State, x: Array) -> Array:
        """Concatenate the parts, before they are normalized and aggregated."""
        outputs = [
            part.transform(_part_state(state, i), x)
            for i, part in enumerate(self.parts)
        ]
        return namespace(x).concat([widen(t) for t in outputs], axis=1)

    def transform(self, state: State, x: Array) -> Array:
        xp, rows, blocks = namespace(x), self.similarities(state, x), []
        k = rows.shape[1] // len(self.parts)
        for i in range(len(self.parts)):
            span = slice(i * k, (i + 1) * k)
            columns: State = {
                name: state[name][span]
                for name in ("output_mean", "output_factor")
                if name in state
            }
            blocks.append(normalized(rows[:, span], self.normalize, columns))
        if self.aggregate == "sum":
            return sum(blocks)
        return xp.concat(blocks, axis=1)

    @property
    def options(self) -> dict[str, Any]:
        return super().options | {"parts": [part.to_json() for part in self.parts]}

    @property
    def label(self) -> str:
        inner = ", ".join(part.label for part in self.parts)
        return f"product({inner}; {self.aggregate}, {self.normalize})"


def _are_transforms(parts: Any) -> bool:
    several = isinstance(parts, tuple | list) and len(parts) >= 2
    return several and all(isinstance(part, Relative) for part in parts)


def _part_state(state: State, part: int) -> State:
    prefix = f"{part}."
    return {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}
