"""`similitude closeness`: models that are close in distribution."""

from ._commands import closeness as closeness
