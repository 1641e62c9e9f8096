"""`similitude advise`: describe representations and warn about their data."""

import textwrap
from dataclasses import asdict
from typing import Annotated

import typer

from .. import advice, engine
from ._inputs._paths import Paths, read_paths
from ._say import say, say_json

LONGEST_NAME = 29  # longer names get their own line


def advise(
    paths: Paths,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Describe representations and warn about problems in the data."""
    reps = read_paths(paths)
    engine.check_values(reps)
    described = [advice.describe(rep) for rep in reps if rep.domain == "points"]
    found = advice.advise(reps)
    if as_json:
        document = {
            "schema": 1,
            "representations": [asdict(d) for d in described],
            "advice": [asdict(a) for a in found],
        }
        say_json(document)
        return
    width = max([14, *(len(d.name) for d in described if len(d.name) <= LONGEST_NAME)])
    say(
        f"{'representation':<{width}} {'n':>7} {'d':>6} {'rank':>6} {'dead':>5} "
        f"{'twice':>6} {'PR':>7} {'TwoNN':>6}"
    )
    for d in described:
        inner = "-" if d.intrinsic_dimension is None else f"{d.intrinsic_dimension:.1f}"
        *above, name = textwrap.wrap(d.name, 80)
        if above or len(name) > width:
            above, name = [*above, name], ""
        numbers = (
            f"{name:<{width}} {d.n:>7} {d.d:>6} {d.rank:>6} {d.dead_units:>5} "
            f"{d.duplicate_rows:>6} {d.participation_ratio:>7.1f} {inner:>6}"
        )
        say("\n".join([*above, numbers]))
    legend = (
        "dead: columns that do not vary; twice: rows that duplicate another row; PR: "
        "participation ratio, the effective number of directions of the variance; "
        "TwoNN: estimate of the intrinsic dimension."
    )
    say(f"\n{textwrap.fill(legend, 80)}\n")
    for code in dict.fromkeys(item.code for item in found):
        items = [item for item in found if item.code == code]
        say(textwrap.fill(_warning(code, items), 80))
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
