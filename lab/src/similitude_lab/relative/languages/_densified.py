"""Topological densification before and after the relative layer: does it help?"""

from dataclasses import replace
from functools import partial

import numpy as np

from ...study import Config, Figures, Order, Study, StudyResult, table_of
from ._death_tables import death_rows, draw_deaths, shown_deaths
from ._densified_arms import DENSE, PLAIN, Setting, all_arms, stitched
from ._densified_values import all_values, notes, sweep_rows
from ._encoders import KINDS, EncoderOptions
from ._figures import draw_sweep
from ._fine_tuned import Tuning
from ._poster_numbers import poster_numbers
from ._setting import PAPER, SMALL, SMOKE, tasks
from ._table import judge, shared_tables

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
    tables = {network: stitched(arms) for network, arms in networks.items()}
    judged = judge(tables, PLAIN)
    deaths = (
        row
        for network, arms in networks.items()
        for row in death_rows(network, arms.found, arms.beta, (PLAIN, DENSE))
    )
    return StudyResult(
        values=all_values(networks, tables, judged, data=config.data),
        tables={
            **shared_tables(tables, ON_THE_POSTER, ((DENSE, PLAIN),)),
            "sweep": table_of(sweep_rows(networks, tables)),
            "death_times": table_of(deaths),
            **{
                f"deaths_{network}": shown_deaths(arms.found, (PLAIN, DENSE))
                for network, arms in networks.items()
            },
        },
        notes=notes(setting, networks, tables, judged),
    )


def draw(result: StudyResult) -> Figures:
    figures = {
        name: draw_deaths(table, result.values[f"beta_{name.removeprefix('deaths_')}"])
        for name, table in result.tables.items()
        if name.startswith("deaths_")
    }
    return figures | {"sweep": draw_sweep(result.frame("sweep"))}


def _orders(kind: str) -> tuple[Order, ...]:
    order = partial(
        Order,
        where="the poster's tables",
        given=f"learned_{kind}",
        missing="the encoder did not learn the task",
    )
    lower = "lower end of the interval: a gain that the seeds can show"
    return (
        order(f"gain_stitched_{kind}", ">", 0.0, note="points; 0.4 on the poster"),
        order(f"gain_stitched_{kind}_low", ">", 0.0, note=lower),
        order(f"gain_home_{kind}", ">", 0.0, note="points; 0.3 on the poster"),
        order(
            f"distance_to_beta_{kind}_{DENSE}",
            "<",
            f"distance_to_beta_{kind}_{PLAIN}",
            where="figure of death times",
            note="mean distance of the deaths of test texts from beta, after the "
            "relative layer",
        ),
        order(
            f"overlap_{kind}_{DENSE}",
            ">=",
            f"overlap_{kind}_{PLAIN}",
            where="figure of death times",
            note="death times before and after the relative layer coincide as well as "
            "without densification",
        ),
    )


STUDY = Study(
    name="relative/densified",
    title="topological densification of text classifiers across languages",
    paper="garciacastellanos2024relative",
    where="the poster's tables and its figure of death times",
    claim="Topological densification with the same beta before and after the relative "
    "layer, in both languages, improves stitching further.",
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
    seconds={"smoke": 4, "small": 400, "paper": 2_000_000},
    checks=(
        *(o for kind in KINDS for o in _orders(kind)),
        *poster_numbers(ON_THE_POSTER),
    ),
    lesson="Densification helps encoders of n-grams and not transformers, and it moves "
    "the death times before and after the relative layer apart.",
    control="training labels in another order",
    trains=True,
    version=2,
    run=run,
    draw=draw,
    errata=(
        "On the poster, no gain of densification is significant: "
        "relative/poster-tables has the paired tests.",
    ),
    needs=("debian_descriptions",),
)
