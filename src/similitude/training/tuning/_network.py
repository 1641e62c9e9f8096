"""Encoder, relative layer and head: three parts, each of which can be exchanged."""

from typing import NamedTuple

from torch import Tensor, nn

from ...align.relative import Relative
from ...errors import InvalidInput
from ._evaluate import predict
from ._relative_layer import RelativeLayer
from ._rows import Inputs


class Seen(NamedTuple):
    """What a network makes of a batch on its way."""

    pre: Tensor  # n x d, of the encoder
    post: Tensor  # n x k, relative; the same as `pre` without a relative layer
    logits: Tensor


class RelativeNetwork(nn.Module):
    """head(relative(encoder(x))).

    To stitch, take `encoder` and `relative` of one network, statistics and anchors
    included, and `head` of another: ``align.stitch(a.encoder, a.relative, b.head)``.

    Parameters
    ----------
    encoder
        Any module that gives n x d rows (more axes are flattened); None where the
        inputs are features that were computed before.
    transform
        A relative transform; None for none, the absolute network to compare with.
    head
        Any module that takes what comes before it: k columns of a relative layer, d
        without one.
    anchors
        Inputs of the encoder, k of them: row i must mean the same in all networks
        that are to be stitched.
    reference
        Inputs for transforms with ``stats="train"`` or ``normalize="columns"``.
    batch
        How many samples are embedded at a time.

    Examples
    --------
    >>> import torch
    >>> from similitude.align.relative import Robust
    >>> x = torch.randn(20, 8)
    >>> network = RelativeNetwork(
    ...     nn.Linear(8, 5), Robust(), nn.Linear(6, 3), anchors=x[:6]
    ... )
    >>> tuple(network(x).shape)
    (20, 3)
    """

    def __init__(
        self,
        encoder: nn.Module | None,
        transform: Relative | None,
        head: nn.Module,
        *,
        anchors: Inputs = None,
        reference: Inputs = None,
        batch: int = 512,
    ) -> None:
        super().__init__()
        self.encoder = nn.Identity() if encoder is None else encoder
        self.batch = batch
        self.relative: RelativeLayer | None = None
        if (transform is None) != (anchors is None):
            raise InvalidInput(
                "transform and anchors belong together; give both, or neither for an "
                "absolute network."
            )
        if transform is not None:
            rows = self.embed(anchors), self._embedded(reference)
            self.relative = RelativeLayer(transform, *rows)
        self.head = head

    @property
    def transform(self) -> Relative | None:
        return None if self.relative is None else self.relative.transform

    @property
    def encoder_is_trained(self) -> bool:
        """Whether any weight of the encoder is; otherwise anchors stay where they are.

        An encoder that is not is run in evaluation mode, also in training.
        """
        return any(weight.requires_grad for weight in self.encoder.parameters())

    def train(self, mode: bool = True) -> "RelativeNetwork":  # noqa: FBT001, FBT002
        super().train(mode)
        if not self.encoder_is_trained:
            self.encoder.eval()
        return self

    def encode(self, x: Inputs) -> Tensor:
        """n x d rows of the encoder."""
        return self.encoder(x).flatten(1)

    def see(self, x: Inputs) -> Seen:
        """All that happens on the way from inputs to logits."""
        pre = self.encode(x)
        post = pre if self.relative is None else self.relative(pre)
        return Seen(pre, post, self.head(post))

    def forward(self, x: Inputs) -> Tensor:
        return self.see(x).logits

    def embed(self, x: Inputs) -> Tensor:
        """Rows of the encoder in evaluation mode, without gradients."""
        return predict(self.encoder, x, batch=self.batch).flatten(1)

    def refresh(self, anchors: Inputs, reference: Inputs = None) -> None:
        """Embed the anchors again, after the encoder has moved; without gradients.

        In evaluation mode: dropout would move them, and they are to stay the same.
        """
        if self.relative is None:
            raise InvalidInput("this network has no relative layer to be refreshed.")
        device = next(self.relative.buffers()).device
        reference = self._embedded(reference)
        if reference is not None:
            reference = reference.to(device)
        self.relative.refit(self.embed(anchors).to(device), reference)

    def _embedded(self, x: Inputs) -> Tensor | None:
        return None if x is None else self.embed(x)
