"""The seven figures of the paper: studies that read results or checkpoints."""

from ._draw import *
from ._request import *
