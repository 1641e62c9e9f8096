"""Every measure on independent noise: the bias map over rows and columns."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..study import Config, Figures, StudyResult, described, table_of
from ._null_figures import draw_maps
from ._null_scores import BIASED, every_measure, scores_of_noise

PROBE = (200, 32)  # rows and columns of the judged scores


@dataclass(frozen=True)
class Setting:
    """The grid, and the number of independent pairs in cells with the most rows.

    Scores of few rows vary more, so the number grows with the root of the inverse of n.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    pairs: int

    def pairs_of(self, n: int) -> int:
        return int(self.pairs * (max(self.rows) / n) ** 0.5)


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    cells = [(n, d) for n in setting.rows for d in setting.columns]
    config.parts.expect(len(cells))
    found = {}
    for (n, d), child in zip(cells, rng.spawn(len(cells)), strict=True):
        given = (n, d, setting.pairs_of(n), child)
        name = f"n-{n},d-{d}"
        found[n, d] = config.parts.keep(name, scores_of_noise, *given)
    names = list(every_measure())
    return StudyResult(
        values=_values(found, names),
        tables={"scores": _table(found, names)},
    )


def _table(found: Mapping[tuple[int, int], Any], names: list[str]) -> dict[str, Any]:
    """One row per measure and cell."""
    measures = every_measure()
    return table_of(
        {
            "measure": name,
            "kind": measures[name].claims().kind,
            "chance": measures[name].claims().chance or "",
            "rows": n,
            "columns": d,
            "mean": float(f"{part['mean'][at]:.5g}"),
            "sd": float(f"{part['sd'][at]:.3g}"),
            "pairs": int(part["count"][at]),
        }
        for at, name in enumerate(names)
        for (n, d), part in found.items()
    )


def _values(found: Mapping[tuple[int, int], Any], names: list[str]) -> dict[str, float]:
    """Scores at 200 rows and 32 columns, and at the ends of the grid."""
    missing = {"mean": [float("nan")] * len(names)}
    probe = found.get(PROBE, missing)["mean"]
    values = {f"{name} at 200 x 32": float(probe[names.index(name)]) for name in names}
    rows = sorted({n for n, _ in found})
    columns = sorted({d for _, d in found})
    least = columns[0]
    for name in ("cka", BIASED, "mean_cca", "linear_regression"):
        at = names.index(name)
        values[f"{name}, fewest rows"] = float(found[rows[0], least]["mean"][at])
        values[f"{name}, most rows"] = float(found[rows[-1], least]["mean"][at])
    at = names.index("cka")
    biases = [abs(float(part["mean"][at])) for part in found.values()]
    values["cka, largest bias"] = float(np.nanmax(biases))
    return values


def draw(result: StudyResult) -> Figures:
    table = result.tables["scores"]
    return {
        "similarities": draw_maps(table, similarities=True),
        "distances": draw_maps(table, similarities=False),
    }


STUDY = described("measures/null", run, draw, Setting)
