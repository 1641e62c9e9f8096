"""The plan of a study at one scale: its setting, the paper's, and the cost."""

import functools
import json
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from similitude.errors import InvalidInput

from .._text import duration
from ..training.images import ImageTraining, with_starts
from ._catalog import find_study, frozen
from ._study import SCALES, Scale, Study

#: Studies whose scale paper was read from existing results; what they lack.
RUN_HERE = {
    "closeness/trained-synthetic": "; run here in part: 3,080 of 15,200 pairs",
    "closeness/width": "; run here, but W = 256 with 5 instead of 20 seeds",
}


def plan_text(study: Study, scale: Scale) -> str:
    """Options, data, differences from the paper and estimated time, as lines."""
    if scale not in SCALES:
        raise InvalidInput(f"scale={scale!r}; choose from {', '.join(SCALES)}.")
    lines = [f"{study.name} at scale {scale}: {study.title}"]
    lines += [f"  {name} = {value}" for name, value in options(study.settings[scale])]
    lines.append(f"  data: {', '.join(study.needs) or 'generated, or in the package'}")
    for name, value in differences(study, scale).items():
        lines.append(f"  the paper has {name} = {value}")
    lines += [f"  {text}" for text in paper_setting(study.name)[1]]
    shared = study.trainings(study.settings[scale])
    if shared:
        epochs = sum(one.epochs for one in shared)
        lines.append(
            f"  shared training, not in the time below: {len(shared)} networks, "
            f"{epochs} epochs; `similitude study train {study.name} --scale {scale} "
            f"--plan` estimates its time"
        )
    about = f"  about {duration(study.seconds[scale])} on two cores of a CPU"
    lines.append(about + run_here(study, scale))
    return "\n".join(lines)


def options(value: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """All fields of a setting, with dots; equal training runs of seeds count once."""
    if is_dataclass(value):
        for one in fields(value):
            name = f"{before}.{one.name}" if before else one.name
            yield from options(getattr(value, one.name), name)
    elif isinstance(value, tuple) and value and is_dataclass(value[0]):
        yield f"len({before})", len(value)
        yield from options(value[0], f"{before}[0]")
    else:
        yield before, value


def differences(study: Study, scale: Scale) -> dict[str, Any]:
    """The options of the paper that differ from those of a scale."""
    own = dict(options(study.settings[scale]))
    published = paper_setting(study.name)[0]
    return {name: value for name, value in published.items() if own[name] != value}


@functools.cache
def _paper_settings() -> dict[str, Any]:
    path = Path(__file__).with_name("paper_settings.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def paper_setting(name: str) -> tuple[dict[str, Any], list[str]]:
    """Options of the paper by their name in our setting, and sentences about them."""
    found, sentences = _paper_settings().get(name, ({}, []))
    return frozen(found), sentences


def run_here(study: Study, scale: Scale) -> str:
    """Whether this setting was run, by the record in this package; empty if it was."""
    same = study.settings[scale] == study.settings["small"]
    if scale != "paper" or same:
        return ""
    return RUN_HERE.get(study.name, "; never run here")


def shared_trainings(
    names: Iterable[str], scale: Scale = "small"
) -> tuple[ImageTraining, ...]:
    """The shared training runs of studies, without repetitions.

    Parameters
    ----------
    names : iterable of str
        Names of studies; `STUDIES` lists all.
    scale : {"small", "paper"}, optional
        Studies at the scale smoke train their own networks, which are not cached.

    Examples
    --------
    >>> shared_trainings(["rtd/clusters"])
    ()
    """
    if scale not in SCALES[1:]:
        raise InvalidInput(
            f"scale={scale!r}; choose from {', '.join(SCALES[1:])}. At the scale smoke "
            f"each study trains its own networks."
        )
    chosen = [find_study(name) for name in names]
    found = (one for study in chosen for one in study.trainings(study.settings[scale]))
    return with_starts(found)
