"""Networks in PyTorch with a softmax over classes. One import line per file."""

from ._cifar import *
from ._softmax_networks import *
