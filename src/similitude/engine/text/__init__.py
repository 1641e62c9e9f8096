"""Results as text: tables, matrices and notes."""

from ._table import render as render
