"""`similitude compare`: files in, a table out."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import _config, engine
from ..errors import InvalidInput
from ..measures import DEFAULT, Measure, find_measure
from ._inputs._paths import read_inputs, read_paths, read_twins
from ._inputs._run_file import RunFile, read_run_file
from ._inputs._typed_names import split
from ._progress import progress
from ._stopping import says_what_is_kept

_MEASURES_HELP = f"With commas, as {','.join(DEFAULT[:2])}. [{', '.join(DEFAULT)}]"

Paths = Annotated[
    list[Path],
    typer.Argument(metavar="PATHS", help="Files, folders of files, or stores."),
]


def compare(
    paths: Paths,
    *,
    measures: Annotated[
        list[str] | None,
        typer.Option("-m", "--measures", metavar="NAMES", help=_MEASURES_HELP),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="TOML", help="Measures with options, as [[measure]]."),
    ] = None,
    reference: Annotated[
        str | None, typer.Option(metavar="NAME", help="Compare only with this one.")
    ] = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=PATH", help="Twins, as untrained=twins/ or seed=other.npy."
        ),
    ] = None,
    inputs: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="What the networks saw: adds scores beyond it."
        ),
    ] = None,
    out: Annotated[
        Path,
        typer.Option("-o", "--out", metavar="DIR", help="The folder of all results."),
    ] = Path("similitude-results"),
    as_json: Annotated[bool, typer.Option("--json", help="JSON on stdout.")] = False,
    permutations: Annotated[
        int | None,
        typer.Option(
            metavar="B", help="Random pairings for the null. [199, 19 or 0 by cost]"
        ),
    ] = None,
    rows: Annotated[
        str | None, typer.Option(metavar="ROWS", help="As 0:300, or 3,5,8.")
    ] = None,
    drop_nonfinite: Annotated[
        bool, typer.Option("--drop-nonfinite", help="Drop rows with NaN or inf.")
    ] = False,
    common_ids: Annotated[
        bool, typer.Option("--common-ids", help="Stimuli whose ids are in all files.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(metavar="SEED", min=0, help="Of all that is drawn. [0]"),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="Processes; the table is the same.")
    ] = None,
) -> None:
    """Compare representations in files, with intervals, nulls and baselines.

    Reads .npy, .npz, .safetensors, .pt, .csv, .parquet, folders of them, and stores.
    Every row is kept as soon as it is there: a run that was stopped goes on when the
    command is repeated. Exit 3: finished, but some pairs failed.
    """
    file = RunFile() if config is None else read_run_file(config)
    chosen = _measures(measures, file)
    twins = read_twins(baseline or [])
    reps, seen = read_paths(paths), read_inputs(inputs)
    settings = {} if workers is None else {"workers": workers}
    told = says_what_is_kept(engine.Folder(out))
    with _config.config(**settings), told, progress() as report:
        results = engine.compare(
            reps,
            chosen,
            reference=_first(reference, file.reference),
            baselines=twins,
            inputs=seen,
            permutations=_first(permutations, file.permutations, "auto"),
            rng=_first(seed, file.seed, 0),
            out=out,
            rows=_first(rows, file.rows),
            drop_nonfinite=drop_nonfinite,
            join_ids="common" if common_ids else "exact",
            progress=report,
            scored=None if as_json else report.keep,
        )
    if dropped := results.dropped:
        what = "1 row that is" if dropped == 1 else f"{dropped} rows that are"
        typer.echo(f"dropped {what} not finite", err=True)
    if as_json:
        typer.echo(json.dumps(results.to_dict(), indent=1))
    else:
        typer.echo(results.table())
        typer.echo(f"Results: {out}", err=True)
    if any(row.status == "failed" for row in results.rows):
        raise typer.Exit(3)


def _first(*values: Any) -> Any:
    """The first that is given, if any is."""
    return next((value for value in values if value is not None), None)


def _measures(names: list[str] | None, file: RunFile) -> Mapping[str, Measure] | None:
    chosen = [find_measure(name) for name in split(names or [])]
    if names and not chosen:
        raise InvalidInput("-m names no measure; leave it out for the usual ones.")
    return {**{m.label: m for m in chosen}, **file.measures()} or None
