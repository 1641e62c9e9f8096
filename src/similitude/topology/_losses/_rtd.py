"""RTD and its relatives as losses in torch: sums of lengths of critical edges.

A sum of bars is a sum of lengths of edges, with signs, and which edges these are only
changes where two lengths pass each other. So the engine finds the edges without
gradients, and their lengths are computed again from the tensors: a backward pass costs
as much as the bars are many, not as the distances.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..._validate import check_one_of, pair, points
from ...errors import InvalidInput, require
from .._barcode import Barcode
from .._filtration import Normalize, euclidean, normalized
from .._r_cross_barcode import both_r_cross_barcodes, relative_barcodes
from .._trees._spanning_trees import spanning_tree

__all__ = ["rtd_lite_loss", "rtd_loss", "srtd_loss"]

Tensor = Any


class Terms(NamedTuple):
    """Signed edges of one of the two clouds."""

    side: np.ndarray  # (k,): 0 or 1
    edges: np.ndarray  # (k, 2)
    weights: np.ndarray  # (k,)


def rtd_loss(
    x: Tensor, y: Tensor, /, *, normalize: Normalize = "quantile", quantile: float = 0.9
) -> Tensor:
    r"""`similitude.rtd` of all rows of two torch tensors, with its gradient.

    .. math:: \frac{\partial\, \mathrm{RTD}_1(X, Y)}{\partial w_e} =
              \#\{\text{bars that end at } w_e\} - \#\{\text{bars that begin at } w_e\}

    where w are distances in the units of their cloud, as are those of the other, and
    RTD is half of the sum of both directions. All bars count. At a tie this is the
    derivative of one side of it; at points that coincide a length has derivative 0.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 tensors, rows the same n stimuli; either may need no gradient.
    normalize, quantile
        The unit of distances in each cloud, as in `similitude.rtd`. It is
        differentiated too: the loss does not see the scale of either side.

    Returns
    -------
    0-d tensor
        In the dtype of x (float32 for half precision) and on its device.

    Raises
    ------
    MissingExtra
        Without torch.
    InvalidInput
        For anything but two tensors of equally many rows.

    References
    ----------
    trofimov2023learning

    Examples
    --------
    Two groups that are too far from each other in x: the edge between them shrinks.

    >>> import torch
    >>> x = torch.tensor([[0.0], [1.0], [11.0], [12.0]], requires_grad=True)
    >>> y = torch.tensor([[0.0], [1.0], [3.0], [4.0]])
    >>> loss = rtd_loss(x, y, normalize="none")
    >>> loss.backward()
    >>> loss.item(), x.grad.flatten().tolist()
    (4.0, [0.0, -0.5, 0.5, 0.0])
    """
    sides, w, w_tilde = _sides(x, y, normalize, quantile)
    one, two = (bars[1] for bars in both_r_cross_barcodes(w, w_tilde))
    terms = [_of_bars(one, "w_tilde"), _of_bars(two, "w_tilde", flipped=True)]
    return _total(sides, terms) / 2


def rtd_lite_loss(
    x: Tensor, y: Tensor, /, *, normalize: Normalize = "quantile", quantile: float = 0.9
) -> Tensor:
    """`similitude.rtd_lite` of two torch tensors, with its gradient.

    Edges of the trees of x and of y are pulled together, those of the tree of the
    minimum pushed apart in the cloud in which they are shorter.

    Parameters, results and errors are those of `rtd_loss`.

    Examples
    --------
    >>> import torch
    >>> x = torch.tensor([[0.0], [1.0], [11.0], [12.0]], requires_grad=True)
    >>> y = torch.tensor([[0.0], [1.0], [3.0], [4.0]])
    >>> rtd_lite_loss(x, y, normalize="none").item()
    4.0
    """
    sides, w, w_tilde = _sides(x, y, normalize, quantile)
    terms = []
    for number, matrix in enumerate((w, w_tilde)):
        edges = spanning_tree(matrix)[0]
        side = np.full(len(edges), number)
        terms.append(Terms(side, edges, np.full(len(edges), 0.5)))
    edges = spanning_tree(np.minimum(w, w_tilde))[0]
    shorter = (w_tilde < w)[edges[:, 0], edges[:, 1]].astype(int)
    terms.append(Terms(shorter, edges, np.full(len(edges), -1.0)))
    return _total(sides, terms)


def srtd_loss(
    x: Tensor, y: Tensor, /, *, normalize: Normalize = "quantile", quantile: float = 0.9
) -> Tensor:
    """`similitude.srtd` of all rows of two torch tensors, with its gradient.

    Parameters, results and errors are those of `rtd_loss`.

    Examples
    --------
    >>> import torch
    >>> x = torch.tensor([[0.0], [1.0], [11.0], [12.0]], requires_grad=True)
    >>> y = torch.tensor([[0.0], [1.0], [3.0], [4.0]])
    >>> srtd_loss(x, y, normalize="none").item()
    8.0
    """
    sides, w, w_tilde = _sides(x, y, normalize, quantile)
    bars = relative_barcodes(np.maximum(w, w_tilde), np.minimum(w, w_tilde))[1]
    terms = _of_bars(bars, "cone")
    i, j = terms.edges.T
    # What is coned off is read in the maximum, everything else in the minimum.
    side = np.where(terms.side == 1, (w_tilde > w)[i, j], (w_tilde < w)[i, j])
    return _total(sides, [terms._replace(side=side.astype(int))])


def _of_bars(bars: Barcode, name: str, *, flipped: bool = False) -> Terms:
    """Deaths minus births; side 1 is where `name` is written, or side 0 if flipped."""
    where = np.concatenate([bars.death_in, bars.birth_in])
    edges = np.concatenate([bars.death_edges, bars.birth_edges])
    weights = np.repeat([1.0, -1.0], len(bars))
    return Terms(((where == name) != flipped).astype(int), edges, weights)


class _Side:
    """A cloud as numpy sees it, and as torch differentiates it."""

    def __init__(self, x: Tensor, normalize: str, quantile: float) -> None:
        raw = euclidean(points(x.detach()))
        self.x = x
        self.distances = normalized(raw, "one side", normalize, quantile, full=False)
        self.unit: Tensor | float = 1.0
        if normalize != "none" and raw.any():
            self.unit = self._unit(raw, normalize, quantile)

    def _unit(self, raw: np.ndarray, normalize: str, quantile: float) -> Tensor:
        """The unit that `normalized` has divided by, from the edges that it is at."""
        i, j = np.triu_indices(len(raw), k=1)
        edges = np.column_stack([i, j])
        if normalize == "mean":
            return self.raw_lengths(edges).mean()
        at = (0.5 if normalize == "median" else quantile) * (len(edges) - 1)
        low, high = int(np.floor(at)), int(np.ceil(at))
        order = np.argpartition(raw[i, j], [low, high])
        first, second = self.raw_lengths(edges[order[[low, high]]])
        return first + (second - first) * (at - low)

    def raw_lengths(self, edges: np.ndarray) -> Tensor:
        import torch

        i, j = (torch.as_tensor(e, device=self.x.device) for e in edges.T.copy())
        return torch.linalg.vector_norm(self.x[i] - self.x[j], dim=1)


def _sides(
    x: Tensor, y: Tensor, normalize: str, quantile: float
) -> tuple[list[_Side], np.ndarray, np.ndarray]:
    """Both clouds, and their distances."""
    check_one_of("normalize", normalize, ("quantile", "median", "mean", "none"))
    p, q = (_Side(v, normalize, quantile) for v in _tensors(x, y))
    return [p, q], p.distances, q.distances


def _tensors(x: Any, y: Any) -> Iterator[Tensor]:
    torch = require("torch", feature="a loss with gradients", extra="torch")
    for name, value in (("x", x), ("y", y)):
        if not isinstance(value, torch.Tensor):
            raise InvalidInput(
                f"{name} is a {type(value).__name__}, and a loss is differentiated by "
                f"torch. Pass tensors, or call similitude.rtd."
            )
    p, q = pair(x, y)
    yield from (p.values, q.values)


def _total(sides: list[_Side], terms: list[Terms]) -> Tensor:
    """The signed sum of the lengths, in the units of each side."""
    side, edges, weights = (np.concatenate(c) for c in zip(*terms, strict=True))
    parts = []
    for number, cloud in enumerate(sides):
        mine = side == number
        lengths = cloud.raw_lengths(edges[mine]) / cloud.unit
        parts.append((lengths.new_tensor(weights[mine]) * lengths).sum())
    return parts[0] + parts[1].to(parts[0])
