"""Options of `compare` for several machines: shards, and workers of Dask."""

import contextlib
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import engine
from ..errors import InvalidInput
from ._say import say


@dataclass(frozen=True)
class Machines:
    """The way in which the work is divided; checked before anything is computed."""

    shard: str | None
    backend: str | None
    scheduler: str | None
    workers: int | None

    def __post_init__(self) -> None:
        if self.shard is not None:
            engine.Shard.parse(self.shard)
        if self.backend not in {None, "dask"}:
            raise InvalidInput(f"--backend {self.backend}: the only one is dask.")
        if self.backend is None and self.scheduler is not None:
            raise InvalidInput("--scheduler needs --backend dask.")
        if self.backend is not None and self.scheduler is None:
            raise InvalidInput(
                "--backend dask needs --scheduler ADDRESS, which `dask scheduler` "
                "prints."
            )
        if self.backend is not None and self.shard is not None:
            raise InvalidInput("give --shard or --backend, not both.")
        if self.backend is not None and self.workers is not None:
            raise InvalidInput(
                "--workers starts processes on this machine; with --backend dask, "
                "start workers with `dask worker`."
            )

    def executor(self) -> AbstractContextManager[Any]:
        if self.scheduler is None:
            return contextlib.nullcontext()
        return engine.dask_executor(self.scheduler)

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
