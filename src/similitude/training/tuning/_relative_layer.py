"""A relative transform as a layer: its anchors and statistics are in the state dict."""

from dataclasses import replace

from torch import Tensor, nn

from ...align.relative import Fitted, Product, Relative
from ...errors import InvalidInput


class RelativeLayer(nn.Module):
    """n x d rows of an encoder to n x k relative ones.

    What the fit has left (anchors, means, factors) are buffers: saved with the weights,
    moved with the module, and never trained. Gradients flow through the rows.

    Parameters
    ----------
    transform
        Any relative transform. With ``stats="batch"`` a batch is standardized by its
        own statistics in training, as BatchNorm does, and by those of the anchors in
        evaluation: there, what becomes of a row never depends on the others.
    anchors
        k x d, embedded by the encoder that the layer stands behind.
    reference
        n x d rows, for transforms that take their statistics from them.

    Examples
    --------
    >>> import torch
    >>> from similitude.align.relative import Cosine
    >>> layer = RelativeLayer(Cosine(), torch.tensor([[1.0, 0.0], [0.0, 2.0]]))
    >>> layer(torch.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])
    >>> sorted(layer.state_dict())
    ['anchors']
    """

    def __init__(
        self, transform: Relative, anchors: Tensor, reference: Tensor | None = None
    ) -> None:
        super().__init__()
        self.transform = transform
        self._in_evaluation = _without_batches(transform)
        self.k, self.d = int(anchors.shape[0]), int(anchors.shape[1])
        self._names: tuple[str, ...] = ()
        self._keep(transform.fit(anchors.detach(), _detached(reference)))

    @property
    def width(self) -> int:
        """Columns that come out: k, or more where transforms are put side by side."""
        if isinstance(self.transform, Product):
            parts = len(self.transform.parts)
            return self.k * (parts if self.transform.aggregate == "concatenate" else 1)
        return self.k

    def refit(self, anchors: Tensor, reference: Tensor | None = None) -> None:
        """Take new embeddings of the same anchors, after the encoder has moved.

        Anchors that have become equal on the way are no error, other than at first.
        """
        if anchors.shape != (self.k, self.d):
            raise InvalidInput(
                f"anchors have shape {tuple(anchors.shape)} and the layer was made for "
                f"{(self.k, self.d)}; make a new layer, and a new head."
            )
        fitted = self.transform.fit(
            anchors.detach(), _detached(reference), allow_duplicates=True
        )
        self._keep(fitted)

    @property
    def fitted(self) -> Fitted:
        """The function that the layer is in its present mode, sharing its buffers."""
        transform = self.transform if self.training else self._in_evaluation
        state = {name: getattr(self, _buffer(name)) for name in self._names}
        return Fitted(transform, state, self.k, self.d)

    def forward(self, z: Tensor) -> Tensor:
        return self.fitted(z)

    def extra_repr(self) -> str:
        return f"{self.transform.label}, d={self.d}, k={self.k}"

    def _keep(self, fitted: Fitted) -> None:
        self._names = tuple(fitted.state)
        for name, value in fitted.state.items():
            self.register_buffer(_buffer(name), value.detach().clone())


def _buffer(name: str) -> str:
    """Parts of a product are called "0.anchors", and buffers may not have dots."""
    return name.replace(".", "_")


def _detached(rows: Tensor | None) -> Tensor | None:
    return None if rows is None else rows.detach()


def _without_batches(transform: Relative) -> Relative:
    """The same with statistics of the anchors where they were those of the batch.

    Both are fitted alike: for "batch" the state holds the statistics of the anchors.
    """
    if isinstance(transform, Product):
        parts = tuple(_without_batches(part) for part in transform.parts)
        return replace(transform, parts=parts)
    if getattr(transform, "stats", None) == "batch":
        return replace(transform, stats="anchors")  # type: ignore[call-arg]
    return transform
