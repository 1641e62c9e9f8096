"""Clusters that move apart: does a measure follow the number of clusters?"""

import functools

import numpy as np

from ..study import Config, Number, Order, Study, StudyResult
from ._cloud_figures import draw_ranked
from ._clouds import clusters
from ._ranking import SETTINGS, rank_clouds

COUNTS = (2, 3, 4, 5, 6, 10, 12)


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    base, clouds = clusters(COUNTS)
    return rank_clouds(
        config,
        rng,
        base=base,
        clouds=clouds,
        unit="clusters",
        drawn=clouds,
        points={0: base, **clouds},
    )


STUDY = Study(
    name="rtd/clusters",
    title="one cluster against k clusters",
    paper="barannikov2022representation",
    where="figures 2-4, 11",
    claim="RTD grows with the number of clusters; CKA, SVCCA and IMD do not follow it.",
    settings=SETTINGS,
    seconds={"smoke": 2, "small": 90, "paper": 90},
    checks=(
        Number("kendall_rtd", 1.0, 1e-9, where="figure 4"),
        Number("kendall_cka", 0.23, 0.01, where="figure 4"),
        Number("kendall_svcca", 0.14, 0.01, where="figure 4"),
        Number(
            "kendall_imd",
            0.43,
            0.2,
            where="figure 4",
            scales=("small", "paper"),
            note="IMD is random; two swapped neighbors change it by 0.19",
        ),
        Order("kendall_rtd", ">", "kendall_cka", where="figure 4"),
    ),
    version=2,
    lesson="RTD orders clouds by their number of clusters; CKA, SVCCA and IMD do not.",
    control="clouds in another order than their numbers of clusters",
    run=run,
    draw=functools.partial(draw_ranked, unit="clusters", clouds=(0, *COUNTS)),
    errata=(
        "The published SVCCA removes the mean over neurons instead of samples. With "
        "the mean over samples, and the same cut by singular values, its correlation "
        "changes its sign.",
    ),
)
