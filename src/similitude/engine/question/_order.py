"""The order of the arguments of `compare`."""

from pathlib import Path
from typing import Any

from ...errors import InvalidInput
from ...measures import Measure
from ...store import is_path, is_single


def check_order(reps: Any, measures: Any) -> None:
    """Raise if the second argument is a representation, as in ``compare(x, y)``."""
    if isinstance(measures, Measure | type) or callable(measures):
        return
    path = is_path(measures) and is_path(reps) and Path(measures).exists()
    if path:
        raise InvalidInput(
            f"the second argument names measures; write compare([{str(reps)!r}, "
            f"{str(measures)!r}])."
        )
    if is_single(measures):
        raise InvalidInput(
            "the second argument names measures; write compare({'a': x, 'b': y}), or "
            "compare([x, y])."
        )
