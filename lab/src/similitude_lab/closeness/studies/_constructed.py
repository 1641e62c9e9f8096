"""Constructed models and noisy copies: d_LLV bounds the distance of representations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...study import Config, Figures, StudyResult, described
from ..results import noise_sweep
from ._bounds import bound_values, draw_bounds
from ._pairs import joined

COLUMNS = ("noise", "d_llv", "t1", "t2", "d_f", "d_g", "d_fg")
LATE = 225  # a step near the end of the sweep
LABELS = (4, 5, 6, 10, 18)  # numbers of labels K of the paper


@dataclass(frozen=True)
class Setting:
    """Numbers of labels; number of noisy copies of each model."""

    labels: tuple[int, ...]
    steps: int


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    config.parts.expect(len(setting.labels))
    seeds = rng.integers(2**31, size=len(LABELS)).tolist()
    sweeps = {}
    for k, seed in zip(LABELS, seeds, strict=True):
        if k in setting.labels:
            given = (k, seed, setting.steps)
            sweeps[k] = config.parts.keep(f"labels-{k}", _sweep, *given)
    return summarize(sweeps)


def summarize(sweeps: Mapping[int, Mapping[str, Any]]) -> StudyResult:
    """Both bounds over all copies; one sweep per number of labels, of equal length."""
    parts = []
    for k, sweep in sweeps.items():
        steps = np.arange(len(sweep["noise"]))
        own = {"labels": np.full(len(steps), k), "step": steps}
        parts.append(own | {name: sweep[name] for name in COLUMNS})
    table = joined(parts)
    values = bound_values(table)
    for k in LABELS:
        values[f"t1_first_{k}"] = _at(sweeps, k, "t1", 0)
        values[f"t1_late_{k}"] = _at(sweeps, k, "t1", LATE)
        values[f"d_f_late_{k}"] = _at(sweeps, k, "d_f", LATE)
    notes = (
        f"{len(table['step'])} pairs: the smallest slack of the published bound is "
        f"{values['least_slack_published']:.2g}, that of 2 d_LLV² is "
        f"{values['least_slack_square']:.2g}.",
    )
    return StudyResult(values=values, tables={"copies": table}, notes=notes)


def _sweep(labels: int, seed: int, steps: int) -> dict[str, Any]:
    found = noise_sweep(labels, seed=seed, steps=steps)
    return {name: found[name] for name in COLUMNS}


def _at(sweeps: Mapping[int, Any], k: int, name: str, step: int) -> float:
    """A number of a sweep; NaN if this scale does not compute it."""
    if k not in sweeps or step >= len(sweeps[k][name]):
        return float("nan")
    return float(sweeps[k][name][step])


def draw(result: StudyResult) -> Figures:
    return {"bounds": draw_bounds(result.frame("copies"), "labels", "K")}


STUDY = described("closeness/constructed", run, draw, Setting)
