"""The numbers and notes of stitching across languages."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from similitude.training import StitchingTable

from .._poster_cells import LANGUAGES as CELLS
from .._poster_cells import METRICS, cell
from ._setting import MARGIN, TextSetting
from ._table import (
    Tables,
    pooled_difference,
    scores,
    sentence,
    stitching_cost,
    undefined_note,
)
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
    setting: TextSetting,
    found: Mapping[str, tuple[str, LanguageTask]],
    tables: Tables,
    judged: Mapping[str, bool],
) -> tuple[str, ...]:
    options, (_, task) = setting.encoders, next(iter(found.values()))
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
        f"{setting.seeds} seeds, without a correction for several comparisons. Numbers "
        f"in brackets are means of both directions.",
        f"The texts are {task.about}. For each language and seed: {len(sizes.train)} "
        f"training texts, {len(sizes.test)} test texts, and {anchors} parallel anchors "
        f"that are in neither.",
        f"The poster fine-tunes two pretrained encoders of 768 dimensions on reviews, "
        f"through the relative layer. Here encoders are trained from random weights "
        f"on absolute rows: an MLP on hashed n-grams, and a transformer of "
        f"{options.layers} layers on the first {options.tokens} words. Both have "
        f"{options.width} dimensions. A linear "
        f"decoder is trained on the transformed rows. So the published numbers are "
        f"beside ours, and only orders are judged.",
        f"Accuracy at home, absolute rows: {own}.",
    ]
    if unclear:
        listed.append(
            f"No verdict for {', '.join(unclear)}: its accuracy at home is not "
            f"{MARGIN:g} points above the most frequent class."
        )
    listed += undefined_note(tables)
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
