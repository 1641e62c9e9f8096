"""Representations and outputs in files, folders of files, and stores."""

from ._columns import read_column as read_column
from ._load import load as load
