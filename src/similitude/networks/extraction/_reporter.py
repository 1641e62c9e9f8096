"""Reports of a run: lines of text, and a bar with the samples or tokens per second."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..._base import _config
from ..._base._progress import Progress, reporting


@dataclass(frozen=True)
class Reporter:
    """Reports to the `progress` argument of `extract`."""

    progress: Any

    def say(self, text: str) -> None:
        """Print a line: with the method `say` of the callback, or on stderr."""
        say = getattr(self.progress, "say", None)
        if say is not None:
            say(f"{text}\n")
        elif self.progress is not None and _config.current().progress != "off":
            sys.stderr.write(f"{text}\n")

    @contextmanager
    def counting(self, unit: str) -> Iterator[Progress]:
        """Yield a callback for the stage, the number done and the total."""
        if hasattr(self.progress, "unit"):  # the progress of the command line
            self.progress.unit = unit
        with reporting(self.progress, unit) as report:
            yield report
