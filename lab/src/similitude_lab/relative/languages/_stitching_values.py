"""The numbers and notes of stitching across languages."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ._setting import TextSetting
from ._table import LanguageTables, pooled_difference, scores, stitching_cost
from ._texts import LanguageTask

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


def all_values(tables: LanguageTables, *, data: Path | None) -> dict[str, float]:
    values = tables.values(data=data)
    for network, table in tables.tables.items():
        for name in table.transforms:
            for word, is_stitched in (("stitched", True), ("own", False)):
                by_seed = scores(table, name, stitched=is_stitched)
                mean = float(np.mean(list(by_seed.values()) or [np.nan]))
                values[f"{word}_{network}_{name}"] = mean
        values[f"absolute_above_majority_{network}"] = (
            values[f"stitched_{network}_absolute"] - values[f"majority_{network}"]
        )
        values[f"cost_robust_{network}"] = stitching_cost(table, "robust").mean
        for one, other in DIFFERENCES:
            gap = pooled_difference(table, one, other)
            values |= gap.named(f"{one}_minus_{other}_{network}")
    return values


def notes(
    setting: TextSetting,
    found: Mapping[str, tuple[str, LanguageTask]],
    tables: LanguageTables,
) -> tuple[str, ...]:
    options, (_, task) = setting.encoders, next(iter(found.values()))
    sizes = task.draw(0)[task.languages[0]]
    anchors = next(iter(tables.tables.values())).anchors
    listed = [
        tables.sentence(COMPARED),
        f"The intervals are 95 % t intervals of paired differences over "
        f"{setting.seeds} seeds, without a correction for several comparisons. Numbers "
        f"in brackets are means of both directions.",
        f"The texts are {task.about}. For each language and seed: {len(sizes.train)} "
        f"training texts, {len(sizes.test)} test texts, and {anchors} parallel anchors "
        f"that are in neither.",
        f"The poster fine-tunes two pretrained encoders of 768 dimensions on reviews, "
        f"through the relative layer. Here encoders are trained from {task.start} "
        f"on absolute rows: an MLP on hashed n-grams, and a transformer of "
        f"{options.layers} layers on the first {options.tokens} words. Both have "
        f"{options.width} dimensions. A linear "
        f"decoder is trained on the transformed rows. So the published numbers are "
        f"beside ours, and only orders are judged.",
        f"Accuracy at home, absolute rows: {tables.at_home()}.",
    ]
    listed += tables.unclear_note() + tables.undefined_note()
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
