"""Distributions that become equal while representations stay unrelated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from similitude.plots import new_figure

from ...study import Config, Figures, StudyResult, described, table_of
from ..plots import plot_lengths
from ..results import kl_table

# Column in the authors' code -> name of ours.
NAMES = {
    "KL_div": "kl",
    "d_prob": "d_llv",
    "mCCA_f": "m_cca_f",
    "mCCA_g": "m_cca_g",
    "max_d_rep_f": "d_f",
    "max_d_rep_g": "d_g",
}
ALL = tuple(range(1, 21))


@dataclass(frozen=True)
class Setting:
    """Lengths of the unembeddings; number of random draws of the whole table."""

    lengths: tuple[int, ...]
    runs: int


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    config.parts.expect(setting.runs)
    draws = []
    for number, seed in enumerate(rng.integers(2**31, size=setting.runs).tolist()):
        given = setting.lengths, seed
        draws.append(config.parts.keep(f"table-{number}", _table, *given))
    return summarize(setting.lengths, draws)


def summarize(
    lengths: Sequence[int], draws: Sequence[Mapping[str, Any]]
) -> StudyResult:
    """The mean of several draws of the table."""
    columns = {
        name: np.mean([draw[name] for draw in draws], axis=0) for name in NAMES.values()
    }
    kl = dict(zip(lengths, columns["kl"].tolist(), strict=True))
    after = columns["kl"][np.array(lengths) >= 2]
    values = {f"kl_{length}": kl.get(length, float("nan")) for length in ALL}
    values |= {
        "length_of_largest_kl": float(max(kl, key=lambda length: kl[length])),
        "rises_after_2": float((np.diff(after) >= 0).sum()),
        "d_llv": float(columns["d_llv"].mean()),
        "d_llv_spread": float(np.ptp(columns["d_llv"])),
        "largest_m_cca_f": float(columns["m_cca_f"].max()),
        "smallest_d_f": float(columns["d_f"].min()),
    }
    table = {"length": lengths, **columns}
    rows = (
        {"draw": i, "length": length} | {name: float(draw[name][j]) for name in columns}
        for i, draw in enumerate(draws)
        for j, length in enumerate(lengths)
    )
    tables = {"table": table, "draws": table_of(rows)}
    return StudyResult(values=values, tables=tables)


def _table(lengths: tuple[int, ...], seed: int) -> dict[str, Any]:
    return renamed(kl_table(lengths, seed=seed))


def renamed(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Our names for the columns of the authors' table."""
    return {name: columns[column] for column, name in NAMES.items()}


def draw(result: StudyResult) -> Figures:
    table = result.tables["table"]
    figure = new_figure(6.4, 3.8)
    plot_lengths(
        table["length"],
        kl=table["kl"],
        llv=table["d_llv"],
        m_cca_f=table["m_cca_f"],
        d_f=table["d_f"],
        ax=figure.subplots(),
    )
    return {"table": figure}


STUDY = described("closeness/kl-table", run, draw, Setting)
