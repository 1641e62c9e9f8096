"""Results as text: tables, matrices and sentences."""

from ._table import render as render
