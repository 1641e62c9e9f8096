"""The table of languages: cells, paired differences, and what their intervals say."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from similitude.latent.stitching import StitchingTable

from ...study import MeanInterval, Table, mean_interval, table_of
from .._poster_cells import LANGUAGES, METRICS, cell
from ._setting import MARGIN, has_poster_encoders

Pairs = Sequence[tuple[str, str]]  # of transforms
Row = dict[str, Any]


def scores(
    table: StitchingTable, transform: str, metric: str = "accuracy", *, stitched: bool
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
) -> MeanInterval:
    """Mean over both stitched cells of one - other, paired by seed; or at home."""
    a, b = (scores(table, name, metric, stitched=stitched) for name in (one, other))
    return _paired(a, b)


def stitching_cost(table: StitchingTable, transform: str) -> MeanInterval:
    """Stitched minus the same encoder with its own decoder, paired by seed."""
    return _paired(*(scores(table, transform, stitched=kind) for kind in (True, False)))


def _paired(a: Mapping[int, float], b: Mapping[int, float]) -> MeanInterval:
    """Mean of a - b over common seeds, and its t interval; one seed has no interval."""
    return mean_interval([a[seed] - b[seed] for seed in a if seed in b])


def _columns(record: Any, *names: str) -> Row:
    """Fields of a record as columns; a number that does not exist is NaN."""
    found = {name: getattr(record, name) for name in names}
    return {k: float("nan") if value is None else value for k, value in found.items()}


def published(row: Row, arms: Mapping[str, str]) -> dict[str, float]:
    """Mean and deviation on the poster; NaN for cells that it does not have.

    `arms` maps names of arms to those of the poster.
    """
    place, arm = (row["decoder"], row["encoder"]), arms.get(row["transform"])
    found = (float("nan"), float("nan"))
    if arm is not None and place in LANGUAGES:
        found = cell(*place, arm).printed[METRICS.index(row["metric"])]
    return dict(zip(("published_mean", "published_sd"), found, strict=True))


@dataclass(frozen=True, eq=False)
class LanguageTables:
    """The table of each network, such as "ngrams", and the sentences about them.

    Networks that have not learned their task are not judged: with the transform `home`,
    their decoders must be clearly better than the most frequent class. The lower end of
    the interval over seeds must exceed its share by `margin` points.
    """

    tables: Mapping[str, StitchingTable]
    home: str
    margin: float = MARGIN

    @cached_property
    def judged(self) -> dict[str, StitchingTable]:
        """The tables of the networks that have learned their task."""
        found = {}
        for network, table in self.tables.items():
            own = scores(table, self.home, stitched=False)
            mean, low, *_ = mean_interval(list(own.values()))
            if (mean if np.isnan(low) else low) > table.chance() + self.margin:
                found[network] = table
        return found

    def cell_rows(self) -> Iterator[Row]:
        """One row per cell and metric: mean and standard deviation over seeds."""
        names = ("transform", "decoder", "encoder", "metric", "mean", "sd", "seeds")
        for network, table in self.tables.items():
            for summary in itertools.chain(*map(table.summary, table.metrics)):
                yield {"network": network, **_columns(summary, *names)}

    def grid_rows(self) -> Iterator[Row]:
        """The table of the poster: one row per transform, one column per pair.

        A column is called decoder_encoder; "first" is English, "second" is the other
        language. A dash is an undefined cell.
        """
        for network, table in self.tables.items():
            places = dict(zip(("first", "second"), table.targets, strict=True))
            for metric, name in itertools.product(table.metrics, table.transforms):
                row = {"network": network, "transform": name, "metric": metric} | places
                row |= {f"{a}_{b}": "-" for a, b in itertools.product(places, repeat=2)}
                names = {language: place for place, language in places.items()}
                for s in table.summary(metric):
                    if s.transform == name:
                        text = f"{s.mean:.2f} ± {s.sd or 0:.2f}"
                        row[f"{names[s.decoder]}_{names[s.encoder]}"] = text
                yield row

    def difference_rows(self, pairs: Pairs) -> Iterator[Row]:
        """Paired differences over seeds, of each cell and of the mean stitched cell.

        The encoder and decoder of such a mean are called "stitched".
        """
        for network, table in self.tables.items():
            for metric, (one, other) in itertools.product(table.metrics, pairs):
                start = {"network": network, "metric": metric}
                start["difference"] = f"{one} - {other}"
                for d in table.differences(other, metric=metric):
                    if d.transform == one:
                        names = ("decoder", "encoder", "mean", "low", "high")
                        yield start | _columns(d, *names) | {"seeds": d.pairs}
                start |= {"decoder": "stitched", "encoder": "stitched"}
                pooled = pooled_difference(table, one, other, metric).limits
                seeds = len(scores(table, one, metric, stitched=True))
                yield start | pooled | {"seeds": seeds}

    def seed_rows(self) -> Iterator[Row]:
        """The mean score of each seed, stitched and at home; and a constant guess."""
        for network, table in self.tables.items():
            kinds = {"stitched": True, "home": False}
            for metric, name in itertools.product(table.metrics, table.transforms):
                for cells, is_stitched in kinds.items():
                    start = {"network": network, "metric": metric, "transform": name}
                    found = scores(table, name, metric, stitched=is_stitched)
                    for seed, score in found.items():
                        yield start | {"cells": cells, "seed": seed, "score": score}
            start = {"network": network, "metric": "accuracy", "transform": "majority"}
            for seed in scores(table, self.home, stitched=True):
                guess = {"cells": "stitched", "seed": seed, "score": table.chance()}
                yield start | guess

    def all_tables(self, arms: Mapping[str, str], pairs: Pairs) -> dict[str, Table]:
        """The table of the poster, all cells next to it, and paired differences."""
        return {
            "languages": table_of(self.grid_rows()),
            "cells": table_of(row | published(row, arms) for row in self.cell_rows()),
            "differences": table_of(self.difference_rows(pairs)),
            "rows": table_of(self.seed_rows()),
        }

    def values(self, *, data: Path | None) -> dict[str, float]:
        """Accuracies of all cells, and of the most frequent class."""
        values = {
            "reviews": float(data is not None),
            "poster_encoders": float(has_poster_encoders(data)),
        }
        for network, table in self.tables.items():
            values[f"majority_{network}"] = table.chance()
            values[f"learned_{network}"] = float(network in self.judged)
            for s in table.summary("accuracy"):
                place = f"{s.transform}_{s.decoder}_{s.encoder}"
                values[f"accuracy_{network}_{place}"] = s.mean
        return values
