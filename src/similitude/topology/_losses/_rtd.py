"""RTD, RTD-lite and SRTD as losses in torch: signed sums of edge lengths.

A sum of bars is a signed sum of edge lengths. The set of edges changes only where two
lengths become equal. So the engine finds the edges without gradients, and torch
computes their lengths again from the tensors. The cost of a backward pass is
proportional to the number of bars, not to the number of distances.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..._base._validate import check_one_of, pair, points
from ...errors import InvalidInput, require
from .._barcode import Barcode
from .._divergence import rtd_barcodes, srtd_barcodes
from .._edge_weights import MatrixWeights
from .._filtration import Normalize, euclidean, normalized
from .._trees._spanning_trees import spanning_tree

__all__ = ["rtd_lite_loss", "rtd_loss", "srtd_loss"]

Tensor = Any


class Terms(NamedTuple):
    """Signed edges of the two clouds."""

    side: np.ndarray  # (k,): 0 or 1
    edges: np.ndarray  # (k, 2)
    weights: np.ndarray  # (k,)


def rtd_loss(
    x: Tensor, y: Tensor, /, *, normalize: Normalize = "quantile", quantile: float = 0.9
) -> Tensor:
    r"""`similitude.rtd` of all rows of two torch tensors, with its gradient.

    .. math:: \frac{\partial\, \mathrm{RTD}_1(X, Y)}{\partial w_e} =
              \#\{\text{bars that end at } w_e\} - \#\{\text{bars that begin at } w_e\}

    where w are the normalized distances of one cloud (and likewise for the other), and
    RTD is half of the sum of both directions. All bars count. At a tie this is a
    one-sided derivative; the length between coincident points has derivative 0.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 tensors, whose rows are the same n stimuli. One tensor may be
        without gradient.
    normalize, quantile
        The unit of distances in each cloud, as in `similitude.rtd`. It is
        differentiated too: the loss does not depend on the scale of either cloud.

    Returns
    -------
    0-d tensor
        In the dtype of x (float32 for half precision) and on its device.

    Raises
    ------
    MissingExtra
        If torch is not installed.
    InvalidInput
        If x and y are not two tensors with the same number of rows.

    References
    ----------
    trofimov2023learning

    Examples
    --------
    Two groups are too far from each other in x; the gradient shortens the edge between
    them.

    >>> import torch
    >>> x = torch.tensor([[0.0], [1.0], [11.0], [12.0]], requires_grad=True)
    >>> y = torch.tensor([[0.0], [1.0], [3.0], [4.0]])
    >>> loss = rtd_loss(x, y, normalize="none")
    >>> loss.backward()
    >>> loss.item(), x.grad.flatten().tolist()
    (4.0, [0.0, -0.5, 0.5, 0.0])
    """
    sides, w, w_tilde = _sides(x, y, normalize, quantile)
    (one, two), _ = rtd_barcodes(MatrixWeights(w), MatrixWeights(w_tilde))
    terms = [_signed_edges(one, "w_tilde"), _signed_edges(two, "w_tilde", flipped=True)]
    return _total(sides, terms) / 2


def rtd_lite_loss(
    x: Tensor, y: Tensor, /, *, normalize: Normalize = "quantile", quantile: float = 0.9
) -> Tensor:
    """`similitude.rtd_lite` of two torch tensors, with its gradient.

    The gradient shortens the edges of the trees of x and y, and lengthens the edges of
    the tree of the minimum in the cloud in which they are shorter.

    Parameters, results and errors are as for `rtd_loss`.

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

    Parameters, results and errors are as for `rtd_loss`.

    Examples
    --------
    >>> import torch
    >>> x = torch.tensor([[0.0], [1.0], [11.0], [12.0]], requires_grad=True)
    >>> y = torch.tensor([[0.0], [1.0], [3.0], [4.0]])
    >>> srtd_loss(x, y, normalize="none").item()
    8.0
    """
    sides, w, w_tilde = _sides(x, y, normalize, quantile)
    (bars,), _ = srtd_barcodes(MatrixWeights(w), MatrixWeights(w_tilde))
    terms = _signed_edges(bars, "cone")
    i, j = terms.edges.T
    # Lengths of cone edges are read in the maximum, all others in the minimum.
    side = np.where(terms.side == 1, (w_tilde > w)[i, j], (w_tilde < w)[i, j])
    return _total(sides, [terms._replace(side=side.astype(int))])


def _signed_edges(bars: Barcode, name: str, *, flipped: bool = False) -> Terms:
    """Edges of deaths (+1) and births (-1).

    Edges in the matrix `name` are on side 1, or on side 0 if `flipped`.
    """
    matrices = np.concatenate([bars.death_in, bars.birth_in])
    edges = np.concatenate([bars.death_edges, bars.birth_edges])
    weights = np.repeat([1.0, -1.0], len(bars))
    return Terms(((matrices == name) != flipped).astype(int), edges, weights)


class _Side:
    """A cloud: its distances in numpy, and differentiable lengths in torch."""

    def __init__(self, x: Tensor, normalize: str, quantile: float) -> None:
        raw = euclidean(points(x.detach()))
        self.x = x
        self.distances = normalized(raw, "one side", normalize, quantile, full=False)
        self.unit: Tensor | float = 1.0
        if normalize != "none" and raw.any():
            self.unit = self._unit(raw, normalize, quantile)

    def _unit(self, raw: np.ndarray, normalize: str, quantile: float) -> Tensor:
        """The divisor of `normalized` as a tensor, from the edges that determine it."""
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
    """Both clouds, and their normalized distances."""
    check_one_of("normalize", normalize, ("quantile", "median", "mean", "none"))
    p, q = (_Side(v, normalize, quantile) for v in _tensors(x, y))
    return [p, q], p.distances, q.distances


def _tensors(x: Any, y: Any) -> Iterator[Tensor]:
    torch = require("torch", feature="a loss with gradients", extra="torch")
    for name, value in (("x", x), ("y", y)):
        if not isinstance(value, torch.Tensor):
            raise InvalidInput(
                f"{name} is a {type(value).__name__}, but a loss needs torch tensors. "
                f"Pass tensors, or call similitude.rtd."
            )
    p, q = pair(x, y)
    yield from (p.values, q.values)


def _total(sides: list[_Side], terms: list[Terms]) -> Tensor:
    """Signed sum of the lengths, each divided by the unit of its cloud."""
    side, edges, weights = (np.concatenate(c) for c in zip(*terms, strict=True))
    parts = []
    for number, cloud in enumerate(sides):
        on_side = side == number
        lengths = cloud.raw_lengths(edges[on_side]) / cloud.unit
        parts.append((lengths.new_tensor(weights[on_side]) * lengths).sum())
    return parts[0] + parts[1].to(parts[0])
