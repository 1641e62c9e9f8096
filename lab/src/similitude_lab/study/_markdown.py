"""The results of studies as Markdown, for the documentation: one page per paper."""

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ._checks import COUNTED
from ._controls import controls, package_text, verdict_before
from ._record import StudyRecord

NO_CONTROL = {"control": "nothing is judged", "verdict": "–"}
PAPERS = {
    "challenges": "Challenges in explaining representational similarity",
    "closeness": "Closeness in distribution",
    "measures": "Our own studies of measures",
    "relative": "Relative representations and densification",
    "rtd": "Representation topology divergence",
}


def number(value: float | None) -> str:
    """Four significant digits; a dash if there is no number."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value:.4g}"


def markdown_pages(
    records: Sequence[StudyRecord], root: str | Path = "."
) -> dict[str, str]:
    """Pages by file name: an index, and one page per paper; links start at `root`."""
    names = ("study", "scale", "control", "its verdict", "before", "verdict", "lesson")
    lines = [
        package_text("reproductions_head.md"),
        f"| {' | '.join(names)} |",
        "|---" * len(names) + "|",
    ]
    for r in records:
        entry = controls().get(r.study, NO_CONTROL)
        cells = [f"[{r.study}]({_file(r)}#{_anchor(r)})", r.scale, entry["control"]]
        cells += [entry["verdict"], verdict_before(r.study, r.scale), r.verdict]
        lines.append(f"| {' | '.join([*cells, r.lesson])} |")
    pages = {"reproductions.md": "\n".join(lines) + "\n"}
    for r in records:
        title = PAPERS.get(_paper(r), _paper(r))
        pages.setdefault(_file(r), f"# {title}\n")
        pages[_file(r)] += "\n".join(["", *_section(r, Path(root))]) + "\n"
    return pages


def _section(r: StudyRecord, root: Path) -> list[str]:
    lines = [f"## {_title(r)}", "", f"{r.claim} ({r.paper}, {r.where})", ""]
    lines += [f"**{r.verdict}**: {r.reason}.", ""]
    for note in r.notes:
        lines += [note, ""]
    if r.checks:
        lines += [
            "| quantity | ours | published | verdict | control | reason | where |"
        ]
        lines += ["|---|---|---|---|---|---|---|"]
        lines += [
            f"| {c.quantity} | {number(c.ours)} | {_cell(c.published)} | {c.verdict} | "
            f"{_in_control(r, c)} | {_cell(c.reason)} | {c.where} |"
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
    if r.lesson:
        lines += ["", f"**Lesson.** {r.lesson}"]
    return lines


def _in_control(r: StudyRecord, check: Any) -> str:
    """What the control says about a statement."""
    entry = controls().get(r.study, {})
    for word in ("fails in both", "fails", "holds"):
        if check.key in entry.get(word, ()):
            return word
    if check.published[:1] not in "<>":
        return "a wrong number fails"
    gated = entry.get("verdict") == "not comparable" and check.verdict in COUNTED
    return "not judged" if gated else "–"


def _paper(r: StudyRecord) -> str:
    return r.study.split("/", maxsplit=1)[0]


def _file(r: StudyRecord) -> str:
    return f"reproductions_{_paper(r)}.md"


def _title(r: StudyRecord) -> str:
    return f"{r.study} ({r.scale})"


def _anchor(r: StudyRecord) -> str:
    kept = [c for c in _title(r).lower() if c.isalnum() or c in " -_"]
    return "".join(kept).replace(" ", "-")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
