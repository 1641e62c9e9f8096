"""Results as text: the header, tables, grids and notes."""

from ._header import header as header
from ._table import render as render
