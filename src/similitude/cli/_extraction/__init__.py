"""`similitude extract` and `similitude layers`."""

from ._extract import extract as extract
from ._layers import layers as layers
