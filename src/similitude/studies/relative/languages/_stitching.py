"""Decoders of one language with encoders of another: which transform makes it work."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import similitude as sim
from similitude.align import fit_inverse_relative
from similitude.align import relative as rows
from similitude.training import (
    Decoder,
    Embeddings,
    PerSeed,
    StitchingData,
    StitchingTable,
    TorchHead,
)

from ..._checks import Number, Order
from ..._study import Config, Study, StudyResult
from .._poster_cells import LANGUAGES as CELLS
from .._poster_cells import METRICS, cell
from ._encoders import KINDS, EncoderOptions, embedded, trained
from ._figures import draw_accuracies, draw_differences
from ._setting import PAPER, SMALL, SMOKE, TextSetting, derived, tasks
from ._table import (
    Tables,
    cell_rows,
    columns_of,
    difference_rows,
    learned,
    pooled_difference,
    scores,
    sentence,
    stitching_cost,
)
from ._texts import LanguageTask, Texts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Name of the arm to that of the poster. The poster scales the vanilla transform.
ON_THE_POSTER = {
    "absolute": "absolute",
    "scaled_vanilla": "vanilla",
    "robust": "robust",
}
DIFFERENCES = (
    ("robust", "absolute"),
    ("robust", "scaled_vanilla"),
    ("robust", "vanilla"),
    ("robust", "centered"),
    ("robust", "whitened"),
    ("robust", "procrustes"),
    ("robust", "inverse_relative"),
    ("procrustes", "vanilla"),
    ("vanilla", "scaled_vanilla"),
)
COMPARED = (("robust", "vanilla"), ("robust", "procrustes"))  # in one sentence
MARGIN = 10.0  # points above the most frequent class, for a verdict


@dataclass(frozen=True)
class Setting:
    """Texts and encoders; languages besides French, for n-grams only."""

    texts: TextSetting
    further: tuple[str, ...] = ()


def arms(width: int) -> dict[str, Any]:
    """Transforms besides absolute rows and Procrustes, which a table always has."""
    return {
        "vanilla": rows.Cosine(),
        "scaled_vanilla": rows.ScaledCosine(),
        "centered": rows.CenteredCosine(),
        "robust": rows.Robust(),
        "whitened": rows.WhitenedCosine(stats="train"),
        "inverse_relative": fit_inverse_relative,
        "inverse_relative_truncated": partial(fit_inverse_relative, rank=width // 4),
    }


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    seed = int(rng.integers(2**31))
    found = tasks(config, setting.texts, seed, setting.further)
    config.parts.expect(2 * setting.texts.seeds * len(found))
    tables = {
        network: stitched(config, setting.texts, network, what, seed)
        for network, what in found.items()
    }
    judged = {network: learned(t, "absolute", MARGIN) for network, t in tables.items()}
    values = all_values(tables, judged, reviews=config.data is not None)
    cells = cell_rows(tables)
    for row in cells:
        row["published_mean"], row["published_sd"] = published(row)
    differences = difference_rows(tables, DIFFERENCES)
    return StudyResult(
        values=values,
        tables={"cells": columns_of(cells), "differences": columns_of(differences)},
        notes=notes(setting, found, tables, judged),
    )


def stitched(
    config: Config,
    setting: TextSetting,
    network: str,
    what: tuple[str, LanguageTask],
    seed: int,
) -> StitchingTable:
    """The table of one kind of network: encoders are trained once per seed."""
    kind, task = what
    members: dict[str, dict[int, Embeddings]] = {name: {} for name in task.languages}
    data = {}
    for number in range(setting.seeds):
        for at, (language, texts) in enumerate(task.draw(number).items()):
            own = derived(seed, number, at, KINDS.index(kind))
            part = config.parts.keep(
                f"{network}-{language}-{number}",
                partial(_rows, kind, texts, len(task.classes), setting.encoders, own),
            )
            members[language][number] = Embeddings(**part)
            labels = texts.train_labels, texts.test_labels
            data[language] = StitchingData(*labels, ordinal=task.ordinal)
    folder = config.parts.folder
    head = TorchHead(epochs=setting.head_epochs)
    return sim.training.stitching_table(
        {language: PerSeed(by_seed) for language, by_seed in members.items()},
        {language: Decoder(language, head) for language in members},
        data,
        arms(setting.encoders.width),
        range(setting.seeds),
        allow_duplicates=True,  # two packages may have the same translation
        anchors=min(setting.anchors, len(next(iter(task.draw(0).values())).anchors)),
        out=None if folder is None else folder / f"cells-{network}",
        progress=None,
    )


def _rows(
    kind: str, texts: Texts, classes: int, options: EncoderOptions, seed: int
) -> dict[str, np.ndarray]:
    return embedded(trained(kind, texts, classes, options, seed), texts)


def published(row: Mapping[str, Any]) -> tuple[float, float]:
    """Mean and deviation on the poster; NaN for cells that it does not have."""
    place = row["decoder"], row["encoder"]
    arm = ON_THE_POSTER.get(row["transform"])
    if arm is None or place not in CELLS:
        return float("nan"), float("nan")
    return cell(*place, arm).best[METRICS.index(row["metric"])]


def all_values(
    tables: Tables, judged: Mapping[str, bool], *, reviews: bool
) -> dict[str, float]:
    values: dict[str, float] = {"reviews": float(reviews)}
    for network, table in tables.items():
        for s in table.summary("accuracy"):
            place = f"{s.transform}_{s.decoder}_{s.encoder}"
            values[f"accuracy_{network}_{place}"] = s.mean
        majority = table.chance()
        values[f"majority_{network}"] = majority
        values[f"learned_{network}"] = float(judged[network])
        for name in table.transforms:
            for word, is_stitched in (("stitched", True), ("own", False)):
                by_seed = scores(table, name, "accuracy", stitched=is_stitched)
                mean = float(np.mean(list(by_seed.values()) or [np.nan]))
                values[f"{word}_{network}_{name}"] = mean
        values[f"absolute_above_majority_{network}"] = (
            values[f"stitched_{network}_absolute"] - majority
        )
        values[f"cost_robust_{network}"] = stitching_cost(table, "robust")[0]
        for one, other in DIFFERENCES:
            mean, low, high = pooled_difference(table, one, other)
            name = f"{one}_minus_{other}_{network}"
            values |= {name: mean, f"{name}_low": low, f"{name}_high": high}
    return values


def notes(
    setting: Setting,
    found: Mapping[str, tuple[str, LanguageTask]],
    tables: Tables,
    judged: Mapping[str, bool],
) -> tuple[str, ...]:
    options, (_, task) = setting.texts.encoders, next(iter(found.values()))
    sizes = task.draw(0)[task.languages[0]]
    anchors = next(iter(tables.values())).anchors
    own = "; ".join(
        f"{network}: {', '.join(_own(table))}, and {table.chance():.1f} for the most "
        f"frequent class"
        for network, table in tables.items()
    )
    unclear = [network for network in tables if not judged[network]]
    listed = [
        sentence(tables, COMPARED, judged),
        f"The intervals are 95 % t intervals of paired differences over "
        f"{setting.texts.seeds} seeds. Numbers in brackets are means of both "
        f"directions.",
        f"The texts are {task.about}. For each language and seed: {len(sizes.train)} "
        f"training texts, {len(sizes.test)} test texts, and {anchors} parallel anchors "
        f"that are in neither.",
        f"The poster fine-tunes two pretrained encoders of 768 dimensions on reviews, "
        f"through the relative layer. Here encoders are trained from random weights "
        f"on absolute rows: an MLP on hashed n-grams, and a transformer of "
        f"{options.layers} layers. Both have {options.width} dimensions. A linear "
        f"decoder is trained on the transformed rows. So the published numbers are "
        f"beside ours, and only orders are judged.",
        f"Accuracy at home, absolute rows: {own}.",
    ]
    if unclear:
        listed.append(
            f"No verdict for {', '.join(unclear)}: its accuracy at home is not "
            f"{MARGIN:g} points above the most frequent class."
        )
    if not task.ordinal:
        listed.append("Sections have no order, so there is no mean absolute error.")
    smaller = [
        f"{network}: {len(other.draw(0)[other.languages[0]].train)} training texts "
        f"({', '.join(other.classes)})"
        for network, (_, other) in found.items()
        if other is not task
    ]
    if smaller:
        listed.append(f"Other languages, {'; '.join(smaller)}.")
    return tuple(listed)


def _own(table: StitchingTable) -> list[str]:
    return [
        f"{s.encoder} {s.mean:.1f} ± {s.sd or 0:.1f}"
        for s in table.summary("accuracy")
        if s.transform == "absolute" and s.encoder == s.decoder
    ]


def draw(result: StudyResult) -> "Mapping[str, Figure]":
    majority = {
        name.removeprefix("majority_"): value
        for name, value in result.values.items()
        if name.startswith("majority_")
    }
    return {
        "accuracies": draw_accuracies(result.tables["cells"], majority),
        "differences": draw_differences(result.tables["differences"]),
    }


def _orders(kind: str) -> tuple[Order, ...]:
    where, given = "the poster's tables", f"learned_{kind}"
    return (
        Order(
            quantity=f"robust_minus_scaled_vanilla_{kind}_low",
            sign=">",
            than=0.0,
            where=where,
            note="lower end of the interval; the poster's vanilla transform is scaled",
            given=given,
        ),
        Order(
            quantity=f"robust_minus_absolute_{kind}_low",
            sign=">",
            than=0.0,
            where=where,
            note="lower end of the interval",
            given=given,
        ),
        Order(
            quantity=f"absolute_above_majority_{kind}",
            sign="<",
            than=10.0,
            where=where,
            note="points of stitched absolute rows above the most frequent class; "
            "4.6 on the poster",
            given=given,
        ),
        Order(
            quantity=f"cost_robust_{kind}",
            sign=">",
            than=-1.0,
            where=where,
            note="points of a stitched encoder above its own decoder; -0.3 on the "
            "poster",
            given=given,
        ),
        Order(
            quantity=f"procrustes_minus_vanilla_{kind}",
            sign=">",
            than=0.0,
            where="maiorca2023latent",
            note="a map between both spaces does better than relative rows",
            given=given,
        ),
    )


def _numbers() -> tuple[Number, ...]:
    """The accuracies of the poster; they need its reviews and its encoders."""
    return tuple(
        Number(
            quantity=f"accuracy_transformer_{ours}_{decoder}_{encoder}",
            value=cell(decoder, encoder, theirs).best[0][0],
            tolerance=2.0,
            where="the poster's tables",
            scales=("paper",),
            note="Amazon reviews with fine-tuned RoBERTa on the poster",
            given="reviews",
        )
        for ours, theirs in ON_THE_POSTER.items()
        for decoder, encoder in CELLS
    )


STUDY = Study(
    name="relative/stitching",
    title="zero-shot stitching of text classifiers across languages",
    paper="garciacastellanos2024relative",
    where="the poster's tables",
    claim="The robust relative transform makes decoders exchangeable between English "
    "and French encoders; absolute rows do not, and the vanilla transform does it "
    "only in part.",
    settings={
        "smoke": Setting(texts=SMOKE),
        "small": Setting(texts=SMALL, further=("de", "it")),
        "paper": Setting(texts=PAPER, further=("de", "it")),
    },
    seconds={"smoke": 5, "small": 400, "paper": 500_000},
    checks=(*(o for kind in KINDS for o in _orders(kind)), *_numbers()),
    run=run,
    draw=draw,
    errata=(
        "The poster's vanilla transform divides cosines by the root of 768. The arm "
        "scaled_vanilla does the same; vanilla is the cosine.",
    ),
    needs=("debian_descriptions",),
)
