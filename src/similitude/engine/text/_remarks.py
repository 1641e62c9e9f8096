"""The interpretation of single rows, in words."""

from ...errors import either
from .._rows import Row
from ._numbers import number


def remark(row: Row) -> str:
    """The reason why a row does not have a score or a null; otherwise empty."""
    if row.status != "ok":
        return f"{row.status}: {row.reason}"
    if row.p is not None or not row.complete:
        return ""
    if "null" in row.details:
        return f"no null: {row.details['null']}"
    if not row.paired:
        return "no null: this measure does not pair rows"
    option = either(python="permutations=19", shell="--permutations 19")
    return f"no null; add one with {option}"


def reading(row: Row) -> str:
    """How to interpret the score of a row, and remarks."""
    if row.status != "ok":
        return remark(row)
    parts = [row.reading]
    if "biased" in row.details:
        parts.append(f"(biased: {number(row.details['biased'])})")
    if rest := remark(row):
        parts.append(f"({rest})")
    return " ".join(parts)
