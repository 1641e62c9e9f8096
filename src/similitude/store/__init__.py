"""Representations on disk: files of many kinds in, a verified folder of rows out.

`FORMAT.md`, beside this file, says what a store is, in MUST and MAY.
"""

from ._element import Writer as Writer
from ._files import READABLE as READABLE
from ._files import read_arrays as read_arrays
from ._files import read_files as read_files
from ._store import Store as Store
from ._store import open_store as open_store
from ._atomic import write_atomically as write_atomically
