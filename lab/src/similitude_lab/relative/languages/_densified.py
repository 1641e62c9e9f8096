"""Topological densification before and after the relative layer: does it help?"""

from dataclasses import replace

import numpy as np

from ...study import Config, Figures, Order, Study, StudyResult
from ._death_tables import death_rows, draw_deaths, shown_deaths
from ._densified_arms import DENSE, PLAIN, Setting, all_arms, table_of
from ._densified_values import all_values, notes, published, sweep_rows
from ._encoders import KINDS, EncoderOptions
from ._figures import draw_sweep
from ._fine_tuned import Tuning
from ._poster_numbers import poster_numbers
from ._setting import MARGIN, PAPER, SMALL, SMOKE, tasks
from ._table import cell_rows, columns_of, difference_rows, grid_rows, learned


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    seed = int(rng.integers(2**31))
    each = 2 * setting.texts.seeds
    config.parts.expect(sum(each * (1 + len(factors)) for factors in setting.factors))
    networks = {
        network: all_arms(config, kind, task, seed)
        for network, (kind, task) in tasks(config, setting.texts, seed).items()
    }
    tables = {network: table_of(arms) for network, arms in networks.items()}
    judged = {network: learned(t, PLAIN, MARGIN) for network, t in tables.items()}
    cells = cell_rows(tables)
    for row in cells:
        row["published_mean"], row["published_sd"] = published(row)
    deaths = [
        row
        for network, arms in networks.items()
        for row in death_rows(network, arms.found, arms.beta, (PLAIN, DENSE))
    ]
    sweep = sweep_rows(networks, tables)
    return StudyResult(
        values=all_values(networks, tables, judged, reviews=config.data is not None),
        tables={
            "languages": columns_of(grid_rows(tables)),
            "cells": columns_of(cells),
            "differences": columns_of(difference_rows(tables, ((DENSE, PLAIN),))),
            "sweep": columns_of(sweep),
            "death_times": columns_of(deaths),
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
    return figures | {"sweep": draw_sweep(result.tables["sweep"])}


def _orders(kind: str) -> tuple[Order, ...]:
    given, where = f"learned_{kind}", "the poster's tables"
    return (
        Order(
            f"gain_stitched_{kind}",
            ">",
            0.0,
            where=where,
            note="points; 0.4 on the poster",
            given=given,
        ),
        Order(
            f"gain_stitched_{kind}_low",
            ">",
            0.0,
            where=where,
            note="lower end of the interval: a gain that the seeds can show",
            given=given,
        ),
        Order(
            f"gain_home_{kind}",
            ">",
            0.0,
            where=where,
            note="points; 0.3 on the poster",
            given=given,
        ),
        Order(
            f"distance_to_beta_{kind}_{DENSE}",
            "<",
            f"distance_to_beta_{kind}_{PLAIN}",
            where="figure of death times",
            note="mean distance of the deaths of test texts from beta, after the "
            "relative layer",
            given=given,
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
        *poster_numbers({arm: arm for arm in (PLAIN, DENSE)}),
    ),
    run=run,
    draw=draw,
    errata=(
        "On the poster, no gain of densification is significant: "
        "relative/poster-tables has the paired tests.",
    ),
    needs=("debian_descriptions",),
)
