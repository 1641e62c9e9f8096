"""`similitude migrate`: measure a map between two embeddings, and apply it to files."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ...cli._option import argument, option
from ...cli._results_output import Json
from ...cli._say import say, say_json
from ...store import check_writable
from .. import migration


class _FitByDefault(TyperGroup):
    """``migrate OLD NEW`` is ``migrate fit OLD NEW``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        fits = bool(args) and args[0] not in {*self.commands, "-h", "--help"}
        return super().parse_args(ctx, ["fit", *args] if fits else args)


HELP = "Measure what maps of old embeddings keep of a new model."
SETTINGS: Any = {"no_args_is_help": True, "rich_markup_mode": None}
migrate = typer.Typer(help=HELP, cls=_FitByDefault, **SETTINGS)
_OLD = "Embeddings of the old model: a file, or FILE:name."
_NEW = "Embeddings of the same rows, or of some, by the new model."
_QUERIES = "Queries by the new model. [default: rows of the corpus]"
_WAY = "Map the old rows (corpus), or new queries to them (queries), or the best."
_KEEP = "Pass only if the interval of the recall is at or above it."


@migrate.command()
def fit(
    old: Annotated[str, argument("OLD", _OLD)],
    new: Annotated[str, argument("NEW", _NEW)],
    *,
    queries: Annotated[str | None, option("FILE", _QUERIES)] = None,
    out: Annotated[Path | None, option("-o --out FOLDER", "Save the map.")] = None,
    keep_at_least: Annotated[float | None, option("SHARE", _KEEP)] = None,
    pairs: Annotated[int | None, option("ROWS", "Rows to fit. [default: half]")] = None,
    k: Annotated[int, option("-k NUMBER", "Results of a query.")] = 10,
    direction: Annotated[str, option("WAY", _WAY)] = "best",
    seed: Annotated[int, option("NUMBER", "Random seed of the rows.")] = 0,
    as_json: Json = False,
) -> None:
    """Fit a map between two embeddings of a corpus (`migrate OLD NEW` for short).

    Prints the share of the results of full re-embedding that searches with the map
    keep, with 95 % intervals over the queries, and the learning curve. Rows that are
    not fitted are the corpus. Blocks of rows, such as documents, are not divided.

    Exit codes: 0 pass or no limit, 1 fail, 2 error.
    """
    if out is not None:
        check_writable(out, "-o")
    options: Any = {"pairs": pairs, "k": k, "direction": direction, "rng": seed}
    options |= {"queries": queries, "keep_at_least": keep_at_least}
    found = migration.migrate(old, new, **options)
    if out is not None:
        found.save(out)
        say(f"Map: {out}", err=True)
    if as_json:
        say_json({"old": old, "new": new, **found.to_dict()})
    else:
        say(str(found))
    raise typer.Exit(int(found.decision is not None and not found.decision.passed))


@migrate.command()
def apply(
    path: Annotated[Path, argument("MAP", "The folder of the map.")],
    rows: Annotated[str, argument("FILE", "Rows to map: a file, or FILE:name.")],
    *,
    out: Annotated[Path, option("-o --out FILE", ".npy, .safetensors or .parquet.")],
) -> None:
    """Map the rows of a file, in blocks; .npy and .parquet may exceed the memory.

    To resume an interrupted run, run the same command again.
    """
    check_writable(out, "-o")
    n, d = migration.apply_map(path, rows, out)
    say(f"{n:,} x {d:,}: {out}", err=True)
