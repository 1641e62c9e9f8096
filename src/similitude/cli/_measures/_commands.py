"""`similitude measures`: list measures and their claims."""

import inspect
import math
from typing import Annotated, Any

from ... import measures as measures_module
from ..._base._printable import terminal_width, wrapped
from ..._base._table import Column, table
from ...errors import InvalidInput
from ...measures import MEASURES, Measure, find_measure, summary
from ...transformations import Group, closure, find_group
from .._inputs._typed_names import complete_measures, split
from .._option import argument, option
from .._say import say, say_json
from ._claims_text import by_family, interval, invariances
from ._docstring import readable


def measures(
    name: Annotated[
        str | None,
        argument(
            "NAME", "Describe this measure in full.", autocompletion=complete_measures
        ),
    ] = None,
    *,
    invariant_to: Annotated[
        list[str] | None,
        option(
            "GROUP", "List only measures invariant to this group, in both arguments."
        ),
    ] = None,
    not_to: Annotated[
        list[str] | None, option("GROUP", "Omit measures invariant to this group.")
    ] = None,
    long: Annotated[
        bool, option("--long", "Show kind, range and invariances.")
    ] = False,
    as_json: Annotated[bool, option("--json", "Print JSON.")] = False,
) -> None:
    """List the measures and their properties.

    The list says what each measure asks. --long and filters show kind, range and
    invariances, for default options. Filters also consider options with named values
    that change the invariances of a measure.

    Groups: permutation, sign, signed_permutation, rotation (also reflections), linear,
    isotropic_scale (scale), column_scale, diagonal, row_scale, constant_shift,
    translation (shift).
    """
    if name is not None and (invariant_to or not_to):
        raise InvalidInput("got a name and a filter; give one of them.")
    if name is not None:
        _describe(find_measure(name), as_json=as_json)
        return
    wanted = [find_group(word) for word in split(invariant_to or [])]
    unwanted = [find_group(word) for word in split(not_to or [])]
    filtered = bool(wanted or unwanted)
    candidates = [
        variant
        for _, default in sorted(MEASURES.items())
        for variant in (_with_other_invariances(default) if filtered else [default])
    ]
    chosen = [
        measure
        for measure in candidates
        if all(_invariant(measure, group) for group in wanted)
        and not any(_invariant(measure, group) for group in unwanted)
    ]
    if as_json:
        rows = [claims_as_json(measure) for measure in chosen]
        say_json({"schema": 1, "rows": rows})
    elif filtered or long:
        _table(chosen, filtered=filtered)
    else:
        _questions(chosen)


def _with_other_invariances(default: Measure) -> list[Measure]:
    """The default, and its variants with other invariances."""
    first: dict[Any, Measure] = {}
    for variant in default.variants():
        claims = variant.claims()
        first.setdefault((claims.invariant_x, claims.invariant_y), variant)
    return list(first.values())


def _invariant(measure: Measure, group: Group) -> bool:
    """Whether both arguments are invariant; False for other inputs than points."""
    if measure.domain != "points":
        return False
    claims = measure.claims()
    return group in closure(claims.invariant_x) & closure(claims.invariant_y)


def claims_as_json(measure: Measure) -> dict[str, Any]:
    claims = measure.claims()
    return measure.to_json() | {
        "family": measure.family,
        "domain": measure.domain,
        "kind": claims.kind,
        "range": [v if math.isfinite(v) else None for v in claims.range],
        "symmetric": claims.symmetric,
        "paired": claims.paired,
        "triangle": claims.triangle,
        "invariant_x": sorted(claims.invariant_x),
        "invariant_y": sorted(claims.invariant_y),
        "stochastic": claims.stochastic,
        "differentiable": claims.differentiable,
        "on_device": claims.on_device,
        "per_stimulus": claims.per_stimulus,
        "chance": claims.chance,
        "cost": measure.cost,
        "extra": measure.extra,
        "refs": list(measure.refs),
    }


def _questions(chosen: list[Measure]) -> None:
    """One line per measure: its name, and what it asks."""
    width = terminal_width()
    for title, family in by_family(chosen).items():
        say(f"{title}:", bold=True)
        names = Column("", [f"  {measure.name}" for measure in family], left=True)
        asked = Column("", [summary(measure) for measure in family])
        say("\n".join(table([names], width, text=asked)))
        say()
    say(
        f"{len(chosen)} measures. `similitude measures NAME` describes one, and --long "
        f"shows\nkind, range and invariances of all."
    )


def _table(chosen: list[Measure], *, filtered: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    widths = {"measure": max((len(m.label) for m in chosen), default=0)}
    widths |= {"kind": len("similarity"), "range": len("[-inf, inf]")}
    head = "  ".join(f"{column:<{width}}" for column, width in widths.items())
    if chosen:
        console.print(f"{head}  invariant to", style="bold")
    for title, family in by_family(chosen).items():
        rich_table = Table(box=None, pad_edge=False, show_header=False)
        for width in (*widths.values(), None):
            rich_table.add_column(min_width=width, no_wrap=width is not None)
        for measure in family:
            claims = measure.claims()
            between = interval(*claims.range)
            rich_table.add_row(
                measure.label, claims.kind, between, invariances(measure)
            )
        console.print(f"{title}:", style="italic")
        console.print(rich_table)
    console.print(
        (f"{len(chosen) or 'none'} found. " * filtered)
        + f"{len(MEASURES)} measures; `similitude measures NAME` describes one.",
        style="dim",
    )


def _describe(measure: Measure, *, as_json: bool) -> None:
    if as_json:
        say_json({"schema": 1, "rows": [claims_as_json(measure)]})
        return
    claims = measure.claims()
    lines = {
        "measure": measure.label,
        "aliases": ", ".join(alias.name for alias in measure.aliases) or "-",
        "options": ", ".join(f"{k}={v!r}" for k, v in measure.options.items()) or "-",
        "kind": f"{claims.kind} in {interval(*claims.range)}",
        "invariant to": invariances(measure),
        "symmetric": _yes(claims.symmetric),
        "triangle": {True: "yes", False: "no", None: "not claimed"}[claims.triangle],
        "gradients": _yes(claims.differentiable),
        "per stimulus": claims.per_stimulus or "-",
        "chance": claims.chance or "-",
    }
    for key, text in lines.items():
        say(wrapped(text, start=f"{key:<14}"))
    say("\nThese are the default options. In Python:\n")
    doc = inspect.getdoc(getattr(measures_module, measure.name)) or ""
    say(readable(doc, min(terminal_width(), 100)))


def _yes(value: bool) -> str:  # noqa: FBT001
    return "yes" if value else "no"
