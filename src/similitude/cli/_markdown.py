"""The table of all measures as a page of Markdown: what docs/measures.md is."""

from collections.abc import Iterable

from ..measures import MEASURES, Measure
from ._claims_text import by_family, interval, invariances

_HEAD = """\
# Measures

Made by `similitude measures --markdown` (`make tables`) from what the measures claim; a
test compares. Every claim is tested, and that what is not claimed is not so. At default
options: `similitude measures NAME` explains one, with what its options change.

Cost: `cheap` is a product or two, `moderate` has a step beyond that, `heavy` is worth
planning. Chance is what unrelated representations score, where that is not plain. A
measure that is not paired takes rows of different stimuli, and as many as there are.
"""

_COLUMNS = [
    *("measure", "kind", "range", "invariant to", "symmetric", "paired"),
    *("cost", "chance", "references"),
]


def page() -> str:
    """Every measure of `MEASURES`, one table for each family."""
    families = by_family(MEASURES.values())
    tables = [f"## {title}\n\n{table(of)}" for title, of in families.items()]
    return "\n".join([_HEAD, *tables])


def table(chosen: Iterable[Measure]) -> str:
    lines = [_line(_COLUMNS), _line(["---"] * len(_COLUMNS))]
    return "\n".join([*lines, *(_line(_cells(measure)) for measure in chosen)]) + "\n"


def _cells(measure: Measure) -> list[str]:
    claims = measure.claims()
    return [
        f"`{measure.name}`",
        claims.kind,
        interval(*claims.range),
        "-" if measure.domain == "outputs" else invariances(measure),
        "yes" if claims.symmetric else "no",
        "yes" if claims.paired else "no",
        measure.cost,
        claims.chance or "-",
        ", ".join(measure.refs),
    ]


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
