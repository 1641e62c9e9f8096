"""A network of three exchangeable parts: encoder, relative layer and head."""

from typing import NamedTuple

from torch import Tensor, nn

from similitude.errors import InvalidInput
from similitude.latent.align.relative import Relative

from ._evaluate import Inputs, predict
from ._relative_layer import RelativeLayer


class Activations(NamedTuple):
    """Outputs of the three parts of a network for one batch."""

    pre: Tensor  # n x d, of the encoder
    post: Tensor  # n x k, relative; the same as `pre` without a relative layer
    logits: Tensor


class RelativeNetwork(nn.Module):
    """head(relative(encoder(x))).

    To stitch, combine `encoder` and `relative` of one network, which include anchors
    and statistics, with `head` of another:
    ``align.stitch(a.encoder, a.relative, b.head)``.

    Parameters
    ----------
    encoder
        Any module that returns n x d rows (more axes are flattened); None if the
        inputs are precomputed features.
    transform
        A relative transform; None for the absolute network, which is the baseline.
    head
        Any module that takes k columns of the relative layer, or d columns without a
        relative layer.
    anchors
        k inputs of the encoder. Input i must mean the same in all networks that are
        stitched.
    reference
        Inputs for transforms with ``stats="train"`` or ``normalize="columns"``.
    batch
        Number of samples embedded per forward pass.
    allow_duplicates
        Accept anchors with equal embeddings, for instance texts with the same first
        tokens. By default they raise an error.

    Examples
    --------
    >>> import torch
    >>> from similitude.latent.align.relative import Robust
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
        allow_duplicates: bool = False,
    ) -> None:
        super().__init__()
        self.encoder = nn.Identity() if encoder is None else encoder
        self.batch = batch
        self.relative: RelativeLayer | None = None
        if (transform is None) != (anchors is None):
            raise InvalidInput(
                "transform and anchors: only one of them is given; give both, or "
                "neither for an absolute network."
            )
        if transform is not None:
            rows = self.embed(anchors), self._embed_optional(reference)
            self.relative = RelativeLayer(
                transform, *rows, allow_duplicates=allow_duplicates
            )
        self.head = head

    @property
    def transform(self) -> Relative | None:
        return None if self.relative is None else self.relative.transform

    @property
    def encoder_is_trained(self) -> bool:
        """Whether any weight of the encoder is trained; otherwise anchors are fixed.

        An encoder that is not trained runs in evaluation mode during training, too.
        """
        return any(weight.requires_grad for weight in self.encoder.parameters())

    def train(self, mode: bool = True) -> "RelativeNetwork":  # noqa: FBT001, FBT002
        super().train(mode)
        if not self.encoder_is_trained:
            self.encoder.eval()
        return self

    def encode(self, x: Inputs) -> Tensor:
        """Return n x d rows of the encoder."""
        return self.encoder(x).flatten(1)

    def see(self, x: Inputs) -> Activations:
        """Return the encoder's rows, the relative rows and the logits."""
        pre = self.encode(x)
        post = pre if self.relative is None else self.relative(pre)
        return Activations(pre, post, self.head(post))

    def forward(self, x: Inputs) -> Tensor:
        return self.see(x).logits

    def embed(self, x: Inputs) -> Tensor:
        """Return rows of the encoder in evaluation mode, without gradients."""
        return predict(self.encoder, x, batch=self.batch).flatten(1)

    def refresh(self, anchors: Inputs, reference: Inputs = None) -> None:
        """Embed the anchors again after the encoder has changed, without gradients.

        This uses evaluation mode: dropout would make the anchors random.
        """
        if self.relative is None:
            raise InvalidInput(
                "refresh: this network does not have a relative layer; create it with "
                "transform and anchors."
            )
        device = next(self.relative.buffers()).device
        reference = self._embed_optional(reference)
        if reference is not None:
            reference = reference.to(device)
        self.relative.refit(self.embed(anchors).to(device), reference)

    def _embed_optional(self, x: Inputs) -> Tensor | None:
        return None if x is None else self.embed(x)
