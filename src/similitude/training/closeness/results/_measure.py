"""Distances, accuracies and canonical correlations of all models of an experiment."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from .... import __version__, _parallel
from ...._validate import check_at_least, check_not_negative, check_one_of
from ....engine import Folder, Progress, RepresentationRecord, RunRecord
from ....errors import InvalidInput, Undefined
from ....identifiability import fg_distance, kl, llv_distance, m_cca
from ....inputs import SoftmaxModel
from .._setting import Experiment, Setting
from ._authors import m_svds_f
from ._evaluated import (
    File,
    Part,
    Say,
    Split,
    described,
    evaluate,
    find_files,
    load_part,
)
from ._rows import AccuracyRow, DistanceRow, MccaRow, undefined, with_job
from ._table import ResultsTable, results_folder

__all__ = ["measure_accuracies", "measure_distances", "measure_mcca"]

Item = tuple[dict[str, Any], SoftmaxModel, SoftmaxModel]


@dataclass(frozen=True, eq=False)
class _Request:
    """What a call was given, apart from the options of the measure."""

    experiment: Experiment
    checkpoints: Path
    results: Path | None
    date: str
    split: Split
    existing: bool
    device: str
    progress: Progress
    say: Say
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


def measure_distances(
    experiment: Experiment,
    checkpoints: str | PathLike[str],
    results: str | PathLike[str] | None = None,
    *,
    date: str,
    split: Split = "test",
    weight: float = 1e-5,
    aggregate: Literal["max", "sum"] = "max",
    reduce: Literal["max", "mean"] = "max",
    draws: int = 200,
    seed: int = 0,
    compat: bool = False,
    existing: bool = False,
    device: str = "cpu",
    progress: Progress = lambda stage, done, total: None,
    say: Say = lambda text: None,
) -> ResultsTable:
    """d_LLV, d_fg and KL of all pairs of seeds of each setting.

    Each network is evaluated once. All pairs use the same random sets of inputs.

    Parameters
    ----------
    experiment
        Data set, models and training: they give the names of the checkpoints.
    checkpoints
        Folder of the checkpoints, ours or the authors'.
    results
        Folder to which rows are written as they are computed; after an interruption,
        the same call computes the missing ones. By default nothing is written.
    date
        Date in the names of the checkpoints.
    split
        ``"test"`` or ``"train"``: the inputs at which models are compared.
    weight, aggregate, reduce, draws
        As in `similitude.identifiability.llv_distance`.
    seed
        Seed of the sets of inputs.
    compat
        Draw and choose the sets of inputs as the authors' code does after
        ``np.random.seed(seed)``.
    existing
        Use the models that exist. By default a missing model is an error.
    device
        PyTorch device on which the networks run. Distances are computed on the CPU.
    progress
        Called with the stage, the number of finished pairs and their total.
    say
        Called with lines of text for the user.

    Returns
    -------
    ResultsTable
    """
    check_not_negative("weight", weight)
    check_one_of("aggregate", aggregate, ("max", "sum"))
    check_one_of("reduce", reduce, ("max", "mean"))
    check_at_least("draws", draws, 1)
    check_at_least("seed", seed, 0)
    options = {
        "weight": float(weight),
        "aggregate": aggregate,
        "reduce": reduce,
        "draws": draws,
        "draw_seed": seed,
        "input_sets": "RandomState" if compat else "default_rng",
    }
    sets = f"{draws}{'RandomState' if compat else 'sets'}{seed}"
    label = f"_{reduce}{aggregate}_w{float(weight)}_{sets}"
    request = _Request(
        experiment,
        Path(checkpoints),
        None if results is None else Path(results),
        date,
        split,
        existing,
        device,
        progress,
        say,
        options,
        label,
    )
    return _measure_pairs(request, "distances", DistanceRow, distance_row)


def measure_mcca(
    experiment: Experiment,
    checkpoints: str | PathLike[str],
    results: str | PathLike[str] | None = None,
    *,
    date: str,
    split: Split = "test",
    existing: bool = False,
    device: str = "cpu",
    progress: Progress = lambda stage, done, total: None,
    say: Say = lambda text: None,
) -> ResultsTable:
    """Mean canonical correlations of all pairs of seeds of each setting.

    See `measure_distances` for the parameters.
    """
    path = None if results is None else Path(results)
    request = _Request(
        experiment,
        Path(checkpoints),
        path,
        date,
        split,
        existing,
        device,
        progress,
        say,
    )
    return _measure_pairs(request, "mcca", MccaRow, mcca_row)


def measure_accuracies(
    experiment: Experiment,
    checkpoints: str | PathLike[str],
    results: str | PathLike[str] | None = None,
    *,
    date: str,
    split: Split = "test",
    existing: bool = False,
    device: str = "cpu",
    progress: Progress = lambda stage, done, total: None,
    say: Say = lambda text: None,
) -> ResultsTable:
    """Accuracy and mean negative log-likelihood of each model.

    See `measure_distances` for the parameters.
    """
    path = None if results is None else Path(results)
    request = _Request(
        experiment,
        Path(checkpoints),
        path,
        date,
        split,
        existing,
        device,
        progress,
        say,
    )
    part, found = _start(request)
    rows: list[AccuracyRow] = []
    total = sum(len(files) for _, files in found)
    for setting, files in found:
        shared = described(setting, date, part)
        contents = []
        for file in files:
            content = shared | {
                "seed": file.seed,
                "checkpoint": file.path.name,
                "sha256": file.sha256,
            }
            contents.append(content | {"job": with_job(AccuracyRow, content)})
        with _stored(request, "accuracies", setting, files, contents) as (known, keep):
            for file, content in zip(files, contents, strict=True):
                if content["job"] not in known:
                    model = evaluate(file, setting, part, request.device)
                    row = AccuracyRow(
                        **content,
                        accuracy=model.accuracy(part.labels),
                        nll=model.nll(part.labels),
                    )
                    keep(row)
                rows.append(known[content["job"]])
                progress("accuracies", len(rows), total)
    return ResultsTable("accuracies", tuple(rows))


def distance_row(
    item: tuple[dict[str, Any], SoftmaxModel, SoftmaxModel],
) -> DistanceRow:
    content, p, q = item
    compat = content["input_sets"] == "RandomState"
    sets = None
    size, draws, seed = p.dimension + 1, content["draws"], content["draw_seed"]
    try:
        if compat and size * draws <= p.n:
            order = np.random.RandomState(seed).choice(p.n, size * draws, replace=False)
            sets = order.reshape(draws, size)
        llv = llv_distance(
            p,
            q,
            weight=content["weight"],
            aggregate=content["aggregate"],
            reduce=content["reduce"],
            draws=draws,
            input_sets=sets,
            rng=seed,
            compat=compat,
        )
        fg = fg_distance(p, q, llv=llv, rng=seed)
    except Undefined as error:
        return undefined(DistanceRow, content, str(error))
    return DistanceRow(
        **content,
        status="ok",
        reason="",
        d_llv=llv.value,
        t1=llv.t1,
        t2=llv.t2,
        t3=llv.t3,
        t4=llv.t4,
        pivot=llv.pivot,
        left_out=llv.left_out,
        input_set=llv.inputs,
        d_fg=fg.value,
        d_f=fg.d_f.value,
        d_f_labels=fg.d_f.labels,
        d_f_exact=fg.exact,
        d_g=fg.d_g,
        kl_ab=kl(p, q),
        kl_ba=kl(q, p),
        m_svd_f=m_svds_f(p, q, llv.pivot, llv.left_out) if compat else None,
    )


def mcca_row(item: Item) -> MccaRow:
    content, p, q = item
    try:
        f, g = m_cca(p.f, q.f), m_cca(p.g, q.g)
    except Undefined as error:
        return undefined(MccaRow, content, str(error))
    return MccaRow(**content, status="ok", reason="", m_cca_f=f, m_cca_g=g)


def _measure_pairs(
    request: _Request, kind: str, row: type[Any], compute: Callable[[Item], Any]
) -> ResultsTable:
    """All pairs of each setting; rows that the results folder has are not computed."""
    part, found = _start(request)
    total = sum(len(files) * (len(files) - 1) // 2 for _, files in found)
    if total == 0:
        raise InvalidInput(
            f"{request.checkpoints} has no two models of a setting, so there are no "
            f"pairs to compare. Give two seeds or more."
        )
    rows: list[Any] = []
    for setting, files in found:
        shared = described(setting, request.date, part) | request.options
        contents = {}
        for a, b in itertools.combinations(files, 2):
            content = shared | _names(a, b)
            contents[a, b] = content | {"job": with_job(row, content)}
        listed = list(contents.values())
        with _stored(request, kind, setting, files, listed) as (known, keep):
            missing = {k: c for k, c in contents.items() if c["job"] not in known}
            needed = dict.fromkeys(itertools.chain.from_iterable(missing))
            device = request.device
            models = {file: evaluate(file, setting, part, device) for file in needed}
            items = ((c, models[a], models[b]) for (a, b), c in missing.items())
            done = len(rows) + len(contents) - len(missing)
            for number, computed in enumerate(_parallel.imap(compute, items), 1):
                keep(computed)
                request.progress(kind, done + number, total)
            rows += [known[content["job"]] for content in listed]
    return ResultsTable(kind, tuple(rows))


def _start(request: _Request) -> tuple[Part, list[tuple[Setting, list[File]]]]:
    """Find all checkpoints before the first is read."""
    from .._train import check_device

    check_device(request.device)
    if not request.checkpoints.is_dir():
        raise InvalidInput(
            f"{request.checkpoints} is not a folder. Give the folder of the "
            f"checkpoints, or train models with `similitude closeness train`."
        )
    seeds = request.experiment.variations.random_seeds
    found = []
    for setting in request.experiment.settings():
        files = find_files(
            setting,
            seeds,
            request.checkpoints,
            request.date,
            existing=request.existing,
            say=request.say,
        )
        found.append((setting, files))
    if not any(files for _, files in found):
        raise InvalidInput(
            f"{request.checkpoints} has none of these models with the date "
            f"{request.date}. Give another folder or date, or train them."
        )
    return load_part(request.experiment, request.split), found


def _names(a: File, b: File) -> dict[str, Any]:
    return {
        "seed_a": a.seed,
        "seed_b": b.seed,
        "checkpoint_a": a.path.name,
        "checkpoint_b": b.path.name,
        "sha256_a": a.sha256,
        "sha256_b": b.sha256,
    }


class _stored:
    """The rows that are known, by job, and a function that keeps one more."""

    def __init__(
        self,
        request: _Request,
        kind: str,
        setting: Setting,
        files: Sequence[File],
        contents: Sequence[dict[str, Any]],
    ) -> None:
        self.folder = request.folder(kind, setting) if contents else None
        self.known: dict[str, Any] = {}
        if self.folder is None:
            return
        records = tuple(
            RepresentationRecord(f.path.name, f.sha256, seed=f.seed) for f in files
        )
        jobs = tuple(content["job"] for content in contents)
        self.folder.start(RunRecord(__version__, jobs, records))
        self.known = self.folder.rows()
        for note in self.folder.notes():
            request.say(note)

    def keep(self, row: Any) -> None:
        self.known[row.job] = row
        if self.folder is not None:
            self.folder.append([row])

    def __enter__(self) -> tuple[dict[str, Any], Callable[[Any], None]]:
        return self.known, self.keep

    def __exit__(self, *error: object) -> None:
        if self.folder is not None:
            self.folder.close()
