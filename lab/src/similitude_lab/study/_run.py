"""Run a study into a folder: parts, result.json, tables and figures."""

import importlib.metadata
import os
import platform
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from similitude import __version__
from similitude.errors import InvalidInput, check_extra, either
from similitude.store import digest_of, write_sealed_json, write_table

from ._catalog import find_study
from ._figure_files import write_figure
from ._parts import Parts, Progress
from ._record import NAME, StudyRecord, read_record
from ._study import SCALES, Config, Scale, Study, StudyResult

Places = Mapping[str, Path | None]  # of existing results, and of official data
#: What a result repeats from the description of its study.
FACTS = ("title", "paper", "where", "claim", "errata", "version")
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
    device: str = "cpu",
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
    device : str, optional
        PyTorch device on which networks are trained.
    progress : callable, optional
        Called with a stage, the number of finished parts and the total.

    Returns
    -------
    StudyRecord
        The run. A finished request is read, and a killed run continues with the parts
        that are missing.
    """
    study = find_study(name)
    if scale not in SCALES:
        raise InvalidInput(f"scale={scale!r}; choose from {', '.join(SCALES)}.")
    if device != "cpu" and not study.trains:
        raise InvalidInput(
            f"{name} does not train networks on a device; run it "
            + either(python="without `device`.", shell="without --device.")
        )
    if device != "cpu":
        from ..training._checkpoints import check_device

        check_device(device, "--device")
    check_extra("the figures of a study", "plot")
    places = {
        kind: None if path is None else Path(path)
        for kind, path in (("results", results), ("data", data))
    }
    setting = study.settings[scale]
    folder = Path(out) / name / scale
    what: dict[str, Any] = {"study": name, "scale": scale, "seed": seed}
    what["setting"] = asdict(setting)
    request = _digest(study, what, places)
    if not again and (folder / NAME).exists():
        record = read_record(folder / NAME)
        if record.request == request:
            return record
    parts = Parts(folder / "parts" / request[:16], progress)
    if again:
        parts.clear()
    config = Config(
        scale=scale,
        setting=setting,
        parts=parts,
        **places,
        training=_training_folder(parts, scale),
        device=device,
    )
    began = time.monotonic()
    result = study.run(config, np.random.default_rng(seed))
    seconds = time.monotonic() - began - parts.seconds_shared
    for file, table in result.tables.items():
        write_table(folder / f"{file}.csv", table)
    record = StudyRecord(
        **what,
        **{fact: getattr(study, fact) for fact in FACTS},
        command=_command(what, places),
        values={key: float(value) for key, value in result.values.items()},
        notes=result.notes,
        tables=tuple(f"{file}.csv" for file in result.tables),
        figures=_write_figures(study, result, folder),
        versions=_versions(),
        seconds=round(parts.seconds_read + seconds, 1),
        request=request,
        reused=None if results is None else Path(results).name,
        complete=result.complete,
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


def _digest(study: Study, what: Mapping[str, Any], places: Places) -> str:
    """Everything that determines the numbers of a run, as one digest."""
    found = {**what, "version": __version__}
    found |= {kind: path and str(path.resolve()) for kind, path in places.items()}
    if study.version > 1:  # results of version 1 were stored without it
        found["study_version"] = study.version
    return digest_of(found)


def _command(what: Mapping[str, Any], places: Places) -> str:
    words = ["similitude study run", what["study"]]
    words += [f"--{option} {what[option]}" for option in ("scale", "seed")]
    words += [f"--{kind} {path.name}" for kind, path in places.items() if path]
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
