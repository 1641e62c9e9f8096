"""Networks in PyTorch that several papers use. One import line per file."""

from ._residual import *
from ._vgg import *
