"""Rings that merge: does a measure follow the number of equal rings?"""

import numpy as np

from ..study import Config, StudyResult, described
from ._cloud_figures import draw_ranked
from ._clouds import rings
from ._ranking import Setting, rank_clouds

COUNTS = (1, 2, 3, 4, 5)


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    return rank_clouds(config, rng, rings(COUNTS), COUNTS, "rings")


STUDY = described("rtd/rings", run, draw_ranked, Setting)
