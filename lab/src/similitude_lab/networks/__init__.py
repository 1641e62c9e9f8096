"""Networks in PyTorch that several papers use. One import line per file."""

from ._image_network import *
from ._residual import *
