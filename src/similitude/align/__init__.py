"""Latent communication: relative representations, maps between spaces, stitching."""

from . import anchors as anchors
from . import relative as relative
