"""The table of languages: cells, paired differences, and what their intervals say."""

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from similitude.training import PairedDifference, StitchingTable

from ...study import Table, mean_interval, table_of
from .._poster_cells import LANGUAGES, METRICS, cell
from ._setting import MARGIN, has_poster_encoders

Tables = Mapping[str, StitchingTable]  # by encoder, such as "ngrams"


def cell_rows(tables: Tables) -> list[dict[str, Any]]:
    """One row per cell and metric: mean and standard deviation over seeds."""
    names = ("transform", "decoder", "encoder", "metric", "mean", "sd", "seeds")
    return [
        {"network": network, **_columns(summary, names)}
        for network, table in tables.items()
        for metric in table.metrics
        for summary in table.summary(metric)
    ]


def _columns(record: Any, names: Sequence[str]) -> dict[str, Any]:
    """Fields of a record as columns; a number that does not exist is NaN."""
    found = {name: getattr(record, name) for name in names}
    return {k: float("nan") if value is None else value for k, value in found.items()}


def grid_rows(tables: Tables) -> list[dict[str, Any]]:
    """The table of the poster: one row per transform, one column per pair.

    A column is called decoder_encoder; "first" is English, "second" is the other
    language. A dash is an undefined cell.
    """
    rows = []
    for network, table in tables.items():
        names = dict(zip(table.targets, ("first", "second"), strict=True))
        for metric in table.metrics:
            found = {
                (s.transform, f"{names[s.decoder]}_{names[s.encoder]}"): s
                for s in table.summary(metric)
            }
            for transform in table.transforms:
                row = {"network": network, "transform": transform, "metric": metric}
                row |= {place: language for language, place in names.items()}
                for pair in itertools.product(names.values(), repeat=2):
                    s = found.get((transform, "_".join(pair)))
                    text = "-" if s is None else f"{s.mean:.2f} ± {s.sd or 0:.2f}"
                    row["_".join(pair)] = text
                rows.append(row)
    return rows


def published(row: Mapping[str, Any], arms: Mapping[str, str]) -> dict[str, float]:
    """Mean and deviation on the poster; NaN for cells that it does not have.

    `arms` maps names of arms to those of the poster.
    """
    place, arm = (row["decoder"], row["encoder"]), arms.get(row["transform"])
    found = (float("nan"), float("nan"))
    if arm is not None and place in LANGUAGES:
        found = cell(*place, arm).best[METRICS.index(row["metric"])]
    return dict(zip(("published_mean", "published_sd"), found, strict=True))


def shared_tables(
    tables: Tables, arms: Mapping[str, str], pairs: Sequence[tuple[str, str]]
) -> dict[str, Table]:
    """The table of the poster, all cells beside it, and paired differences."""
    return {
        "languages": table_of(grid_rows(tables)),
        "cells": table_of(row | published(row, arms) for row in cell_rows(tables)),
        "differences": table_of(difference_rows(tables, pairs)),
    }


def shared_values(
    tables: Tables, judged: Mapping[str, bool], *, data: Path | None
) -> dict[str, float]:
    """Accuracies of all cells, and of the most frequent class."""
    values = {
        "reviews": float(data is not None),
        "poster_encoders": float(has_poster_encoders(data)),
    }
    for network, table in tables.items():
        values[f"majority_{network}"] = table.chance()
        values[f"learned_{network}"] = float(judged[network])
        for s in table.summary("accuracy"):
            place = f"{s.transform}_{s.decoder}_{s.encoder}"
            values[f"accuracy_{network}_{place}"] = s.mean
    return values


def with_limits(name: str, found: tuple[float, float, float]) -> dict[str, float]:
    """A mean and the ends of its interval as values."""
    names = (name, f"{name}_low", f"{name}_high")
    return dict(zip(names, found, strict=True))


def accuracies_at_home(table: StitchingTable, transform: str) -> str:
    """Mean and deviation of each encoder with its own decoder."""
    return ", ".join(
        f"{s.encoder} {s.mean:.1f} ± {s.sd or 0:.1f}"
        for s in table.summary("accuracy")
        if s.transform == transform and s.encoder == s.decoder
    )


def unclear_note(judged: Mapping[str, bool]) -> list[str]:
    """A sentence about the networks without a verdict."""
    unclear = [network for network, learned in judged.items() if not learned]
    return [
        f"No verdict for {', '.join(unclear)}: its accuracy at home is not "
        f"{MARGIN:g} points above the most frequent class."
    ] * bool(unclear)


def undefined_note(tables: Tables) -> list[str]:
    """A sentence about each transform with undefined cells, with the first reason."""
    found = []
    for network, table in tables.items():
        for transform in table.transforms:
            cells = table.where(transform=transform, status="undefined")
            if cells:
                count = len(table.where(transform=transform))
                found.append(
                    f"{network}, {transform}: {len(cells)} of {count} cells are "
                    f"undefined: {cells[0].reason}"
                )
    return found


