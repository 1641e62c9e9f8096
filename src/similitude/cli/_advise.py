"""`similitude advise`: describe representations and warn about their data."""

from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated

from .. import advice, engine
from .._base._printable import wrapped
from .._base._table import Column, table
from ..store import check_writable, write_table
from ._inputs._paths import Paths, read_paths
from ._option import option
from ._say import say, say_json

LONGEST_NAME = 29  # longer names get their own line
# Heading of a column -> field of a description, and the format of its numbers.
_DATA = {
    "n": ("n", "d"),
    "d": ("d", "d"),
    "rank": ("rank", "d"),
    "dead": ("dead_units", "d"),
    "twice": ("duplicate_rows", "d"),
}
_SPACE = {
    "eff. rank": ("effective_rank", ".1f"),
    "PR": ("participation_ratio", ".1f"),
    "exponent": ("spectrum_exponent", ".2f"),
    "cosine": ("mean_cosine", ".3f"),
    "TwoNN": ("intrinsic_dimension", ".1f"),
}
_LEGEND = (
    "dead: columns that do not vary; twice: rows that duplicate another row; eff. "
    "rank: exponential of the entropy of the singular values (RankMe); PR: "
    "participation ratio, the effective number of directions of the variance; "
    "exponent: a, if variances fall as (number of the direction)^-a; cosine: mean "
    "cosine of two rows; TwoNN: estimate of the intrinsic dimension."
)


def advise(
    paths: Paths,
    *,
    as_json: Annotated[bool, option("--json", "Print JSON.")] = False,
    csv: Annotated[
        Path | None, option("--csv FILE", "Write the descriptions as CSV.")
    ] = None,
) -> None:
    """Describe representations and warn about problems in the data."""
    if csv is not None:
        check_writable(csv, "--csv")
    reps = read_paths(paths)
    engine.check_values(reps)
    described = [advice.describe(rep) for rep in reps if rep.domain == "points"]
    found = advice.advise(reps)
    if csv is not None:
        write_table(
            csv,
            {
                f.name: [getattr(d, f.name) for d in described]
                for f in fields(advice.Description)
            },
        )
    if as_json:
        document = {
            "schema": 1,
            "representations": [asdict(d) for d in described],
            "advice": [asdict(a) for a in found],
        }
        say_json(document)
        return
    _table(described, _DATA)
    _table(described, _SPACE)
    say(f"{wrapped(_LEGEND)}\n")
    for code in dict.fromkeys(item.code for item in found):
        items = [item for item in found if item.code == code]
        say(wrapped(_warning(code, items)))
    if not found:
        say("No warnings.")


def _warning(code: str, items: list[advice.Advice]) -> str:
    """One warning in full, or one summary of several with the same code."""
    if len(items) == 1:
        return f"{code}: {items[0].text}"
    names = [" - ".join(item.about) for item in items]
    first = ", ".join(names[:3])
    rest = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return f"{code}: {advice.CODES[code]}: {first}{rest}. For example {items[0].text}"


def _table(
    described: list[advice.Description], columns: dict[str, tuple[str, str]]
) -> None:
    names = [d.name for d in described]
    shown = [Column("representation", names, left=True, longest=LONGEST_NAME)]
    for heading, (field, form) in columns.items():
        values = [getattr(d, field) for d in described]
        cells = ["-" if value is None else f"{value:{form}}" for value in values]
        shown.append(Column(heading, cells, least=10))
    say("\n".join(table(shown, 80, gap="")))
    say("")
