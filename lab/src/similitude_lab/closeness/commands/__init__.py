"""`similitude closeness`: models that are close in distribution.

`_authors` has the commands of the authors' `run.py`.
"""

from ._commands import closeness as closeness
