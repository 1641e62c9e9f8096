"""The effect of densification: differences of the poster's cells, with tests."""

from typing import Any

import numpy as np
from scipy import stats

from similitude.stats import benjamini_hochberg

from ..study import table_of
from ._poster_cells import LANGUAGES, METRICS, PAIRED_T, SEEDS, cell


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
