"""A small transformer for token ids, initialized from a seed."""

import torch
from torch import Tensor, nn

from similitude.errors import InvalidInput
from similitude.plugins import check_at_least

__all__ = ["TextTransformer"]


class TextTransformer(nn.Module):
    """Token ids to one row per text: attention layers, mean over tokens, GELU layer.

    The id 0 is padding: it is not attended to and not part of the mean. A text of
    padding only gets the same row as a text without information.

    Parameters
    ----------
    vocabulary
        Number of ids, including 0.
    tokens
        Largest number of tokens of a text.
    width
        Width of all layers and of the representation.
    layers, heads
        Number of attention layers, and of heads in each of them.
    dropout
        Dropout in the attention layers.
    seed
        Seed of the initial weights. PyTorch's global random state is not changed.

    Examples
    --------
    >>> encoder = TextTransformer(vocabulary=50, tokens=6, width=8, heads=2).eval()
    >>> padded = torch.tensor([[3, 7, 0, 0], [3, 7, 9, 2]])
    >>> rows = encoder(padded)
    >>> tuple(rows.shape), bool((encoder(padded[:1, :2]) - rows[0]).abs().max() < 1e-5)
    ((2, 8), True)
    """

    def __init__(
        self,
        vocabulary: int,
        tokens: int = 64,
        *,
        width: int = 128,
        layers: int = 2,
        heads: int = 4,
        dropout: float = 0.1,
        seed: int = 0,
    ) -> None:
        super().__init__()
        for size in (vocabulary - 1, tokens, width, layers, heads):
            check_at_least("vocabulary - 1, tokens, width, layers and heads", size, 1)
        if width % heads:
            raise InvalidInput(f"width={width}, heads={heads}; give a multiple.")
        self.tokens = tokens
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(seed)
            self.embedding = nn.Embedding(vocabulary, width, padding_idx=0)
            self.positions = nn.Parameter(0.02 * torch.randn(tokens, width))
            self.layers = nn.ModuleList(
                nn.TransformerEncoderLayer(
                    width,
                    heads,
                    2 * width,
                    dropout,
                    "gelu",
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(layers)
            )
            self.norm = nn.LayerNorm(width)
            self.output = nn.Sequential(nn.Linear(width, width), nn.GELU())

    def forward(self, ids: Tensor) -> Tensor:
        if ids.shape[1] > self.tokens:
            raise InvalidInput(
                f"the texts have {ids.shape[1]} tokens, but this network takes "
                f"{self.tokens}; cut them, or create it with more tokens."
            )
        padding = ids == 0
        # A row of padding only would give 0 / 0 in the attention.
        masked = padding & ~padding.all(dim=1, keepdim=True)
        z = self.embedding(ids) + self.positions[: ids.shape[1]]
        for layer in self.layers:
            z = layer(z, src_key_padding_mask=masked)
        kept = (~masked).to(z.dtype)[..., None]
        return self.output((self.norm(z) * kept).sum(dim=1) / kept.sum(dim=1))
