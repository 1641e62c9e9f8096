"""`Barcode`: the bars of one degree, with the edges of their births and deaths."""

from dataclasses import dataclass

import numpy as np

from ..errors import InvalidInput

__all__ = ["Barcode"]


@dataclass(frozen=True, eq=False)
class Barcode:
    r"""Bars [birth, death) of one degree, sorted by birth, then by death.

    Each birth and death is the weight of an edge. Bars store these edges, so the values
    can be read again from another matrix, for example a tensor with gradients.

    Attributes
    ----------
    degree : int
        Degree of the homology groups.
    births, deaths : array of float64, shape (k,)
        0 <= birth < death <= infinity; an infinite death means that the class never
        dies. Values are read from the float64 distances of the caller. Events are
        ordered in float32, and bars of length 0 in float32 are omitted.
    birth_edges, death_edges : array of int, shape (k, 2)
        The edge (i, j), i <= j, whose weight is that value. (-1, -1) means no edge: a
        vertex is born at 0 without an edge, and an infinite bar does not die.
    birth_in, death_in : array of str, shape (k,)
        The matrix that contains the weight of that edge.
        ``"w"`` and ``"w_tilde"``: the first or second matrix, as a weight of the larger
        complex (for min(w, w̃), the smaller one; plain Rips has only ``"w"``).
        ``"cone"``: the first matrix, as the moment at which the edge enters the smaller
        complex R(w) and is coned off.
        ``"none"``: there is no edge.
    n_points : int
        Number of vertices of the complex.

    Examples
    --------
    The four corners of a square of side 1 enclose a hole until its diagonals enter.

    >>> import numpy as np
    >>> from similitude.topology import rips_barcode
    >>> corners = np.array([[0, 0], [0, 1], [1, 1], [1, 0]])
    >>> h0, h1 = rips_barcode(corners)
    >>> h1
    Barcode of degree 1 on 4 points: 1 bar, total persistence 0.414214
    >>> h0.deaths
    array([ 1.,  1.,  1., inf])
    >>> h0.finite().total_persistence  # the minimum spanning tree
    3.0
    """

    degree: int
    births: np.ndarray
    deaths: np.ndarray
    birth_edges: np.ndarray
    death_edges: np.ndarray
    birth_in: np.ndarray
    death_in: np.ndarray
    n_points: int

    def __post_init__(self) -> None:
        order = np.lexsort((self.deaths, self.births))
        for name, dtype, width in _COLUMNS:
            column = np.asarray(getattr(self, name), dtype=dtype)
            shape = (len(order), *width)
            if column.shape != shape:
                raise InvalidInput(
                    f"{name} has shape {column.shape}; for {len(order)} bars give "
                    f"shape {shape}."
                )
            column = column[order]
            column.flags.writeable = False
            object.__setattr__(self, name, column)

    def __len__(self) -> int:
        return len(self.births)

    def __repr__(self) -> str:
        bars = "1 bar" if len(self) == 1 else f"{len(self)} bars"
        return (
            f"Barcode of degree {self.degree} on {self.n_points} points: {bars}, "
            f"total persistence {self.total_persistence:.6g}"
        )

    @property
    def lengths(self) -> np.ndarray:
        """death - birth of every bar; infinite for bars that never die."""
        return self.deaths - self.births

    @property
    def total_persistence(self) -> float:
        """Sum of all lengths; infinite if a bar is infinite."""
        return float(self.lengths.sum())

    def finite(self) -> "Barcode":
        """The bars with a finite death."""
        return self.select(np.isfinite(self.deaths))

    def select(self, which: np.ndarray) -> "Barcode":
        """The bars selected by a mask or an index array."""
        columns = {name: getattr(self, name)[which] for name, _, _ in _COLUMNS}
        return Barcode(degree=self.degree, n_points=self.n_points, **columns)


_COLUMNS: tuple[tuple[str, type | str, tuple[int, ...]], ...] = (
    ("births", np.float64, ()),
    ("deaths", np.float64, ()),
    ("birth_edges", np.int64, (2,)),
    ("death_edges", np.int64, (2,)),
    ("birth_in", "<U7", ()),
    ("death_in", "<U7", ()),
)
