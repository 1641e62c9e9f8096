"""Clusters that move apart: does a measure follow the number of clusters?"""

import functools

import numpy as np

from ..study import Config, StudyResult, described
from ._cloud_figures import draw_ranked
from ._clouds import clusters
from ._ranking import Setting, rank_clouds

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


STUDY = described(
    "rtd/clusters",
    run,
    functools.partial(draw_ranked, unit="clusters", clouds=(0, *COUNTS)),
    Setting,
    version=2,
)
