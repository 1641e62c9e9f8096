"""Reports: one static HTML page of results.

The page contains its style, its script and its data, and requests nothing from the
network. It needs the extra ``report``. `Results.report` and `similitude report` write
it; `similitude compare --report` also writes it during a run.
"""

from ._page import page as page
from ._page import write_page as write_page
from ._words._stitching import Stitching as Stitching

__all__ = [name for name in dir() if not name.startswith("_")]
