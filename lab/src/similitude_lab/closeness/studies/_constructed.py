"""Constructed models and noisy copies: d_LLV bounds the distance of representations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...study import Config, Figures, Number, Order, Study, StudyResult, scales
from ..results import noise_sweep
from ._bounds import bound_values, draw_bounds

COLUMNS = ("noise", "d_llv", "t1", "t2", "d_f", "d_g", "d_fg")
LATE = 225  # a step near the end of the sweep
#: Number of labels K -> t1 at the first step, t1 and d_f at step 225.
PUBLISHED = {
    4: (0.00140, 0.304, 0.0497),
    5: (0.00135, 0.295, 0.0318),
    6: (0.00158, 0.346, 0.0307),
    10: (0.00159, 0.355, 0.0125),
    18: (0.00228, 0.508, 0.0082),
}


@dataclass(frozen=True)
class Setting:
    """Numbers of labels; number of noisy copies of each model."""

    labels: tuple[int, ...]
    steps: int


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    config.parts.expect(len(setting.labels))
    seeds = rng.integers(2**31, size=len(PUBLISHED)).tolist()
    sweeps = {}
    for k, seed in zip(PUBLISHED, seeds, strict=True):
        if k in setting.labels:
            given = (k, seed, setting.steps)
            sweeps[k] = config.parts.keep(f"labels-{k}", _sweep, *given)
    return summarize(sweeps)


def summarize(sweeps: Mapping[int, Mapping[str, Any]]) -> StudyResult:
    """Both bounds over all copies; one sweep per number of labels, of equal length."""
    steps = len(next(iter(sweeps.values()))["noise"])
    table: dict[str, Any] = {
        "labels": np.repeat(list(sweeps), steps),
        "step": np.tile(np.arange(steps), len(sweeps)),
    }
    for name in COLUMNS:
        table[name] = np.concatenate([sweep[name] for sweep in sweeps.values()])
    values = bound_values(table)
    for k in PUBLISHED:
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


def _checks() -> tuple[Number, ...]:
    where = "figure 16, left, from the authors' script"
    later: Any = {"where": where, "scales": ("small", "paper")}
    found = []
    for k, (first, late, d_f) in PUBLISHED.items():
        found += [
            Number(f"t1_first_{k}", first, 0.05 * first, **later),
            Number(f"t1_late_{k}", late, 0.06 * late, **later),
            Number(f"d_f_late_{k}", d_f, 0.1 * d_f, **later),
        ]
    return tuple(found)


STUDY = Study(
    name="closeness/constructed",
    title="a constructed model and its noisy copies",
    paper="nielsen2025when",
    where="figure 16, left",
    claim="The distance of representations d_fg is at most 2 M d_LLV.",
    settings=scales(
        Setting(labels=tuple(PUBLISHED), steps=250),
        smoke={"labels": (4, 18), "steps": 4},
    ),
    seconds={"smoke": 1, "small": 20, "paper": 20},
    checks=(
        Order("violations_published", "<=", 0.0, where="figure 16", theorem=True),
        Order(
            "violations_square",
            "<=",
            0.0,
            note="2 d_LLV² is our bound, not one of the paper",
            theorem=True,
        ),
        *_checks(),
    ),
    lesson="The distance of noisy copies stays below the bound by d_LLV, as proved, "
    "and the authors' numbers come out.",
    run=run,
    draw=draw,
    errata=(
        "The authors' auxiliary plots pair t1 with the unembeddings and t2 with the "
        "embeddings. The proof pairs t1 with the embeddings f and t2 with the "
        "unembeddings g, as here.",
    ),
)
