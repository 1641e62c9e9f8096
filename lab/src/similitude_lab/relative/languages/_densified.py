"""Topological densification before and after the relative layer: does it help?"""

from dataclasses import replace

import numpy as np

from ...study import Config, Figures, StudyResult, described, table_of
from ._death_tables import death_rows, draw_deaths, shown_deaths
from ._densified_arms import DENSE, PLAIN, Setting, all_arms, stitched
from ._densified_values import all_values, sweep_rows
from ._encoders import EncoderOptions
from ._figures import draw_sweep
from ._fine_tuned import Tuning
from ._setting import PAPER, SMALL, SMOKE, tasks
from ._table import LanguageTables

ON_THE_POSTER = {arm: arm for arm in (PLAIN, DENSE)}


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    seed = int(rng.integers(2**31))
    each = 2 * setting.texts.seeds
    config.parts.expect(sum(each * (1 + len(factors)) for factors in setting.factors))
    networks = {
        network: all_arms(config, kind, task, seed)
        for network, (kind, task) in tasks(config, setting.texts, seed).items()
    }
    origins = (arms.task.origin for arms in networks.values())
    by_network = {network: stitched(arms) for network, arms in networks.items()}
    tables = LanguageTables(by_network, home=PLAIN)
    deaths = (
        row for network, arms in networks.items() for row in death_rows(network, arms)
    )
    return StudyResult(
        values=all_values(networks, tables, data=config.data),
        tables={
            **tables.all_tables(ON_THE_POSTER, ((DENSE, PLAIN),)),
            "sweep": table_of(sweep_rows(networks, tables)),
            "death_times": table_of(deaths),
            **{
                f"deaths_{network}": shown_deaths(arms)
                for network, arms in networks.items()
            },
        },
        notes=tuple(dict.fromkeys(origins)),
    )


def draw(result: StudyResult) -> Figures:
    figures = {
        name: draw_deaths(table, result.values[f"beta_{name.removeprefix('deaths_')}"])
        for name, table in result.tables.items()
        if name.startswith("deaths_")
    }
    return figures | {"sweep": draw_sweep(result.frame("sweep"))}


STUDY = described(
    "relative/densified",
    run,
    draw,
    settings={
        "smoke": Setting(
            texts=SMOKE,
            tuning=Tuning(epochs=(2, 2), per_class=8),
            factors=((0.5,), (0.5,)),
        ),
        "small": Setting(
            texts=replace(SMALL, encoders=EncoderOptions(tokens=24, epochs=(8, 3))),
            tuning=Tuning(),
            factors=((0.25, 0.5, 1.0, 2.0), (0.25, 0.5, 1.0)),
        ),
        "paper": Setting(
            texts=PAPER,
            tuning=Tuning(
                epochs=(40, 40),
                head_rate=2e-4,
                encoder_rate=3.5e-5,
                weight=0.02,
                refresh=10,
            ),
            factors=((0.3, 0.5, 0.6), (0.3, 0.5, 0.6)),
        ),
    },
    trains=True,
    version=2,
)
