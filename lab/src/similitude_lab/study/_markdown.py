"""The studies of a paper as Markdown: what each asks, its pictures, data and cost."""

import math
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ._record import StudyRecord


def number(value: float | None) -> str:
    """Four significant digits; a dash if there is no number."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value:.4g}"


def study_sections(records: Iterable[StudyRecord], root: str | Path) -> Iterator[str]:
    """Lines about committed results; links start at `root`."""
    for r in records:
        yield from ["", f"## {r.study} ({r.scale})", ""]
        yield from [f"{r.claim} ({r.paper}, {r.where})", ""]
        where = Path(os.path.relpath(r.folder, root))
        for name in r.figures:
            yield from [f"![{Path(name).stem}]({(where / name).as_posix()})", ""]
        yield from (f"Erratum: {erratum}\n" for erratum in r.errata)
        data = ", ".join(f"[{n}]({(where / n).as_posix()})" for n in r.tables)
        versions = ", ".join(f"{name} {value}" for name, value in r.versions.items())
        reused = f" It used the existing results in {r.reused}." if r.reused else ""
        yield f"`{r.command}` took {number(r.seconds)} s.{reused} Data: {data}. "
        yield f"Versions: {versions}."
