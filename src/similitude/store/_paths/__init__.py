"""Representations and outputs in files, folders of files, and stores."""

from ._columns import COLUMN_FILES as COLUMN_FILES
from ._columns import read_column as read_column
from ._given import given_representations as given_representations
from ._given import is_path as is_path
from ._given import is_single as is_single
from ._load import load as load
