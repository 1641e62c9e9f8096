"""`similitude compare`: files in, a table out."""

import json
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import typer

from .. import _config, engine
from ..errors import InvalidInput
from ..measures import Measure
from ._names import find_measure, split
from ._paths import read_baselines, read_paths, select_rows
from ._progress import progress
from ._run_file import RunFile, read_run_file

Paths = Annotated[
    list[Path], typer.Argument(help="Files, folders of files, or stores.")
]


def compare(
    paths: Paths,
    *,
    measures: Annotated[
        list[str] | None,
        typer.Option("-m", "--measures", help="Measures, with commas."),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="A TOML file with [[measure]] entries.")
    ] = None,
    reference: Annotated[
        str | None, typer.Option(help="Compare only with this one.")
    ] = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option(help="NAME=PATH, as in untrained=twins/ or seed=other.npy."),
    ] = None,
    out: Annotated[
        Path, typer.Option("-o", "--out", help="The folder that keeps every row.")
    ] = Path("similitude-results"),
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    permutations: Annotated[
        int | None, typer.Option(help="For the null; by the cost, if left out.")
    ] = None,
    rows: Annotated[
        str | None, typer.Option(help="Rows to compare, as 0:300 or 3,5,8.")
    ] = None,
    drop_nonfinite: Annotated[
        bool, typer.Option(help="Drop rows that are not finite in some file.")
    ] = False,
    common_ids: Annotated[
        bool, typer.Option(help="Compare the stimuli whose ids all have.")
    ] = False,
    seed: Annotated[int | None, typer.Option(help="Of all that is drawn.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes.")] = None,
) -> None:
    """Compare representations in files, with intervals, nulls and baselines.

    Reads .npy, .npz, .safetensors, .pt, .csv, .parquet, folders of them, and stores.
    Every row is kept as soon as it is there: a run that was stopped goes on when the
    command is repeated. Exit 3: finished, but some pairs failed.
    """
    file = RunFile() if config is None else read_run_file(config)
    reps = read_paths(paths)
    chosen = rows or file.rows
    if chosen is not None:
        reps = select_rows(reps, chosen)
    if drop_nonfinite:
        reps, dropped = engine.drop_nonfinite(reps)
        if dropped:
            typer.echo(f"dropped {dropped} rows that are not finite", err=True)
    settings = {} if workers is None else {"workers": workers}
    with _config.config(**settings), _stoppable(out), progress() as report:
        results = engine.compare(
            reps,
            _measures(measures, file),
            reference=reference or file.reference,
            baselines=read_baselines(baseline or [], reps),
            permutations=_first(permutations, file.permutations, "auto"),
            rng=_first(seed, file.seed, 0),
            out=out,
            join_ids="common" if common_ids else "exact",
            progress=report,
        )
    if as_json:
        typer.echo(json.dumps(results.to_dict(), indent=1))
    else:
        typer.echo(results.table())
        typer.echo(f"Results: {out}", err=True)
    if any(row.status == "failed" for row in results.rows):
        raise typer.Exit(3)


def _first(*values: Any) -> Any:
    """The first that is given."""
    return next(value for value in values if value is not None)


def _measures(names: list[str] | None, file: RunFile) -> Mapping[str, Measure] | None:
    chosen = {name: find_measure(name) for name in split(names or [])}
    return {**chosen, **file.measures()} or None


@contextmanager
def _stoppable(out: Path) -> Iterator[None]:
    """SIGTERM stops like Ctrl-C does, and whoever stops is told what is kept."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    except KeyboardInterrupt:
        try:
            found = engine.Results.load(out)
            kept = len(found.rows) + len(found.baseline_rows)
        except InvalidInput:
            kept = 0
        typer.echo(
            f"stopped: {kept} scores are kept in {out}; run the same command again "
            f"to go on.",
            err=True,
        )
        sys.exit(130)
    finally:
        signal.signal(signal.SIGTERM, before)
