"""The networks of this package, in PyTorch."""

from ..errors import MissingExtra

try:
    import torch  # noqa: F401
except ImportError as error:
    raise MissingExtra("a network of similitude.networks", "torch") from error

from ._small import SmallCNN as SmallCNN
from ._small import SmallMLP as SmallMLP
from .data._encoders._mobilenet import MobileNetV2 as MobileNetV2
