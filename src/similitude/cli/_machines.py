"""Options of `compare` for several machines: shards, and workers of Dask."""

from dataclasses import dataclass
from pathlib import Path

from .. import engine
from ..errors import InvalidInput
from ._say import say


@dataclass(frozen=True)
class Machines:
    """The way in which the work is divided; checked before anything is computed."""

    shard: str | None
    dask: str | None
    workers: int | None
    removed: str | None  # the value of a former option

    def __post_init__(self) -> None:
        if self.shard is not None:
            engine.Shard.parse(self.shard)
        if self.removed is not None:
            raise InvalidInput(
                "--backend and --scheduler were removed: use --dask ADDRESS for the "
                "workers of a Dask scheduler, or start one process per --shard I/N."
            )
        if self.dask is not None and self.shard is not None:
            raise InvalidInput("give --shard or --dask, not both.")
        if self.dask is not None and self.workers is not None:
            raise InvalidInput(
                "--workers starts processes on this machine; with --dask, start "
                "workers with `dask worker`."
            )

    def say_what_is_missing(self, results: engine.Results, out: Path) -> None:
        """After a shard, print how many rows of all shards are computed."""
        if self.shard is None:
            return
        rows = (*results.rows, *results.baseline_rows)
        finished = sum(row.complete for row in rows)
        total = len(engine.Folder(out).run().jobs)
        say(
            f"Shard {self.shard} is finished; {finished:,} of {total:,} rows of all "
            f"shards are in {out}. `similitude show {out}` prints the table.",
            err=True,
        )
