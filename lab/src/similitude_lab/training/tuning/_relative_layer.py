"""A relative transform as a torch layer, with its anchors in the state dict."""

from dataclasses import replace

from torch import Tensor, nn

from similitude.errors import InvalidInput
from similitude.latent.align.relative import Fitted, Product, Relative


class RelativeLayer(nn.Module):
    """Transform n x d rows of an encoder to n x k relative rows.

    The fitted state (anchors, means, factors) consists of buffers: they are saved with
    the weights, move with the module, and are not trained. Gradients flow through the
    rows.

    Parameters
    ----------
    transform
        Any relative transform. With ``stats="batch"``, training uses the statistics of
        the batch, as BatchNorm does, and evaluation uses those of the anchors. In
        evaluation the output of a row does not depend on other rows.
    anchors
        k x d, embedded by the encoder before this layer.
    reference
        n x d rows, for transforms that compute statistics from them.
    allow_duplicates
        Accept equal anchors, which give equal columns. By default they raise an error.

    Examples
    --------
    >>> import torch
    >>> from similitude.latent.align.relative import Cosine
    >>> layer = RelativeLayer(Cosine(), torch.tensor([[1.0, 0.0], [0.0, 2.0]]))
    >>> layer(torch.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])
    >>> sorted(layer.state_dict())
    ['anchors']
    """

    def __init__(
        self,
        transform: Relative,
        anchors: Tensor,
        reference: Tensor | None = None,
        *,
        allow_duplicates: bool = False,
    ) -> None:
        super().__init__()
        self.transform = transform
        self._evaluation_transform = _without_batch_stats(transform)
        self.k, self.d = int(anchors.shape[0]), int(anchors.shape[1])
        self._names: tuple[str, ...] = ()
        fitted = transform.fit(
            anchors.detach(), _detached(reference), allow_duplicates=allow_duplicates
        )
        self._set_state(fitted)

    @property
    def width(self) -> int:
        """Number of output columns: k, or more if transforms are concatenated."""
        if isinstance(self.transform, Product):
            parts = len(self.transform.parts)
            return self.k * (parts if self.transform.aggregate == "concatenate" else 1)
        return self.k

    def refit(self, anchors: Tensor, reference: Tensor | None = None) -> None:
        """Fit again to new embeddings of the anchors, after the encoder has changed.

        Unlike in the first fit, equal anchors do not raise an error.
        """
        if anchors.shape != (self.k, self.d):
            raise InvalidInput(
                f"anchors has shape {tuple(anchors.shape)}, but the layer takes "
                f"{(self.k, self.d)}; create a new layer and a new head."
            )
        fitted = self.transform.fit(
            anchors.detach(), _detached(reference), allow_duplicates=True
        )
        self._set_state(fitted)

    @property
    def fitted(self) -> Fitted:
        """The layer in its current mode as a `Fitted`, which shares its buffers."""
        transform = self.transform if self.training else self._evaluation_transform
        state = {name: getattr(self, _buffer(name)) for name in self._names}
        return Fitted(transform, state, self.k, self.d)

    def forward(self, z: Tensor) -> Tensor:
        return self.fitted(z)

    def extra_repr(self) -> str:
        return f"{self.transform.label}, d={self.d}, k={self.k}"

    def _set_state(self, fitted: Fitted) -> None:
        self._names = tuple(fitted.state)
        for name, value in fitted.state.items():
            self.register_buffer(_buffer(name), value.detach().clone())


def _buffer(name: str) -> str:
    """Replace dots, which buffer names cannot have; a product has "0.anchors"."""
    return name.replace(".", "_")


def _detached(rows: Tensor | None) -> Tensor | None:
    return None if rows is None else rows.detach()


def _without_batch_stats(transform: Relative) -> Relative:
    """Replace batch statistics by those of the anchors.

    The fitted state is the same: for "batch", too, it has the anchors' statistics.
    """
    if isinstance(transform, Product):
        parts = tuple(_without_batch_stats(part) for part in transform.parts)
        return replace(transform, parts=parts)
    if getattr(transform, "stats", None) == "batch":
        return replace(transform, stats="anchors")  # type: ignore[call-arg]
    return transform
