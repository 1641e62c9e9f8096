"""A request for results, and the folder that keeps their rows."""

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Required, TypedDict

from similitude import __version__
from similitude.plugins import Folder, Progress, RepresentationRecord, RunRecord

from ..training._setting import Experiment, Setting
from ._evaluated import File, Say, Split
from ._table import results_folder


class Where(TypedDict, total=False):
    """Parameters of all functions that measure; `measure_distances` explains them."""

    date: Required[str]
    split: Split
    existing: bool
    device: str
    progress: Progress
    say: Say


@dataclass(frozen=True, eq=False)
class Request:
    """What a call was given, apart from the options of the measure."""

    experiment: Experiment
    checkpoints: Path
    results: Path | None
    date: str
    split: Split = "test"
    existing: bool = False
    device: str = "cpu"
    progress: Progress = lambda stage, done, total: None
    say: Say = lambda text: None
    options: dict[str, Any] = field(default_factory=dict)
    label: str = ""

    def folder(self, kind: str, setting: Setting) -> Folder | None:
        """The folder of the rows of one setting."""
        if self.results is None:
            return None
        norms = "".join(
            f"_{side}_{value:g}"
            for side, value in (
                ("g", setting.fix_length_g),
                ("f", setting.fix_length_f),
            )
            if value
        )
        data = setting.dataset
        name = (
            f"{self.date}_{self.split}{self.label}_{setting.model_type}{norms}"
            f"_{setting.width}_cls{setting.classes}_fd{setting.dim}"
            f"_data{data.num_points}_{data.random_seed}_{setting.train.train_steps}"
        )
        return results_folder(self.results / kind / name, kind)


def as_request(
    experiment: Experiment,
    checkpoints: str | PathLike[str],
    results: str | PathLike[str] | None,
    where: Where,
    **measure: Any,
) -> Request:
    """The request of a call; `measure` are the options of the measure and a label."""
    folder = None if results is None else Path(results)
    return Request(experiment, Path(checkpoints), folder, **where, **measure)


@contextmanager
def stored(
    request: Request,
    kind: str,
    setting: Setting,
    files: Sequence[File],
    contents: Sequence[dict[str, Any]],
) -> Iterator[tuple[dict[str, Any], Callable[[Any], None]]]:
    """The rows that are known, by job, and a function that keeps one more.

    The folder is created when the first row exists: wrong input leaves none.
    """
    known: dict[str, Any] = {}
    folder = request.folder(kind, setting) if contents else None
    if folder is None:
        yield known, lambda row: known.update({row.job: row})
        return
    known |= folder.rows()
    for note in folder.notes():
        request.say(note)
    jobs = tuple(content["job"] for content in contents)
    records = (RepresentationRecord(f.path.name, f.sha256, seed=f.seed) for f in files)
    run = RunRecord(__version__, jobs, tuple(records))
    start = functools.cache(lambda: folder.start(run))  # once

    def keep(row: Any) -> None:
        known[row.job] = row
        start()
        folder.append([row])

    try:
        yield known, keep
        start()
    finally:
        folder.close()
