"""The two tables of the poster: what it prints, and what the authors' rows give.

Accuracy, weighted F1 and mean absolute error of stars, each times 100, as mean and
sample standard deviation over seeds. The decoder was trained on its own language; the
encoder's language is that of the test reviews.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from similitude.stats import benjamini_hochberg

from ..study import table_of

METRICS = ("accuracy", "f1", "mae")
TRANSFORMS = ("absolute", "vanilla", "robust", "densified")
LANGUAGES = (("en", "en"), ("en", "fr"), ("fr", "en"), ("fr", "fr"))
SEEDS = 5

Numbers = tuple[tuple[float, float], ...]  # mean and deviation of each metric


@dataclass(frozen=True)
class PosterCell:
    """One cell: decoder, encoder and transform.

    `printed` is on the poster. `rows` is the mean of the authors' rows of all seeds, if
    it differs from the printed one. `seeds` is the number of seeds behind `printed`.
    """

    decoder: str
    encoder: str
    transform: str
    printed: Numbers
    rows: Numbers | None = None
    seeds: int = SEEDS

    @property
    def best(self) -> Numbers:
        """The numbers of all seeds."""
        return self.printed if self.rows is None else self.rows


#: Decoder, encoder and transform -> the numbers on the poster.
PRINTED = {
    ("en", "en", "absolute"): ((59.26, 0.66), (58.27, 0.83), (49.52, 0.89)),
    ("en", "en", "vanilla"): ((38.84, 1.23), (23.50, 2.77), (84.95, 9.48)),
    ("en", "en", "robust"): ((60.84, 0.64), (60.30, 0.72), (45.35, 0.74)),
    ("en", "en", "densified"): ((61.16, 0.42), (61.26, 0.18), (44.63, 0.26)),
    ("en", "fr", "absolute"): ((24.28, 10.11), (22.27, 8.86), (139.27, 35.32)),
    ("en", "fr", "vanilla"): ((40.96, 2.40), (31.15, 3.29), (73.09, 5.18)),
    ("en", "fr", "robust"): ((49.92, 1.51), (50.13, 1.60), (57.56, 1.60)),
    ("en", "fr", "densified"): ((50.48, 1.04), (50.85, 1.25), (57.70, 0.73)),
    ("fr", "en", "absolute"): ((24.96, 9.27), (23.19, 8.12), (132.35, 24.01)),
    ("fr", "en", "vanilla"): ((35.42, 1.16), (20.86, 1.09), (79.68, 11.68)),
    ("fr", "en", "robust"): ((60.74, 0.88), (60.18, 1.14), (45.19, 1.16)),
    ("fr", "en", "densified"): ((60.93, 0.56), (61.23, 0.46), (44.54, 0.51)),
    ("fr", "fr", "absolute"): ((49.26, 1.04), (48.74, 0.73), (63.89, 1.50)),
    ("fr", "fr", "vanilla"): ((41.99, 3.18), (35.33, 4.55), (67.77, 2.24)),
    ("fr", "fr", "robust"): ((50.31, 0.88), (50.95, 0.82), (57.08, 1.22)),
    ("fr", "fr", "densified"): ((50.63, 0.79), (50.97, 0.85), (57.76, 0.71)),
}
#: The means of all seeds that differ from the printed ones.
ROWS = {
    ("en", "en", "absolute"): ((59.25, 0.57), (58.55, 0.96), (49.22, 1.02)),
    ("en", "en", "vanilla"): ((36.84, 1.23), (23.50, 2.77), (84.95, 9.48)),
    ("en", "en", "robust"): ((60.97, 0.63), (60.52, 0.79), (45.12, 0.82)),
    ("fr", "fr", "vanilla"): ((41.99, 3.18), (35.33, 4.57), (67.77, 2.24)),
}
OF_FOUR_SEEDS = (("en", "en", "absolute"), ("en", "en", "robust"))
CELLS = tuple(
    PosterCell(
        *place,
        printed=printed,
        rows=ROWS.get(place),
        seeds=4 if place in OF_FOUR_SEEDS else SEEDS,
    )
    for place, printed in PRINTED.items()
)
#: Densified minus robust, paired by seed: t statistics of the authors' rows, by
#: decoder, encoder and metric. The other six were not computed.
PAIRED_T = {
    ("en", "en", "accuracy"): 1.2,
    ("en", "en", "f1"): 2.6,
    ("en", "fr", "accuracy"): 0.5,
    ("fr", "en", "accuracy"): 0.4,
    ("fr", "en", "f1"): 1.8,
    ("fr", "fr", "accuracy"): 0.9,
}


def cell(decoder: str, encoder: str, transform: str) -> PosterCell:
    wanted = (decoder, encoder, transform)
    (found,) = (c for c in CELLS if (c.decoder, c.encoder, c.transform) == wanted)
    return found


def densification(confidence: float) -> dict[str, list[Any]]:
    """Densified minus robust for each cell and metric.

    Welch's test needs only the printed means and deviations, so it covers all 12. The
    paired test is more powerful; it needs the rows per seed.
    """
    rows = []
    for decoder, encoder in LANGUAGES:
        after, before = (cell(decoder, encoder, t) for t in ("densified", "robust"))
        for at, metric in enumerate(METRICS):
            (m1, s1), (m2, s2) = after.best[at], before.best[at]
            test = stats.ttest_ind_from_stats(
                m1, s1, SEEDS, m2, s2, SEEDS, equal_var=False
            )
            error = np.hypot(s1, s2) / SEEDS**0.5
            freedom = error**4 * SEEDS**2 * (SEEDS - 1) / (s1**4 + s2**4)
            half = stats.t.ppf((1 + confidence) / 2, freedom) * error
            t = PAIRED_T.get((decoder, encoder, metric), float("nan"))
            row = {
                "decoder": decoder,
                "encoder": encoder,
                "metric": metric,
                "difference": m1 - m2,
                "low": m1 - m2 - half,
                "high": m1 - m2 + half,
                "welch_p": test.pvalue,
                "paired_t": t,
                "paired_p": 2 * stats.t.sf(abs(t), SEEDS - 1),
            }
            rows.append(row)
    columns = table_of(rows)
    columns["welch_q"] = benjamini_hochberg(np.array(columns["welch_p"])).tolist()
    return columns
