"""`similitude store`: list, add, remove and verify the elements of a store."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from .._base import _validate
from .._base._printable import printable
from .._base._table import Column, table
from ..errors import InvalidInput
from ..representation import where
from ..store import READABLE, ReadLimits, explain_failed_write, open_store, read_files
from ._manifest_text import described, summarized
from ._option import argument, option
from ._say import say

store = typer.Typer(
    help="Manage a folder of representations with checksums.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

LONG = 36  # longest id that leaves room for the other columns in 80 characters

Folder = Annotated[Path, argument("STORE", "The folder of the store.")]


@store.command("list")
def list_elements(path: Folder) -> None:
    """List the elements of a store."""
    opened = open_store(path)
    reps = {printable(id_): opened.get(id_) for id_ in opened.ids()}
    kinds = [
        rep.domain
        if rep.baseline is None
        else f"{rep.domain}, {rep.baseline} of {rep.twin_of or rep.name}"
        for rep in reps.values()
    ]
    # A long id is on its own line and complete, because `rm` takes it.
    columns = [
        Column("element", list(reps), left=True, longest=LONG),
        Column("rows x d", [f"{r.n:,} x {r.d:,}" for r in reps.values()], least=14),
    ]
    if reps:
        say("\n".join(table(columns, 80, text=Column("kind", kinds))))
    say(f"{len(reps)} elements", err=True)


@store.command()
def show(
    path: Folder,
    elements: Annotated[
        list[str] | None,
        argument("IDS", "As printed by `list`. [default: one line per model]"),
    ] = None,
) -> None:
    """Print the content of a store, or how the elements IDS were extracted."""
    opened = open_store(path)
    for element in elements or ():
        opened.folder(element)  # check all before one is printed
    chosen = {element: opened.manifest(element) for element in elements or opened.ids()}
    if elements or len(chosen) < 3:
        say("\n\n".join(described(*each) for each in chosen.items()))
        return
    say(summarized(chosen))
    say(f"{len(chosen):,} elements; `store show {path} ID` shows the origin of one.")


@store.command()
def add(
    path: Folder,
    files: Annotated[
        list[Path], argument("FILES", f"Files to add: {', '.join(READABLE)}.")
    ],
    *,
    model: Annotated[str | None, option("NAME", "Model name of the files.")] = None,
    layer: Annotated[str | None, option("NAME", "Layer name of the files.")] = None,
    baseline: Annotated[
        str | None,
        option(
            "NAME",
            "The files are twins for this baseline, as untrained or seed; "
            "`compare` then uses them.",
        ),
    ] = None,
    twin_of: Annotated[
        str | None,
        option(
            "NAME",
            "The representation the twin belongs to. [default: the one with the "
            "same name; if there is none, all]",
        ),
    ] = None,
) -> None:
    """Add files to a store; the store is created if missing."""
    if twin_of is not None and baseline is None:
        raise InvalidInput("--twin-of needs --baseline, as in --baseline untrained.")
    if twin_of is not None and len(files) > 1:
        raise InvalidInput(f"--twin-of {twin_of}: give one file; got {len(files)}.")
    reps, limits = [], ReadLimits()
    for file in files:
        found = read_files(file, limits=limits)
        for rep in found:
            # Layers of a twin are twins of the layers with the same name.
            target = f"{twin_of}/{rep.layer}" if twin_of and len(found) > 1 else twin_of
            changed = replace(rep, model=model or rep.model, layer=layer or rep.layer)
            reps.append(replace(changed, baseline=baseline, twin_of=target))
    for rep in reps:  # check all before a store is created or changed
        _validate.real_array(rep.load(), where(rep))
    added = 0

    def kept() -> str:
        return f"{added} of {len(reps)} representations are in the store and are kept."

    opened = open_store(path, create=True)
    for rep in reps:
        with explain_failed_write(path, kept):
            element = opened.put(rep)
        added += 1
        say(element)


@store.command()
def rm(
    path: Folder,
    elements: Annotated[list[str], argument("IDS", "As printed by `list`.")],
) -> None:
    """Remove elements from a store."""
    opened = open_store(path)
    for element in elements:
        opened.folder(element)  # check all before one is removed
    for element in elements:
        opened.remove(element)


@store.command()
def verify(path: Folder) -> None:
    """Compare all files with their checksums. Exit code 2: some are damaged."""
    opened = open_store(path)
    problems = opened.verify()
    for problem in problems:
        say(problem, err=True)
    leftovers = opened.leftovers()
    if leftovers:
        say(
            f"{len(leftovers)} unfinished elements of interrupted writers are not used "
            f"and can be deleted: {leftovers[0]}",
            err=True,
        )
    if problems:
        raise typer.Exit(2)
    say(f"{len(opened.ids())} elements, all checksums match")
