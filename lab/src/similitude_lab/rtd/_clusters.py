"""Clusters that move apart: does a measure follow the number of clusters?"""

import numpy as np

from ..study import Config, StudyResult, described
from ._cloud_figures import draw_ranked
from ._clouds import clusters
from ._ranking import Setting, rank_clouds

COUNTS = (2, 3, 4, 5, 6, 10, 12)


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    return rank_clouds(config, rng, clusters(COUNTS), COUNTS, "clusters")


STUDY = described("rtd/clusters", run, draw_ranked, Setting, version=2)
