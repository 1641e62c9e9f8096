"""`similitude store`: list, add, remove and verify what a store holds."""

import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from .. import _validate, engine
from ..errors import InvalidInput
from ..store import open_store, read_files

store = typer.Typer(
    help="Representations in a folder, every bit of them guarded.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

LONG = 36  # of an element's id, beside which the rest fits into 80 columns

Folder = Annotated[Path, typer.Argument(help="The folder of the store.")]


@store.command("list")
def list_elements(path: Folder) -> None:
    """Show what a store holds."""
    opened = open_store(path)
    reps = {element: opened.get(element) for element in opened.ids()}
    width = max([7, *(len(element) for element in reps if len(element) <= LONG)])
    if reps:
        typer.echo(f"{'element':<{width}}  {'rows x d':>14}  kind")
    for element, rep in reps.items():
        kind: str = rep.domain
        if rep.baseline is not None:
            kind += f", {rep.baseline} of {rep.twin_of or rep.name}"
        first, *more = textwrap.wrap(kind, 80 - width - 18)
        if len(element) > width:  # on a line of its own, whole: `rm` asks for it
            typer.echo(element)
        shown = element if len(element) <= width else ""
        typer.echo(f"{shown:<{width}}  {f'{rep.n:,} x {rep.d:,}':>14}  {first}")
        for line in more:
            typer.echo(" " * (width + 18) + line)
    typer.echo(f"{len(reps)} elements", err=True)


@store.command()
def add(
    path: Folder,
    files: Annotated[list[Path], typer.Argument(help="Files to add.")],
    *,
    model: Annotated[str | None, typer.Option(help="Their model.")] = None,
    layer: Annotated[str | None, typer.Option(help="Their layer.")] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="They are twins, as untrained or seed; `compare` puts them beside.",
        ),
    ] = None,
    twin_of: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Whose twins. [of what has their name, or of all]"
        ),
    ] = None,
) -> None:
    """Add files to a store, which is made if it is not there."""
    if twin_of is not None and baseline is None:
        raise InvalidInput("--twin-of needs --baseline: --baseline untrained, or seed.")
    if twin_of is not None and len(files) > 1:
        raise InvalidInput(
            f"--twin-of {twin_of}: one file is the twin of one; got {len(files)}."
        )
    reps = []
    for file in files:
        found = read_files(file)
        for rep in found:
            # Layers of a twin are twins of the layers of that name.
            whose = f"{twin_of}/{rep.layer}" if twin_of and len(found) > 1 else twin_of
            changed = replace(rep, model=model or rep.model, layer=layer or rep.layer)
            reps.append(replace(changed, baseline=baseline, twin_of=whose))
    for rep in reps:  # all are added, or none is, and no store is made for nothing
        _validate.real_array(rep.load(), engine.where(rep))
    opened = open_store(path, create=True)
    for rep in reps:
        typer.echo(opened.put(rep))


@store.command()
def rm(
    path: Folder,
    elements: Annotated[list[str], typer.Argument(help="Ids, as `list` shows.")],
) -> None:
    """Remove elements from a store."""
    opened = open_store(path)
    for element in elements:
        opened.manifest(element)  # all are there, or none is removed
    for element in elements:
        opened.remove(element)


@store.command()
def verify(path: Folder) -> None:
    """Read every bit, and say which are not as they were written. Exit 2: some."""
    opened = open_store(path)
    problems = opened.verify()
    for problem in problems:
        typer.echo(problem, err=True)
    leftovers = opened.leftovers()
    if leftovers:
        typer.echo(
            f"{len(leftovers)} unfinished elements of writers that were stopped; "
            f"nobody reads them, and they may be deleted: {leftovers[0]}",
            err=True,
        )
    if problems:
        raise typer.Exit(2)
    typer.echo(f"{len(opened.ids())} elements, every bit as it was written")
