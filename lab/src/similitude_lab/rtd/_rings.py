"""Rings that merge: does a measure follow the number of equal rings?"""

import functools

import numpy as np

from ..study import Config, StudyResult, described
from ._cloud_figures import draw_ranked
from ._clouds import rings
from ._ranking import Setting, rank_clouds

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


STUDY = described(
    "rtd/rings",
    run,
    functools.partial(draw_ranked, unit="rings", clouds=COUNTS),
    Setting,
)
