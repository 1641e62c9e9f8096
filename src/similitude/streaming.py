"""`Moments`: sums over batches that determine linear measures."""

from .measures.streaming import Moments as Moments

__all__ = ["Moments"]
