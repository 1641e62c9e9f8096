"""Topological densification before and after the relative layer: does it help?"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from similitude.align import class_scores
from similitude.topology import suggest_beta
from similitude.training import Cell, StitchingTable

from ..._checks import Number, Order
from ..._study import Config, Study, StudyResult
from .._poster_cells import LANGUAGES as CELLS
from .._poster_cells import METRICS, cell
from ._death_tables import (
    death_rows,
    distances_to_beta,
    draw_deaths,
    overlaps,
    shown_deaths,
)
from ._encoders import KINDS
from ._figures import draw_sweep
from ._fine_tuned import Arrays, Run, Tuning, deaths_of, predictions
from ._setting import PAPER, SMALL, SMOKE, TextSetting, derived, tasks
from ._table import (
    Tables,
    cell_differences,
    cell_rows,
    columns_of,
    difference_rows,
    learned,
    pooled_difference,
    sentence,
    statement,
)
from ._texts import LanguageTask

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUGGESTED = 0.5  # times the mean largest death, the middle suggestion
MARGIN = 10.0  # points above the most frequent class, for a verdict
PLAIN, DENSE = "robust", "densified"


@dataclass(frozen=True)
class Setting:
    """Texts, encoders and fine-tuning.

    `factors` times the mean largest death are the values of beta, for n-grams and for
    the transformer.
    """

    texts: TextSetting
    tuning: Tuning
    factors: tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Arms:
    """Results of one kind of network: arm -> (language, seed) -> arrays."""

    task: LanguageTask
    betas: dict[str, float]  # by arm, without the plain one
    found: dict[str, dict[tuple[str, int], Arrays]]

    @property
    def beta(self) -> float:
        return self.betas[DENSE]


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


def all_arms(config: Config, kind: str, task: LanguageTask, seed: int) -> Arms:
    """Train, suggest beta from the networks without densification, train again."""
    setting: Setting = config.setting
    options = setting.texts
    runs = {
        (language, number): Run(
            kind=kind,
            texts=texts,
            classes=len(task.classes),
            anchors=min(options.anchors, len(texts.anchors)),
            encoders=options.encoders,
            tuning=setting.tuning,
            seed=derived(seed, number, at, KINDS.index(kind)),
            draw=derived(seed, number),
        )
        for number in range(options.seeds)
        for at, (language, texts) in enumerate(task.draw(number).items())
    }
    plain = {
        (language, number): config.parts.keep(f"{kind}-{language}-{number}", one.before)
        for (language, number), one in runs.items()
    }
    pooled = deaths_of(np.concatenate([p["validation_post"] for p in plain.values()]))
    factors = setting.factors[KINDS.index(kind)]
    suggested = suggest_beta(pooled, factors=factors)["mean_largest"]
    betas, found = {}, {PLAIN: plain}
    for factor, beta in zip(factors, suggested, strict=True):
        arm = DENSE if factor == SUGGESTED else f"{DENSE}_{factor:g}"
        betas[arm] = beta
        found[arm] = {
            (language, number): config.parts.keep(
                f"{kind}-{language}-{number}-{factor:g}",
                partial(one.densified, plain[language, number], beta),
            )
            for (language, number), one in runs.items()
        }
    return Arms(task, betas, found)


def table_of(arms: Arms) -> StitchingTable:
    """Every decoder with every encoder, for every arm and seed."""
    task, cells = arms.task, []
    targets = {lang: texts.test_labels for lang, texts in task.draw(0).items()}
    for arm, results in arms.found.items():
        for (encoder, seed), rows in results.items():
            for decoder in task.languages:
                guess = predictions(rows["rows"], results[decoder, seed])
                s = class_scores(guess, targets[encoder], ordinal=task.ordinal)
                cells.append(
                    Cell(
                        encoder=encoder,
                        decoder=decoder,
                        home=decoder,
                        transform=arm,
                        seed=seed,
                        status="ok",
                        reason="",
                        accuracy=s.accuracy,
                        f1=s.f1,
                        mae=s.mae,
                        predictions=tuple(map(int, guess)),
                        job="",
                    )
                )
    return StitchingTable(tuple(cells), targets)


def published(row: Mapping[str, Any]) -> tuple[float, float]:
    """Mean and deviation on the poster; NaN for cells that it does not have."""
    place = row["decoder"], row["encoder"]
    if row["transform"] not in {PLAIN, DENSE} or place not in CELLS:
        return float("nan"), float("nan")
    return cell(*place, row["transform"]).best[METRICS.index(row["metric"])]


def sweep_rows(networks: Mapping[str, Arms], tables: Tables) -> list[dict[str, Any]]:
    """Densified - plain for each beta: mean of stitched cells, and at home."""
    rows = []
    for network, arms in networks.items():
        for arm, beta in arms.betas.items():
            for stitched in (True, False):
                mean, low, high = pooled_difference(
                    tables[network], arm, PLAIN, stitched=stitched
                )
                rows.append(
                    {
                        "network": network,
                        "beta": beta,
                        "suggested": arm == DENSE,
                        "cells": "stitched" if stitched else "home",
                        "mean": mean,
                        "low": low,
                        "high": high,
                    }
                )
    return rows


def all_values(
    networks: Mapping[str, Arms],
    tables: Tables,
    judged: Mapping[str, bool],
    *,
    reviews: bool,
) -> dict[str, float]:
    values: dict[str, float] = {"reviews": float(reviews)}
    for network, table in tables.items():
        arms = networks[network]
        values[f"majority_{network}"] = table.chance()
        values[f"learned_{network}"] = float(judged[network])
        values[f"beta_{network}"] = arms.beta
        for s in table.summary("accuracy"):
            place = f"{s.transform}_{s.decoder}_{s.encoder}"
            values[f"accuracy_{network}_{place}"] = s.mean
        for word, stitched in (("stitched", True), ("home", False)):
            mean, low, high = pooled_difference(table, DENSE, PLAIN, stitched=stitched)
            name = f"gain_{word}_{network}"
            values |= {name: mean, f"{name}_low": low, f"{name}_high": high}
        for arm in (PLAIN, DENSE):
            found = arms.found[arm]
            distance = distances_to_beta(found, arms.beta)
            values[f"distance_to_beta_{network}_{arm}"] = distance
            values[f"overlap_{network}_{arm}"] = overlaps(found)
    return values


def notes(
    setting: Setting,
    networks: Mapping[str, Arms],
    tables: Tables,
    judged: Mapping[str, bool],
) -> tuple[str, ...]:
    task = next(iter(networks.values())).task
    home = cell_differences(tables, DENSE, PLAIN, judged, stitched=False)
    at_home = statement(home, DENSE, PLAIN, "cells at home")
    swept = "; ".join(
        f"{row['network']}, beta = {row['beta']:.2g}: {row['mean']:+.1f} "
        f"({row['low']:+.1f} to {row['high']:+.1f})"
        for row in sweep_rows(networks, tables)
        if row["cells"] == "stitched"
    )
    own = "; ".join(
        f"{network}: {_home(table)} for the robust transform, and "
        f"{table.chance():.1f} for the most frequent class"
        for network, table in tables.items()
    )
    overlap = "; ".join(
        f"{network}: {overlaps(arms.found[PLAIN]):.2f} without and "
        f"{overlaps(arms.found[DENSE]):.2f} with densification"
        for network, arms in networks.items()
    )
    unclear = [network for network in tables if not judged[network]]
    tuning, texts = setting.tuning, task.draw(0)[task.languages[0]]
    listed = [
        sentence(tables, ((DENSE, PLAIN),), judged),
        f"With the decoder of their own language, {at_home}. The intervals are 95 % t "
        f"intervals of differences over {setting.texts.seeds} seeds, paired: both arms "
        f"start from the same encoder and see the same batches.",
        f"Points gained in stitched cells, by beta: {swept}. Beta is the same for both "
        f"languages, and before and after the relative layer. The suggestion is "
        f"{SUGGESTED:g} times the mean largest death after the relative layer, without "
        f"densification, on validation texts.",
        f"Overlap of death times before and after the relative layer: {overlap}.",
        f"The texts are {task.about}; {len(texts.train)} training texts and "
        f"{len(texts.test)} test texts per language. Accuracy at home: {own}.",
        f"The poster fine-tunes pretrained encoders on reviews in 40 epochs, with the "
        f"weight 0.02 of the loss and beta = 3. Here encoders are trained from random "
        f"weights, then fine-tuned through the robust layer in {tuning.epochs[0]} "
        f"(ngrams) and {tuning.epochs[1]} (transformer) epochs with the weight "
        f"{tuning.weight:g}. So only orders are judged.",
    ]
    if unclear:
        listed.append(
            f"No verdict for {', '.join(unclear)}: its accuracy at home is not "
            f"{MARGIN:g} points above the most frequent class."
        )
    return tuple(listed)


def _home(table: StitchingTable) -> str:
    return ", ".join(
        f"{s.encoder} {s.mean:.1f} ± {s.sd or 0:.1f}"
        for s in table.summary("accuracy")
        if s.transform == PLAIN and s.encoder == s.decoder
    )


def draw(result: StudyResult) -> "Mapping[str, Figure]":
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
            quantity=f"gain_stitched_{kind}",
            sign=">",
            than=0.0,
            where=where,
            note="points; 0.4 on the poster",
            given=given,
        ),
        Order(
            quantity=f"gain_stitched_{kind}_low",
            sign=">",
            than=0.0,
            where=where,
            note="lower end of the interval: a gain that the seeds can show",
            given=given,
        ),
        Order(
            quantity=f"gain_home_{kind}",
            sign=">",
            than=0.0,
            where=where,
            note="points; 0.3 on the poster",
            given=given,
        ),
        Order(
            quantity=f"distance_to_beta_{kind}_{DENSE}",
            sign="<",
            than=f"distance_to_beta_{kind}_{PLAIN}",
            where="figure of death times",
            note="mean distance of the deaths of test texts from beta, after the "
            "relative layer",
            given=given,
        ),
    )


def _numbers() -> tuple[Number, ...]:
    """The accuracies of the poster; they need its reviews and its encoders."""
    return tuple(
        Number(
            quantity=f"accuracy_transformer_{arm}_{decoder}_{encoder}",
            value=cell(decoder, encoder, arm).best[0][0],
            tolerance=2.0,
            where="the poster's tables",
            scales=("paper",),
            note="Amazon reviews with fine-tuned RoBERTa on the poster",
            given="reviews",
        )
        for arm in (PLAIN, DENSE)
        for decoder, encoder in CELLS
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
            texts=SMALL, tuning=Tuning(), factors=((0.25, 0.5, 1.0, 2.0), (0.5, 1.0))
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
    seconds={"smoke": 4, "small": 700, "paper": 2_000_000},
    checks=(*(o for kind in KINDS for o in _orders(kind)), *_numbers()),
    run=run,
    draw=draw,
    errata=(
        "On the poster, no gain of densification is significant: "
        "relative/poster-tables has the paired tests.",
    ),
    needs=("debian_descriptions",),
)
