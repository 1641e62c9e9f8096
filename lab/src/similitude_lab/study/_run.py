"""Run a study into a folder: parts, result.json, tables and figures."""

import hashlib
import importlib.metadata
import json
import os
import platform
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from similitude import __version__
from similitude.errors import InvalidInput, check_extra
from similitude.store import write_sealed_json, write_table

from ._catalog import find_study
from ._checks import judge_all, overall
from ._figure_files import write_figure
from ._parts import Parts, Progress
from ._record import NAME, StudyRecord, read_record
from ._study import SCALES, Config, Scale, Study, StudyResult

PACKAGES = ("numpy", "scipy", "numba", "torch", "scikit-learn")


def run_study(
    name: str,
    *,
    scale: Scale = "small",
    out: str | Path = "studies",
    seed: int = 0,
    results: str | Path | None = None,
    data: str | Path | None = None,
    again: bool = False,
    progress: Progress | None = None,
) -> StudyRecord:
    """Run a study, and write result.json, tables and figures to ``out/name/scale``.

    Parameters
    ----------
    name : str
        Name of the study; `STUDIES` lists all.
    scale : {"smoke", "small", "paper"}, optional
        smoke takes seconds, small takes minutes on two cores, paper is the published
        setting.
    out : path, optional
        Folder of all studies.
    seed : int, optional
        Seed of all random draws that the paper does not fix.
    results : path, optional
        Existing results, for studies that would otherwise train networks.
    data : path, optional
        A folder with official data, for studies that otherwise use other data.
    again : bool, optional
        Compute again although the same request is finished.
    progress : callable, optional
        Called with a stage, the number of finished parts and the total.

    Returns
    -------
    StudyRecord
        The numbers with the verdict. A finished request is read, and a killed run
        continues with the parts that are missing.
    """
    study = find_study(name)
    if scale not in SCALES:
        raise InvalidInput(f"scale={scale!r}; choose from {', '.join(SCALES)}.")
    check_extra("plot", "the figures of a study")
    folder = Path(out) / name / scale
    request = _digest(study, scale, seed, results, data)
    if not again and (folder / NAME).exists():
        record = read_record(folder / NAME)
        if record.request == request:
            return record
    parts = Parts(folder / "parts" / request[:16], progress)
    if again:
        parts.clear()
    config = Config(
        scale=scale,
        setting=study.settings[scale],
        parts=parts,
        results=None if results is None else Path(results),
        data=None if data is None else Path(data),
        training=_training_folder(parts, scale),
    )
    began = time.monotonic()
    result = study.run(config, np.random.default_rng(seed))
    seconds = time.monotonic() - began - parts.seconds_shared
    for file, table in result.tables.items():
        write_table(folder / f"{file}.csv", table)
    figures = _write_figures(study, result, folder)
    checks = judge_all(study.checks, result.values, scale)
    verdict, reason = overall(checks)
    record = StudyRecord(
        study=study.name,
        title=study.title,
        paper=study.paper,
        where=study.where,
        claim=study.claim,
        scale=scale,
        seed=seed,
        command=_command(name, scale, seed, results, data),
        setting=asdict(study.settings[scale]),
        values={key: float(value) for key, value in result.values.items()},
        checks=tuple(checks),
        verdict=verdict,
        reason=reason,
        notes=result.notes,
        errata=study.errata,
        tables=tuple(f"{file}.csv" for file in result.tables),
        figures=figures,
        versions=_versions(),
        seconds=round(parts.seconds_read + seconds, 1),
        request=request,
        version=study.version,
        reused=None if results is None else Path(results).name,
        folder=folder,
    )
    write_sealed_json(folder / NAME, record.to_json())
    parts.clear()
    return record


def _training_folder(parts: Parts, scale: Scale) -> Path | None:
    """Networks of the scale smoke are removed with the parts, the others are cached."""
    if scale != "smoke" or parts.folder is None:
        return None
    return parts.folder / "training"


def _digest(
    study: Study,
    scale: Scale,
    seed: int,
    results: str | Path | None,
    data: str | Path | None,
) -> str:
    """Everything that decides on the numbers of a run, as one digest."""
    what: dict[str, Any] = {
        "study": study.name,
        "scale": scale,
        "seed": seed,
        "setting": asdict(study.settings[scale]),
        "results": None if results is None else str(Path(results).resolve()),
        "data": None if data is None else str(Path(data).resolve()),
        "version": __version__,
    }
    if study.version > 1:  # results of version 1 were stored without it
        what["study_version"] = study.version
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


def _command(
    name: str,
    scale: str,
    seed: int,
    results: str | Path | None,
    data: str | Path | None,
) -> str:
    words = ["similitude study run", name, f"--scale {scale}", f"--seed {seed}"]
    words += [] if results is None else [f"--results {Path(results).name}"]
    words += [] if data is None else [f"--data {Path(data).name}"]
    return " ".join(words)


def _write_figures(study: Study, result: StudyResult, folder: Path) -> tuple[str, ...]:
    figures = study.draw(result)
    written = [write_figure(figures[name], folder, name) for name in figures]
    return tuple(png.name for png, _ in written)


def _versions() -> dict[str, str]:
    found = {"similitude": __version__, "python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found | {"cores": str(os.cpu_count())}
