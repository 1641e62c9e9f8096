"""The results of studies as Markdown, for the documentation."""

import math
import os
from collections.abc import Sequence
from pathlib import Path

from ._record import StudyRecord

HEAD = """\
# Reproductions

This page is generated from the committed results of `similitude study run`: do not edit
it, run `make reproductions`. A number counts as reproduced if it is in the tolerance
that was written down before the first run. "Direction only" means that the order of the
paper holds, and that its numbers are not comparable at this scale.
"""


def number(value: float | None) -> str:
    """Four significant digits; a dash if there is no number."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value:.4g}"


def to_markdown(records: Sequence[StudyRecord], root: str | Path) -> str:
    """A page with a summary and one section per result; links start at `root`."""
    lines = [HEAD, "| study | scale | verdict | reason |", "|---|---|---|---|"]
    for r in records:
        lines.append(
            f"| [{r.study}](#{_anchor(r)}) | {r.scale} | {r.verdict} | {r.reason} |"
        )
    for r in records:
        lines += ["", *_section(r, Path(root))]
    return "\n".join(lines) + "\n"


def _section(r: StudyRecord, root: Path) -> list[str]:
    lines = [f"## {_title(r)}", "", f"{r.claim} ({r.paper}, {r.where})", ""]
    lines += [f"**{r.verdict}**: {r.reason}.", ""]
    for note in r.notes:
        lines += [note, ""]
    if r.checks:
        lines += ["| quantity | ours | published | verdict | reason | where |"]
        lines += ["|---|---|---|---|---|---|"]
        lines += [
            f"| {c.quantity} | {number(c.ours)} | {_cell(c.published)} | {c.verdict} | "
            f"{_cell(c.reason)} | {c.where} |"
            for c in r.checks
        ]
        lines += [""]
    where = Path(os.path.relpath(r.folder, root))
    for name in r.figures:
        lines += [f"![{Path(name).stem}]({(where / name).as_posix()})", ""]
    lines += [f"Erratum: {erratum}\n" for erratum in r.errata]
    data = ", ".join(f"[{name}]({(where / name).as_posix()})" for name in r.tables)
    versions = ", ".join(f"{name} {version}" for name, version in r.versions.items())
    reused = f" It used the existing results in {r.reused}." if r.reused else ""
    lines += [
        f"`{r.command}` took {number(r.seconds)} s.{reused} Data: {data}. "
        f"Versions: {versions}."
    ]
    return lines


def _title(r: StudyRecord) -> str:
    return f"{r.study} ({r.scale})"


def _anchor(r: StudyRecord) -> str:
    kept = [c for c in _title(r).lower() if c.isalnum() or c in " -_"]
    return "".join(kept).replace(" ", "-")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
