"""The seven figures of the paper, from results or checkpoints."""

from ._draw import *
from ._images import last_losses as last_losses
