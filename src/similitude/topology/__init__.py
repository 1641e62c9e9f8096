"""Barcodes of pairs of representations: exact, on a CPU."""

from ._barcode import *
