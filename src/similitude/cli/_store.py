"""`similitude store`: list, add, remove and verify what a store holds."""

from pathlib import Path
from typing import Annotated

import typer

from .. import _validate, engine
from ..store import open_store, read_files

store = typer.Typer(
    help="Representations in a folder, every bit of them guarded.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Folder = Annotated[Path, typer.Argument(help="The folder of the store.")]


@store.command("list")
def list_elements(path: Folder) -> None:
    """Show what a store holds."""
    opened = open_store(path)
    elements = opened.ids()
    width = max([7, *map(len, elements)])
    if elements:
        typer.echo(f"{'element':<{width}}  {'rows x d':>14}  kind")
    for element in elements:
        rep = opened.get(element)
        shape = f"{rep.n:,} x {rep.d:,}"
        typer.echo(f"{element:<{width}}  {shape:>14}  {rep.role}")
    typer.echo(f"{len(elements)} elements", err=True)


@store.command()
def add(
    path: Folder,
    files: Annotated[list[Path], typer.Argument(help="Files to add.")],
    *,
    model: Annotated[str | None, typer.Option(help="Their model.")] = None,
    layer: Annotated[str | None, typer.Option(help="Their layer.")] = None,
) -> None:
    """Add files to a store, which is made if it is not there."""
    from dataclasses import replace

    reps = [rep for file in files for rep in read_files(file)]
    for rep in reps:  # all are added, or none is, and no store is made for nothing
        _validate.real_array(rep.load(), engine.where(rep))
    opened = open_store(path, create=True)
    for rep in reps:
        changed = replace(rep, model=model or rep.model, layer=layer or rep.layer)
        typer.echo(opened.put(changed))


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
