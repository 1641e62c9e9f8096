"""A request for results, and the folder that keeps their rows."""

from collections.abc import Callable, Sequence
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


class Stored:
    """The rows that are known, by job, and a function that keeps one more."""

    def __init__(
        self,
        request: Request,
        kind: str,
        setting: Setting,
        files: Sequence[File],
        contents: Sequence[dict[str, Any]],
    ) -> None:
        self.folder = request.folder(kind, setting) if contents else None
        self.known: dict[str, Any] = {}
        self.started = False
        records = tuple(
            RepresentationRecord(f.path.name, f.sha256, seed=f.seed) for f in files
        )
        jobs = tuple(content["job"] for content in contents)
        self.record = RunRecord(__version__, jobs, records)
        if self.folder is not None:
            self.known = self.folder.rows()
            for note in self.folder.notes():
                request.say(note)

    def keep(self, row: Any) -> None:
        self.known[row.job] = row
        if self.folder is not None:
            self._start()
            self.folder.append([row])

    def _start(self) -> None:
        """Create the folder when the first row exists: wrong input leaves none."""
        if self.folder is not None and not self.started:
            self.folder.start(self.record)
            self.started = True

    def __enter__(self) -> tuple[dict[str, Any], Callable[[Any], None]]:
        return self.known, self.keep

    def __exit__(self, kind: object, *error: object) -> None:
        if self.folder is not None:
            if kind is None:
                self._start()
            self.folder.close()
