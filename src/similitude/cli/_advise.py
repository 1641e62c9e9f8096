"""`similitude advise`: what to know about representations before comparing them."""

import json
import textwrap
from dataclasses import asdict
from typing import Annotated

import typer

from .. import advice, engine
from ._compare import Paths
from ._paths import read_paths


def advise(
    paths: Paths,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Say what a careful reader would, about files, folders or stores."""
    reps = read_paths(paths)
    engine.check_values(reps)
    known = [advice.describe(rep) for rep in reps if rep.role == "points"]
    found = advice.advise(reps)
    if as_json:
        document = {
            "schema": 1,
            "representations": [asdict(d) for d in known],
            "advice": [asdict(a) for a in found],
        }
        typer.echo(json.dumps(document, indent=1))
        return
    width = max([14, *(len(d.name) for d in known)])
    typer.echo(
        f"{'representation':<{width}} {'n':>7} {'d':>6} {'rank':>6} {'dead':>5} "
        f"{'twice':>6} {'PR':>7} {'TwoNN':>6}"
    )
    for d in known:
        inner = "-" if d.intrinsic_dimension is None else f"{d.intrinsic_dimension:.1f}"
        typer.echo(
            f"{d.name:<{width}} {d.n:>7} {d.d:>6} {d.rank:>6} {d.dead_units:>5} "
            f"{d.duplicate_rows:>6} {d.participation_ratio:>7.1f} {inner:>6}"
        )
    typer.echo(
        "\ndead: columns that do not vary; twice: rows that repeat another; PR: "
        "participation\nratio; TwoNN: intrinsic dimension.\n"
    )
    for item in found:
        typer.echo(textwrap.fill(f"{item.code}: {item.text}", 80))
    if not found:
        typer.echo("Nothing to warn of.")
