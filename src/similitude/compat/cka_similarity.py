"""Functions and classes of the files that are often named ``CKA.py``.

Many repositories contain a copy, with functions for numpy or the classes `CKA` (numpy)
and `CudaCKA` (torch).
"""

from typing import Any

from .. import measures
from .._base._array import Array
from ..errors import require
from ._changed import warn_changed

__all__ = ["CKA", "CudaCKA", "kernel_CKA", "linear_CKA"]

_LINEAR = (
    "linear_CKA returns the unbiased CKA. The old code returned the biased one, which "
    "is too large if units outnumber rows: similitude.cka(X, Y, estimator='biased')."
)
_KERNEL = (
    "kernel_CKA returns the unbiased CKA with an RBF kernel. The old code returned the "
    "biased one: similitude.cka(X, Y, kernel='rbf', estimator='biased')."
)


def linear_CKA(X: Any, Y: Any) -> Array:
    """Unbiased CKA with a linear kernel.

    Parameters
    ----------
    X, Y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.

    Returns
    -------
    0-d array of the caller's library
        ``similitude.cka(X, Y)``, in [-1, 1]. The old code returned
        ``similitude.cka(X, Y, estimator="biased")``, apart from rounding errors.
    """
    warn_changed(_LINEAR)
    return measures.cka(X, Y)


def kernel_CKA(X: Any, Y: Any, sigma: float | None = None) -> Array:
    """Unbiased CKA with an RBF kernel.

    Parameters
    ----------
    X, Y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
    sigma
        The bandwidth of both sides. None: the median distance between different rows,
        separately for each side.

    Returns
    -------
    0-d array of the caller's library
        ``similitude.cka(X, Y, kernel=RBF(sigma=sigma))``, in [-1, 1].
    """
    warn_changed(_KERNEL)
    return measures.cka(X, Y, kernel=measures.RBF(sigma=sigma))


class CKA:
    """The class of these files for numpy; its methods are the functions above."""

    linear_CKA = staticmethod(linear_CKA)
    kernel_CKA = staticmethod(kernel_CKA)


class CudaCKA:
    """The class of these files for torch.

    Parameters
    ----------
    device
        Device of torch. Both inputs are moved there.
    """

    def __init__(self, device: Any) -> None:
        self.device = device

    def linear_CKA(self, X: Any, Y: Any) -> Array:
        """Unbiased CKA with a linear kernel, differentiable; see `linear_CKA`."""
        warn_changed(_LINEAR)
        return measures.cka(*self._moved(X, Y))

    def kernel_CKA(self, X: Any, Y: Any, sigma: float | None = None) -> Array:
        """Unbiased CKA with an RBF kernel; see `kernel_CKA`.

        It has a gradient only if `sigma` is given.
        """
        warn_changed(_KERNEL)
        return measures.cka(*self._moved(X, Y), kernel=measures.RBF(sigma=sigma))

    def _moved(self, *inputs: Any) -> list[Any]:
        torch = require("torch", feature="CudaCKA", extra="torch")
        return [torch.as_tensor(x, device=self.device) for x in inputs]
