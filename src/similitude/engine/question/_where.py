"""The name of a representation in messages."""

from ..._printable import printable
from ...representation import Representation


def where(rep: Representation) -> str:
    """The name of a representation in messages: its file, or its name."""
    return printable(str(rep.meta.get("file", rep.name)))
