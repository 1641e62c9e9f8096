"""Stitching: the encoder of one network, a transform, the decoder of another."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..._base import _array
from ..._base._array import Array
from ...errors import InvalidInput
from .maps import Map
from .relative import Fitted, Relative

Transform = Map | Fitted | Callable[[Any], Any] | None


@dataclass(frozen=True, eq=False)
class Stitched:
    """x -> decoder(transform(encoder(x)))."""

    encoder: Callable[[Any], Any] | None
    transform: Transform
    decoder: Callable[[Any], Any]

    def __call__(self, x: Any) -> Any:
        z = x if self.encoder is None else self.encoder(x)
        return self.decoder(self.transformed(z))

    def transformed(self, z: Any) -> Any:
        """Turn the encoder's output into the decoder's input."""
        transform = self.transform
        if transform is None:
            return z
        if not isinstance(transform, Map | Fitted):
            return transform(z)
        if _array.library(z) != _array.library(transform.home):
            transform = transform.like(z)
        if z.ndim == 2:
            return transform(z)
        return _by_channel(transform, z)


def stitch(
    encoder: Callable[[Any], Any] | None,
    transform: Transform,
    decoder: Callable[[Any], Any],
) -> Stitched:
    """Combine an encoder, a map or a relative transform, and a decoder.

    Zero-shot: nothing is trained. If the transform is a map, the decoder belongs to
    the map's target space. A relative transform must be fitted to the *encoder's*
    anchors. The decoder must then be trained on rows relative to its own parallel
    anchors.

    Parameters
    ----------
    encoder
        Any function that returns n x d rows, for example a torch module; None if rows
        are embedded already. Feature maps (n x channels x ...) are mapped position by
        position, as by a 1 x 1 convolution.
    transform
        A `Map`, a fitted relative transform, any function of rows, or None for no
        transform (the absolute baseline).
    decoder
        Any function of the transformed rows.

    Examples
    --------
    >>> import numpy as np
    >>> from similitude.latent.align import fit_procrustes
    >>> x = np.random.default_rng(0).normal(size=(20, 3))
    >>> turn = np.array([[0.0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    >>> to_x = fit_procrustes(x @ turn, x)
    >>> stitched = stitch(lambda rows: rows @ turn, to_x, lambda z: z[:, 0] > 0)
    >>> bool((stitched(x) == (x[:, 0] > 0)).all())
    True
    """
    if isinstance(transform, Relative):
        raise InvalidInput(
            f"transform={transform.name} is not fitted; pass {transform.name}"
            f".fit(anchors) with anchors of the encoder."
        )
    parts = {"encoder": encoder, "transform": transform, "decoder": decoder}
    for name, part in parts.items():
        if not callable(part) and not (part is None and name != "decoder"):
            raise InvalidInput(f"{name} must be a function; got {part!r}.")
    return Stitched(encoder, transform, decoder)


def _by_channel(transform: Map | Fitted, z: Array) -> Array:
    """Transform n x c x positions as rows of c channels; restore the shape."""
    xp = _array.namespace(z)
    last = xp.moveaxis(z, 1, -1)
    rows = transform(xp.reshape(last, (-1, z.shape[1])))
    return xp.moveaxis(xp.reshape(rows, (*last.shape[:-1], rows.shape[1])), -1, 1)