def scores(
    table: StitchingTable, transform: str, metric: str, *, stitched: bool
) -> dict[int, float]:
    """Seed to the mean score over the stitched cells, or over the other cells."""
    found: dict[int, list[float]] = {}
    for one in table.where(transform=transform, status="ok"):
        if one.stitched == stitched:
            found.setdefault(one.seed, []).append(getattr(one, metric))
    return {seed: float(np.mean(values)) for seed, values in found.items()}


def pooled_difference(
    table: StitchingTable,
    one: str,
    other: str,
    metric: str = "accuracy",
    *,
    stitched: bool = True,
) -> tuple[float, float, float]:
    """Mean over both stitched cells of one - other, paired by seed; or at home."""
    a, b = (scores(table, name, metric, stitched=stitched) for name in (one, other))
    return _paired(a, b)


def stitching_cost(table: StitchingTable, transform: str) -> tuple[float, float, float]:
    """Stitched minus the same encoder with its own decoder, paired by seed."""
    kinds = (True, False)
    return _paired(*(scores(table, transform, "accuracy", stitched=k) for k in kinds))


def _paired(
    a: Mapping[int, float], b: Mapping[int, float]
) -> tuple[float, float, float]:
    """Mean of a - b over common seeds, and its t interval; one seed has no interval."""
    mean, low, high, _ = mean_interval([a[seed] - b[seed] for seed in a if seed in b])
    return mean, low, high


def difference_rows(
    tables: Tables, pairs: Sequence[tuple[str, str]]
) -> list[dict[str, Any]]:
    """Paired differences over seeds, for each cell and for the mean of stitched cells.

    The encoder and decoder of such a mean are called "stitched".
    """
    names = ("decoder", "encoder", "mean", "low", "high")
    rows = []
    for network, table in tables.items():
        for metric, (one, other) in itertools.product(table.metrics, pairs):
            start = {"network": network, "metric": metric}
            start["difference"] = f"{one} - {other}"
            rows += [
                start | _columns(d, names) | {"seeds": d.pairs}
                for d in table.differences(other, metric=metric)
                if d.transform == one
            ]
            pooled = (
                "stitched",
                "stitched",
                *pooled_difference(table, one, other, metric),
            )
            seeds = len(scores(table, one, metric, stitched=True))
            rows.append(
                start | dict(zip(names, pooled, strict=True)) | {"seeds": seeds}
            )
    return rows


def judge(tables: Tables, transform: str, margin: float = MARGIN) -> dict[str, bool]:
    """Whether decoders at home are clearly better than the most frequent class.

    The lower end of the interval over seeds must exceed its share by `margin` points.
    """
    found = {}
    for network, table in tables.items():
        own = scores(table, transform, "accuracy", stitched=False)
        mean, low, *_ = mean_interval(list(own.values()))
        low = mean if np.isnan(low) else low
        found[network] = bool(low > table.chance() + margin)
    return found


def cell_differences(
    tables: Tables,
    one: str,
    other: str,
    judged: Mapping[str, bool],
    *,
    stitched: bool = True,
) -> list[PairedDifference]:
    """One - other in the stitched cells, or at home, of networks that are judged."""
    return [
        d
        for network, table in tables.items()
        if judged[network]
        for d in table.differences(other)
        if d.transform == one and (d.encoder != d.decoder) == stitched
    ]


def statement(
    found: Sequence[PairedDifference],
    one: str,
    other: str,
    cells: str = "stitched cells",
) -> str:
    """What the intervals over seeds of one - other say, without a period."""
    higher = sum(d.low is not None and d.low > 0 for d in found)
    lower = sum(d.high is not None and d.high < 0 for d in found)
    if not found:
        return f"there is no verdict on {one} against {other}"
    if higher == len(found):
        return f"{one} is better than {other} in all {len(found)} {cells}"
    if lower == len(found):
        return f"{one} is worse than {other} in all {len(found)} {cells}"
    if higher or lower:
        return (
            f"{one} is better than {other} in {higher} of {len(found)} {cells}, "
            f"worse in {lower}, and not distinguishable in "
            f"{len(found) - higher - lower}"
        )
    return (
        f"{one} and {other} are not distinguishable in any of the {len(found)} {cells}"
    )


def sentence(
    tables: Tables, pairs: Sequence[tuple[str, str]], judged: Mapping[str, bool]
) -> str:
    """One sentence about several pairs of transforms, from the intervals alone."""
    parts = []
    for one, other in pairs:
        found = cell_differences(tables, one, other, judged)
        means = "; ".join(
            f"{network} {mean:+.1f} points, {low:+.1f} to {high:+.1f}"
            for network, table in tables.items()
            if judged[network]
            for mean, low, high in [pooled_difference(table, one, other)]
        )
        text = statement(found, one, other).replace("_", " ")
        parts.append(f"{text} ({means})" if means else text)
    joined = "; ".join(parts)
    return f"{joined[0].upper()}{joined[1:]}."
