"""Representations and outputs in files, folders of files, and stores."""

from ._columns import COLUMN_FILES, read_column
from ._folders import with_column
from ._given import given_representations, is_path, is_single
from ._load import load
