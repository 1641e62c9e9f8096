"""Columns of all pairs of trained models, and of the models."""

import itertools
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from similitude.errors import InvalidInput, either

from ...study import Config, Frame
from ._models import (
    ACCURACIES,
    DISTANCES,
    MODEL,
    Setting,
    read_results,
    train_and_measure,
)


@dataclass(frozen=True)
class Pairs:
    """Columns of all pairs and of all models, and sentences about missing ones."""

    distances: Frame
    accuracies: Frame
    notes: tuple[str, ...]
    expected: int = 0  # number of pairs of the whole experiment

    def where(self, **values: Sequence[float]) -> Self:
        """The pairs and models whose columns have one of these values."""
        distances, accuracies = (
            table.where(**values) for table in (self.distances, self.accuracies)
        )
        return replace(self, distances=distances, accuracies=accuracies)


def model_pairs(config: Config, rng: np.random.Generator) -> Pairs:
    """The distances of all pairs and the accuracies of all models of a setting.

    Without existing results, the models are trained in the folder of the parts, where
    an interrupted training resumes. `rng` draws the seed of the sets of inputs.
    """
    setting: Setting = config.setting
    draw_seed = int(rng.integers(2**31))
    groups = list(itertools.product(setting.classes, setting.widths))
    config.parts.expect(len(groups))
    found = {}
    with model_folder(config) as folder:
        for k, width in groups:
            if config.results is not None:
                part = read_results(config.results, setting, k, width)
            else:
                part = config.parts.keep(
                    f"classes-{k},width-{width}",
                    train_and_measure,
                    *(config, folder, k, width, draw_seed),
                )
            found[k, width] = part
    notes = _missing(found, setting)
    if config.results is not None:
        notes.insert(0, "The distances and accuracies are existing results.")
    if not any(len(part["distances.d_llv"]) for part in found.values()):
        raise InvalidInput(
            f"{config.results} has no distances of these models. Make them with "
            f"`similitude closeness distances`, or "
            + either(python="leave out `results`.", shell="leave out --results.")
        )
    pairs = as_pairs(list(found.values()), notes)
    return replace(pairs, expected=len(groups) * setting.pairs)


def as_pairs(parts: Sequence[dict[str, Any]], notes: Sequence[str] = ()) -> Pairs:
    """The columns of several parts."""
    table = joined(parts)
    distances, accuracies = (
        Frame({name: table[f"{kind}.{name}"] for name in names})
        for kind, names in (("distances", DISTANCES), ("accuracies", ACCURACIES))
    )
    return Pairs(distances, accuracies, tuple(notes))


def accurate(pairs: Pairs, setting: Setting) -> Frame:
    """The pairs of models with free norms that are accurate, of widths with enough."""
    good: dict[tuple[Any, ...], set[int]] = {}  # model -> accurate seeds
    for row in pairs.accuracies.rows():
        if row["accuracy"] > setting.accuracy:
            model = tuple(row[name] for name in MODEL)
            good.setdefault(model, set()).add(row["seed"])
    kept = []
    for row in pairs.distances.rows():
        seeds = good.get(tuple(row[name] for name in MODEL), set())
        free = row["fix_length_f"] == row["fix_length_g"] == 0
        both = {row["seed_a"], row["seed_b"]} <= seeds
        kept.append(free and both and len(seeds) >= setting.models)
    chosen = np.array(kept, dtype=bool)
    return Frame({name: column[chosen] for name, column in pairs.distances.items()})


def joined(tables: Sequence[Mapping[str, Any]]) -> dict[str, np.ndarray]:
    """The rows of several tables with the columns of the first."""
    return {name: np.hstack([table[name] for table in tables]) for name in tables[0]}


def _missing(found: Mapping[tuple[int, int], Any], setting: Setting) -> list[str]:
    """Sentences about pairs without a distance, and about pairs that do not exist."""
    expected = setting.pairs
    groups: dict[str, dict[int, list[int]]] = {}
    for (k, width), part in found.items():
        undefined, pairs = int(part["undefined"]), len(part["distances.d_llv"])
        if undefined:
            text = f"{undefined} of {expected} pairs have no distance"
            groups.setdefault(text, {}).setdefault(k, []).append(width)
        if pairs + undefined < expected:
            text = f"{pairs} of {expected} pairs exist in the results"
            groups.setdefault(text, {}).setdefault(k, []).append(width)
    return [
        f"{text}: {'; '.join(_widths(k, widths) for k, widths in by_classes.items())}."
        for text, by_classes in groups.items()
    ]


def _widths(classes: int, widths: list[int]) -> str:
    return f"K = {classes}, W = {', '.join(map(str, widths))}"


@contextmanager
def model_folder(config: Config) -> Iterator[Path]:
    """The folder of the models: that of the parts, or a temporary one."""
    if config.parts.folder is not None:
        yield config.parts.folder
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)
