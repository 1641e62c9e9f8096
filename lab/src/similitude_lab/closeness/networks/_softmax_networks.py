"""The networks f and g of the close-dist models."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from similitude.errors import InvalidInput
from similitude.inputs import SoftmaxModel
from similitude.plugins import check_at_least, check_not_negative, check_one_of

from ...networks import ResNet14, ResNetCIFAR10
from ._cifar import MedCIFAR10, SmallCIFAR10, nonlinearity_of

__all__ = ["MLP", "SoftmaxNetworks"]

MODEL_TYPES = (
    *("SmallMLP", "SmallCIFAR10", "MedCIFAR10", "ResNetCIFAR10"),
    "SmallResNetCIFAR10",
)


class MLP(nn.Module):
    """Three hidden layers, and a linear output without a bias.

    Layers l1 to l4 are created in this order, with PyTorch's default initialization.
    The same seed therefore gives the same weights as the authors' code.
    """

    def __init__(
        self, inputs: int, width: int, outputs: int, *, nonlinearity: str = "leaky_relu"
    ) -> None:
        super().__init__()
        self.l1 = nn.Linear(inputs, width)
        self.l2 = nn.Linear(width, width)
        self.l3 = nn.Linear(width, width)
        self.l4 = nn.Linear(width, outputs, bias=False)
        self.activation = nonlinearity_of(nonlinearity)

    def forward(self, x: Tensor) -> Tensor:
        for layer in (self.l1, self.l2, self.l3):
            x = self.activation(layer(x))
        return self.l4(x)


class SoftmaxNetworks(nn.Module):
    """Embedding f and unembedding g of p(y | x) proportional to exp(f(x)'g(y)).

    Parameters
    ----------
    classes
        K. The inputs of g are one-hot labels without the last entry: g has K - 1
        inputs, and the last class is the zero vector.
    width
        W, the width of the hidden layers of g, and of f if it is an MLP.
    dim
        M, the dimension of the embeddings.
    model_type
        The network f: ``"SmallMLP"`` (`MLP`), ``"SmallCIFAR10"``, ``"MedCIFAR10"``,
        ``"ResNetCIFAR10"``, or ``"SmallResNetCIFAR10"``, which is not in the paper:
        `ResNet14`. The network g is always an `MLP`.
    nonlinearity
        ``"leaky_relu"`` or ``"relu"``. Residual networks always have ReLU in f.
    inputs
        Number of columns of x, for an MLP. Images are n x 3 x 32 x 32.
    seed
        Seed of the initial weights; f is created first, then g. PyTorch's global random
        state is not changed.
    fix_length_f, fix_length_g
        If above 0, every embedding (unembedding) is scaled to this length.

    References
    ----------
    nielsen2025when

    Examples
    --------
    >>> networks = SoftmaxNetworks(classes=4, width=16, seed=0)
    >>> sum(weights.numel() for weights in networks.parameters())
    1264
    """

    def __init__(
        self,
        classes: int,
        width: int,
        *,
        dim: int = 2,
        model_type: str = "SmallMLP",
        nonlinearity: str = "leaky_relu",
        inputs: int = 2,
        seed: int = 0,
        fix_length_f: float = 0.0,
        fix_length_g: float = 0.0,
    ) -> None:
        super().__init__()
        check_at_least("classes", classes, 2)
        for name, size in (("width", width), ("dim", dim), ("inputs", inputs)):
            check_at_least(name, size, 1)
        check_not_negative("fix_length_f", fix_length_f)
        check_not_negative("fix_length_g", fix_length_g)
        self.fix_length_f, self.fix_length_g = float(fix_length_f), float(fix_length_g)
        with torch.random.fork_rng(devices=[]):
            # torch.manual_seed would also seed the generators of other devices.
            torch.default_generator.manual_seed(seed)
            self.f_net = _embedding(model_type, inputs, width, dim, nonlinearity)
            self.g_net = MLP(classes - 1, width, dim, nonlinearity=nonlinearity)
        codes = torch.eye(classes)[:, :-1].contiguous()
        self.register_buffer("codes", codes, persistent=False)

    def embeddings(self, x: Tensor) -> Tensor:
        """f(x), n x M."""
        return scale_rows(self.f_net(x), self.fix_length_f)

    def unembeddings(self) -> Tensor:
        """g(y) of all labels, K x M."""
        return scale_rows(self.g_net(self.codes), self.fix_length_g)

    def forward(self, x: Tensor) -> Tensor:
        """Logits, n x K."""
        return self.embeddings(x) @ self.unembeddings().T

    def load(self, state: Mapping[str, Any]) -> "SoftmaxNetworks":
        """Load all weights from a state dictionary, and return self."""
        try:
            self.load_state_dict(dict(state), strict=True)
        except RuntimeError as error:
            reason = " ".join(str(error).split())
            raise InvalidInput(
                f"state does not fit these networks. Check that the type of the model, "
                f"classes, width and dim match the file. {reason}"
            ) from error
        return self

    @torch.no_grad()
    def softmax_model(self, x: Any, *, batch: int = 8192) -> SoftmaxModel:
        """`SoftmaxModel` of the current weights at the inputs x.

        For a numpy array x, the model has numpy arrays. The networks run in evaluation
        mode, and return to their previous mode afterwards.
        """
        check_at_least("batch", batch, 1)
        weights = self.codes
        rows = torch.as_tensor(x).to(weights.device, weights.dtype)
        training = self.training
        self.eval()
        try:
            f = torch.cat([self.embeddings(part) for part in rows.split(batch)])
            g = self.unembeddings()
        finally:
            self.train(training)
        if isinstance(x, np.ndarray):
            return SoftmaxModel(f.cpu().numpy(), g.cpu().numpy())
        return SoftmaxModel(f, g)


def _embedding(
    model_type: str, inputs: int, width: int, dim: int, nonlinearity: str
) -> nn.Module:
    """The network f."""
    check_one_of("model_type", model_type, MODEL_TYPES)
    if model_type == "SmallCIFAR10":
        return SmallCIFAR10(dim, nonlinearity=nonlinearity)
    if model_type == "MedCIFAR10":
        return MedCIFAR10(dim, width, nonlinearity=nonlinearity)
    if model_type == "ResNetCIFAR10":
        return ResNetCIFAR10(dim)
    if model_type == "SmallResNetCIFAR10":
        own = int(torch.randint(2**31, ()))
        return ResNet14(dim, seed=own)
    return MLP(inputs, width, dim, nonlinearity=nonlinearity)


def scale_rows(vectors: Tensor, length: float) -> Tensor:
    """Scale each row to `length`; a length of 0 leaves the rows unchanged."""
    if length == 0.0:
        return vectors
    norms = torch.linalg.vector_norm(vectors, dim=-1, keepdim=True)
    return length * vectors / norms.clamp(min=1e-8)
