"""Intertwiner groups: the matrices that commute with an activation."""

import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy

from similitude.errors import InvalidInput, check_known
from similitude.plugins import Rng, as_seed, check_at_least
from similitude.transformations import Group, sample_element

Kind = Literal[
    "linear", "monomial", "positive_monomial", "signed_permutation", "permutation"
]
_FACTORS: dict[Kind, tuple[Group, ...]] = {
    "linear": (Group.LINEAR,),
    "monomial": (Group.PERMUTATION, Group.DIAGONAL),
    "positive_monomial": (Group.PERMUTATION, Group.COLUMN_SCALE),
    "signed_permutation": (Group.SIGNED_PERMUTATION,),
    "permutation": (Group.PERMUTATION,),
}


@dataclass(frozen=True)
class Intertwiner:
    r"""The group of matrices that commute with an activation, up to another matrix.

    .. math:: G_\sigma = \{A : \sigma(A x) = \phi_\sigma(A) \sigma(x)
              \text{ for all } x\}

    The output of a network does not change if A is applied before an activation and
    the inverse of :math:`\phi_\sigma(A)` after it. The hidden representation is
    therefore only determined up to :math:`\phi_\sigma(G_\sigma)`.

    Attributes
    ----------
    activation
        Name of the activation.
    group
        ``"linear"``: all invertible matrices. ``"monomial"``: a permutation times a
        diagonal without zeros. ``"positive_monomial"``: a permutation times a positive
        diagonal. ``"signed_permutation"``: a permutation times signs.
        ``"permutation"``: a permutation.
    image
        :math:`\phi_\sigma(A)`: ``"same"`` is A, ``"absolute"`` takes absolute values
        of entries, ``"power"`` raises them to the degree.
    parameter
        The slope of LeakyReLU, the degree of a power.

    References
    ----------
    godfrey2022symmetries

    Examples
    --------
    >>> relu = intertwiner("relu")
    >>> relu.contains([[0.0, 2.0], [3.0, 0.0]])
    True
    >>> relu.contains([[0.0, -2.0], [3.0, 0.0]])
    False
    >>> intertwiner("power", 2).phi([[0.0, -2.0], [3.0, 0.0]])
    array([[0., 4.],
           [9., 0.]])
    """

    activation: str
    group: Kind
    image: Literal["same", "absolute", "power"] = "same"
    parameter: float = 0.0

    def function(self, x: Any) -> np.ndarray:
        """Apply the activation to each entry."""
        return _FUNCTIONS[self.activation](np.asarray(x, np.float64), self.parameter)

    def sample(self, n: int, rng: Rng, *, spread: float = 4.0) -> np.ndarray:
        """Draw a random n x n element with scales in [1 / spread, spread]."""
        check_at_least("n", n, 1)
        draw = np.random.default_rng(as_seed(rng))
        return sample_element(_FACTORS[self.group], n, draw, spread=spread).matrix

    def contains(self, a: Any, *, rtol: float = 1e-9) -> bool:
        """Whether `a` is in the group; entries up to rtol of the largest count as 0."""
        a = _square(a)
        size = np.abs(a).max()
        if size == 0 or not np.isfinite(size):
            return False
        if self.group == "linear":
            s = np.linalg.svd(a, compute_uv=False)
            return bool(s[-1] > rtol * s[0])
        alive = np.abs(a) > rtol * size
        if (alive.sum(axis=0) != 1).any() or (alive.sum(axis=1) != 1).any():
            return False
        values = a[alive]
        if self.group == "monomial":
            return True
        if self.group == "positive_monomial":
            return bool((values > 0).all())
        if self.group == "signed_permutation":
            values = np.abs(values)
        return bool((np.abs(values - 1) <= rtol).all())

    def phi(self, a: Any) -> np.ndarray:
        r""":math:`\phi_\sigma(A)`, the matrix that acts after the activation."""
        a = _square(a)
        if not self.contains(a):
            raise InvalidInput(
                f"a is not in the intertwiner group of {self.activation}; give a "
                f"{self.group} matrix."
            )
        if self.image == "absolute":
            return np.abs(a)
        return a**self.parameter if self.image == "power" else a.copy()


def _square(a: Any) -> np.ndarray:
    a = np.asarray(a, dtype=np.float64)
    if a.ndim != 2 or a.shape[0] != a.shape[1] or a.size == 0:
        raise InvalidInput(f"a must be a square matrix; got shape {a.shape}.")
    return a


#: Name of an activation -> its group, and the function of a number and a parameter.
_TABLE: dict[str, tuple[Kind, Callable[[Any, float], Any]]] = {
    "identity": ("linear", lambda x, _: x),
    "relu": ("positive_monomial", lambda x, _: np.maximum(x, 0.0)),
    "leaky_relu": ("positive_monomial", lambda x, c: np.where(x > 0, x, c * x)),
    "gelu": ("permutation", lambda x, _: x * scipy.special.ndtr(x)),
    "sigmoid": ("permutation", lambda x, _: scipy.special.expit(x)),
    "silu": ("permutation", lambda x, _: x * scipy.special.expit(x)),
    "softplus": ("permutation", lambda x, _: np.logaddexp(0.0, x)),
    "elu": ("permutation", lambda x, _: np.where(x > 0, x, np.expm1(np.minimum(x, 0)))),
    "tanh": ("signed_permutation", lambda x, _: np.tanh(x)),
    "hardtanh": ("signed_permutation", lambda x, _: np.clip(x, -1.0, 1.0)),
    "sin": ("signed_permutation", lambda x, _: np.sin(x)),
    "erf": ("signed_permutation", lambda x, _: scipy.special.erf(x)),
    "rbf": ("signed_permutation", lambda x, _: np.exp(-(x**2))),
    "power": ("monomial", lambda x, degree: x**degree),
    "abs": ("monomial", lambda x, _: np.abs(x)),
}
_FUNCTIONS = {name: function for name, (_, function) in _TABLE.items()}
_IMAGES: dict[str, Any] = {"rbf": "absolute", "power": "power", "abs": "absolute"}
_PARAMETERS = {"leaky_relu": 0.01, "power": 3.0}

#: name of an activation -> its intertwiner group
INTERTWINERS: Mapping[str, Intertwiner] = types.MappingProxyType(
    {
        name: Intertwiner(
            name, group, _IMAGES.get(name, "same"), _PARAMETERS.get(name, 0.0)
        )
        for name, (group, _) in _TABLE.items()
    }
)


def intertwiner(activation: str, parameter: float | None = None) -> Intertwiner:
    """Return the group of an activation; `parameter` is a slope or a degree."""
    check_known(activation, INTERTWINERS, f"unknown activation {activation!r}")
    found = INTERTWINERS[activation]
    if parameter is None:
        return found
    if activation == "leaky_relu" and 0 < parameter < np.inf and parameter != 1:
        return replace(found, parameter=float(parameter))
    if activation == "power" and parameter >= 2 and parameter == int(parameter):
        return replace(found, parameter=float(parameter))
    raise InvalidInput(
        f"parameter={parameter!r} for {activation}; leaky_relu takes a slope above 0 "
        f"other than 1, power an integer degree of at least 2, others no parameter."
    )
