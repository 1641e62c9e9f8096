"""Sums over batches that determine linear measures: `Moments`."""

from .measures.streaming import Moments as Moments
