"""The claims of the papers, in their order: lab/claims and lab/published.

Each claim has one judge: a statistic of a table, tests, a figure, or the command that
someone with the missing data can run.
"""

import functools
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from similitude.errors import InvalidInput

from ..study._published import lab_folder, printed

#: The documents S0 to S3 of the ledger, and a list of statements that no paper makes.
PAPERS = ("closeness", "challenges", "rtd", "relative", "ours")
JUDGES = ("statistic", "parts", "follows", "test", "figure", "untestable")
FIELDS = {
    *JUDGES,
    *("says", "where", "kind", "published", "table", "rows", "with", "above", "below"),
    *("printed", "draws", "limits", "controls", "each", "fails", "left", "needs_rows"),
    *("average", "later", "note"),
}


@dataclass(frozen=True)
class Paper:
    """The claims of one document, and its printed numbers."""

    name: str
    title: str
    key: str
    claims: dict[str, dict[str, Any]]
    printed: dict[str, dict[str, str]]


@functools.cache
def read_paper(name: str) -> Paper:
    """The claims of a paper; a record with a wrong field is an error."""
    path = lab_folder("claims") / f"{name}.toml"
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    claims = content.pop("claims")
    for claim, record in claims.items():
        for part in (record, *record.get("parts", ())):
            check_claim(f"{path.name}, {claim}", part)
    return Paper(name=name, claims=claims, printed=printed(name), **content)


def check_claim(where: str, record: dict[str, Any]) -> None:
    """A claim has one judge and no unknown field."""
    judges = [name for name in JUDGES if name in record]
    if len(judges) != 1:
        raise InvalidInput(f"{where}: give one of {', '.join(JUDGES)}, not {judges}.")
    if unknown := set(record) - FIELDS:
        raise InvalidInput(f"{where}: unknown fields {sorted(unknown)}.")


def all_claims() -> Iterator[tuple[Paper, str, dict[str, Any]]]:
    """Each claim with its paper and its id, in the order of the ledger."""
    for paper in map(read_paper, PAPERS):
        for name, record in paper.claims.items():
            yield paper, name, record


def tables_of(record: dict[str, Any]) -> set[str]:
    """The tables that a claim needs."""
    parts = (record, *record.get("parts", ()))
    return {part["table"] for part in parts if "table" in part}
