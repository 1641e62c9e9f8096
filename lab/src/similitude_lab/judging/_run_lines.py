"""What a run found: the claims on its tables, judged now."""

from collections.abc import Iterator
from typing import Any

from similitude.errors import InvalidInput

from ..study import StudyRecord
from ..study._tables import Frame
from ._catalog import all_claims, tables_of
from ._judge import Tables, Verdict, judge
from ._pages import own_text, share_texts


class _RunTables(Tables):
    """The tables of one run in place of the committed ones of its study."""

    def __init__(self, record: StudyRecord) -> None:
        super().__init__(record.folder)
        self.study = record.study

    def read(self, path: str) -> Frame | None:
        *study, _, file = path.split("/")
        return super().read(file) if "/".join(study) == self.study else None


def claims_of(study: str) -> dict[str, dict[str, Any]]:
    """The claims on tables of a study, by id."""
    return {
        name: record
        for _, name, record in all_claims()
        if any(table.startswith(f"{study}/") for table in tables_of(record))
    }


def run_lines(record: StudyRecord) -> Iterator[str]:
    """A line per claim: the outcome, the number with its limits, and the shares.

    Notes and reasons of the catalog are about the committed results, so they are left
    out. At the paper's setting nothing is left to do.
    """
    tables = _RunTables(record)
    for paper, name, claim in all_claims():
        if name not in claims_of(record.study) or "figure" in claim or "test" in claim:
            continue
        verdict = _judged(_of_run(claim, record.scale), tables, paper.printed)
        numbers = "; ".join(filter(None, [own_text(verdict), *share_texts(verdict)]))
        reasons = {part.reason for part in (verdict, *verdict.parts)} - {""}
        yield f"{name} {verdict.outcome}: {claim['says']}"
        yield f"    {'; '.join([*filter(None, [numbers]), *sorted(reasons)])}"


def _of_run(claim: dict[str, Any], scale: str) -> dict[str, Any]:
    """The claim for a run; at a smaller scale, printed numbers are not judged."""
    other = {"left": "another setting than the paper's"} if scale != "paper" else {}
    found = {key: value for key, value in claim.items() if key != "left"}
    if "left" in claim:
        found |= other
    if "parts" in claim:
        found["parts"] = [_of_run(part, scale) for part in claim["parts"]]
    return found


def _judged(claim: dict[str, Any], tables: Tables, printed: Any) -> Verdict:
    """A verdict; tables of a small run may lack the rows that a claim needs."""
    try:
        return judge(claim, tables, printed)
    except (InvalidInput, ValueError, KeyError, IndexError, ZeroDivisionError):
        return Verdict("not decided", reason="this run is too small for the claim")
