"""Rings that merge: does a measure follow the number of equal rings?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._checks import Number, Order
from .._study import Config, Study, StudyResult
from ._cloud_figures import draw_barcodes, draw_clouds, draw_curves
from ._clouds import barcode_table, cloud_table, rings
from ._ranking import (
    comparable,
    library_scores,
    library_table,
    published_scores,
    rank_correlations,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COUNTS = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Setting:
    """Runs of the noisy IMD; whether all measures of the library are scored."""

    imd_runs: int
    library: bool


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    clouds = rings(COUNTS)
    base = clouds[1]
    names = comparable(base) if config.setting.library else ()
    config.parts.expect(7 + len(names))
    scores = published_scores(
        config.parts, base, clouds, runs=config.setting.imd_runs, rng=rng
    )
    others = library_scores(config.parts, base, clouds, names)
    values = rank_correlations(COUNTS, scores)
    values |= {f"rtd_{k}": v for k, v in zip(COUNTS, scores["rtd"], strict=True)}
    tables = {
        "scores": {"rings": COUNTS, **scores},
        "clouds": cloud_table(clouds),
        "barcodes": barcode_table(base, {k: clouds[k] for k in (2, 3, 4, 5)}),
        **library_table(COUNTS, others),
    }
    return StudyResult(values=values, tables=tables)


def draw(result: StudyResult) -> "Mapping[str, Figure]":
    return {
        "clouds": draw_clouds(result.tables["clouds"], COUNTS),
        "curves": draw_curves(result.tables["scores"], "rings"),
        "barcodes": draw_barcodes(result.tables["barcodes"], "rings"),
    }


STUDY = Study(
    name="rtd/rings",
    title="five different rings against k equal rings",
    paper="barannikov2022representation",
    where="figures 2, 5, 12",
    claim="RTD grows with the number of equal rings; CKA and SVCCA do not follow it.",
    settings={
        "smoke": Setting(imd_runs=2, library=False),
        "small": Setting(imd_runs=100, library=True),
        "paper": Setting(imd_runs=100, library=True),
    },
    seconds={"smoke": 2, "small": 90, "paper": 90},
    checks=(
        Number(
            quantity="spearman_rtd",
            value=0.9,
            tolerance=1e-9,
            where="figure 5",
            note="printed as Kendall, which cannot be 0.9 for five values",
        ),
        Number(
            quantity="kendall_rtd",
            value=0.8,
            tolerance=1e-9,
            where="the authors' notebook",
        ),
        Number(quantity="kendall_cka", value=-0.2, tolerance=1e-9, where="figure 5"),
        Number(quantity="kendall_svcca", value=-0.2, tolerance=1e-9, where="figure 5"),
        Number(
            quantity="spearman_imd",
            value=0.9,
            tolerance=0.1,
            where="figure 5",
            scales=("small", "paper"),
            note="neighbors tie exactly on rings, so the graph depends on the search",
        ),
        Order(quantity="kendall_rtd", sign=">", than="kendall_cka", where="figure 5"),
    ),
    run=run,
    draw=draw,
    errata=(
        "Figure 5 prints 0.9 as Kendall's correlation of RTD. Five different values "
        "allow 0.8 or 1; 0.9 is Spearman's correlation of the same scores.",
    ),
)
