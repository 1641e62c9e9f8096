"""Rings that merge: does a measure follow the number of equal rings?"""

import functools

import numpy as np

from ..study import Config, Number, Order, Study, StudyResult
from ._cloud_figures import draw_ranked
from ._clouds import rings
from ._ranking import SETTINGS, rank_clouds

COUNTS = (1, 2, 3, 4, 5)


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    clouds = rings(COUNTS)
    drawn = {k: clouds[k] for k in COUNTS[1:]}
    return rank_clouds(
        config,
        rng,
        base=clouds[1],
        clouds=clouds,
        unit="rings",
        drawn=drawn,
        points=clouds,
    )


STUDY = Study(
    name="rtd/rings",
    title="five different rings against k equal rings",
    paper="barannikov2022representation",
    where="figures 2, 5, 12",
    claim="RTD grows with the number of equal rings; CKA and SVCCA do not follow it.",
    settings=SETTINGS,
    seconds={"smoke": 2, "small": 90, "paper": 90},
    checks=(
        Number(
            "spearman_rtd",
            0.9,
            1e-9,
            where="figure 5",
            note="printed as Kendall, which cannot be 0.9 for five values",
        ),
        Number("kendall_rtd", 0.8, 1e-9, where="the authors' notebook"),
        Number("kendall_cka", -0.2, 1e-9, where="figure 5"),
        Number("kendall_svcca", -0.2, 1e-9, where="figure 5"),
        Number(
            "spearman_imd",
            0.9,
            0.1,
            where="figure 5",
            scales=("small", "paper"),
            note="neighbors tie exactly on rings, so the graph depends on the search",
        ),
        Order("kendall_rtd", ">", "kendall_cka", where="figure 5"),
    ),
    lesson="RTD follows the number of equal rings, CKA and SVCCA do not; the published "
    "correlation of IMD does not come out.",
    control="clouds in another order than their numbers of equal rings",
    run=run,
    draw=functools.partial(draw_ranked, unit="rings", clouds=COUNTS),
    errata=(
        "Figure 5 prints 0.9 as Kendall's correlation of RTD. Five different values "
        "allow 0.8 or 1; 0.9 is Spearman's correlation of the same scores.",
    ),
)
