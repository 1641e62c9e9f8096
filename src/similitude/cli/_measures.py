"""`similitude measures`: what there is, and what it claims."""

import inspect
import json
import math
import textwrap
from typing import Annotated, Any

import typer

from .. import measures as measures_module
from ..errors import InvalidInput
from ..measures import MEASURES, Measure, find_measure
from ..transformations import Group, closure, find_group
from . import _markdown
from ._claims_text import by_family, interval, invariances
from ._inputs._typed_names import split


def measures(
    name: Annotated[
        str | None, typer.Argument(help="Describe one measure in full.")
    ] = None,
    *,
    invariant_to: Annotated[
        list[str] | None,
        typer.Option(help="Only those invariant to this, in both arguments."),
    ] = None,
    not_to: Annotated[
        list[str] | None, typer.Option(help="Leave out those invariant to this.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    markdown: Annotated[
        bool, typer.Option(help="Write docs/measures.md: all of them, as a page.")
    ] = False,
) -> None:
    """List the measures, with what each one claims.

    At default options; a filter also looks at what an option with named values makes
    of a measure.

    Groups: permutation, sign, signed_permutation, orthogonal (rotation), linear,
    isotropic_scale (scale), column_scale, diagonal, row_scale, constant_shift,
    translation (shift).
    """
    if markdown:
        if name is not None or invariant_to or not_to or as_json:
            raise InvalidInput("--markdown writes the whole page: leave out the rest.")
        typer.echo(_markdown.page(), nl=False)
        return
    if name is not None and (invariant_to or not_to):
        raise InvalidInput("a filter lists measures: leave out the name or the filter.")
    if name is not None:
        _describe(find_measure(name), as_json=as_json)
        return
    wanted = [find_group(word) for word in split(invariant_to or [])]
    unwanted = [find_group(word) for word in split(not_to or [])]
    filtered = bool(wanted or unwanted)
    candidates = [
        variant
        for _, default in sorted(MEASURES.items())
        for variant in (_claiming_otherwise(default) if filtered else [default])
    ]
    chosen = [
        measure
        for measure in candidates
        if all(_invariant(measure, group) for group in wanted)
        and not any(_invariant(measure, group) for group in unwanted)
    ]
    if as_json:
        rows = [claims_as_json(measure) for measure in chosen]
        typer.echo(json.dumps({"schema": 1, "rows": rows}, indent=2))
    else:
        _table(chosen, filtered=filtered)


def _claiming_otherwise(default: Measure) -> list[Measure]:
    """The default, and variants that are invariant to something else."""
    first: dict[Any, Measure] = {}
    for variant in default.variants():
        claims = variant.claims()
        first.setdefault((claims.invariant_x, claims.invariant_y), variant)
    return list(first.values())


def _invariant(measure: Measure, group: Group) -> bool:
    """In both arguments; of softmax models the words mean something else."""
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
        "chance": claims.chance,
        "cost": measure.cost,
        "extra": measure.extra,
        "refs": list(measure.refs),
    }


def _table(chosen: list[Measure], *, filtered: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    widths = {"measure": max((len(m.label) for m in chosen), default=0)}
    widths |= {"kind": len("similarity"), "range": len("[-inf, inf]")}
    head = "  ".join(f"{column:<{width}}" for column, width in widths.items())
    if chosen:
        console.print(f"{head}  invariant to", style="bold")
    for title, of in by_family(chosen).items():
        table = Table(box=None, pad_edge=False, show_header=False)
        for width in (*widths.values(), None):
            table.add_column(min_width=width, no_wrap=width is not None)
        for measure in of:
            claims = measure.claims()
            between = interval(*claims.range)
            table.add_row(measure.label, claims.kind, between, invariances(measure))
        console.print(f"{title}:", style="italic")
        console.print(table)
    console.print(
        (f"{len(chosen) or 'none'} found. " * filtered)
        + f"{len(MEASURES)} measures; `similitude measures NAME` explains one.",
        style="dim",
    )


def _describe(measure: Measure, *, as_json: bool) -> None:
    if as_json:
        typer.echo(
            json.dumps({"schema": 1, "rows": [claims_as_json(measure)]}, indent=2)
        )
        return
    claims = measure.claims()
    lines = {
        "measure": measure.label,
        "also typed": ", ".join(alias.name for alias in measure.aliases) or "-",
        "options": ", ".join(f"{k}={v!r}" for k, v in measure.options.items()) or "-",
        "kind": f"{claims.kind} in {interval(*claims.range)}",
        "invariant to": invariances(measure),
        "symmetric": _yes(claims.symmetric),
        "triangle": {True: "yes", False: "no", None: "not claimed"}[claims.triangle],
        "gradients": _yes(claims.differentiable),
        "by chance": claims.chance or "-",
    }
    for key, text in lines.items():
        start = f"{key:<14}"
        typer.echo(
            textwrap.fill(text, 80, initial_indent=start, subsequent_indent=" " * 14)
        )
    typer.echo("\nAt these, the default options. In Python:\n")
    typer.echo(inspect.getdoc(getattr(measures_module, measure.name)))


def _yes(value: bool) -> str:  # noqa: FBT001
    return "yes" if value else "no"
