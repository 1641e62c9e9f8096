"""Representations on disk: read files of many formats, and store verified arrays.

`FORMAT.md` in this folder specifies the format of a store.
"""

from ._atomic import check_writable as check_writable
from ._atomic import explain_failed_write as explain_failed_write
from ._atomic import write_atomically as write_atomically
from ._element import Writer as Writer
from ._element import sync_folder as sync_folder
from ._files import READABLE as READABLE
from ._files import read_arrays as read_arrays
from ._files import read_files as read_files
from ._formats import ReadLimits as ReadLimits
from ._formats import count_rows as count_rows
from ._paths import COLUMN_FILES as COLUMN_FILES
from ._paths import given_representations as given_representations
from ._paths import is_path as is_path
from ._paths import is_single as is_single
from ._paths import load as load
from ._paths import read_column as read_column
from ._paths import with_column as with_column
from ._plain_files import read_json as read_json
from ._plain_files import write_table as write_table
from ._reading import read_element as read_element
from ._resumable import ResumableWriter as ResumableWriter
from ._resumable import Rows as Rows
from ._schema import Extraction as Extraction
from ._sealed import read_sealed as read_sealed
from ._sealed import read_sealed_json as read_sealed_json
from ._sealed import write_sealed as write_sealed
from ._sealed import write_sealed_json as write_sealed_json
from ._store import Store as Store
from ._store import open_store as open_store
from ._verified import release_arrays as release_arrays
from ._work import Work as Work
from ._work import digest_of as digest_of
from ._work import locked as locked

__all__ = [name for name in dir() if not name.startswith("_")]
