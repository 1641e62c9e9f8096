"""Move committed results to version 2 of their studies, from their own tables.

    python lab/tools/version_2_results.py

Version 2 of these studies computes further values from the same experiments: all seeds
and single steps of closeness/width, intervals of relative/phase-diagram, margins of
rtd/disentanglement. They follow from the committed tables. Figures of rtd/clusters and
rtd/rings are drawn again from their tables.
"""

import csv
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from similitude.store import write_sealed_json
from similitude_lab.closeness.studies import _width as width
from similitude_lab.relative import _trade as trade
from similitude_lab.rtd.disentanglement import _disentanglement as sprites
from similitude_lab.study import (
    Frame,
    StudyRecord,
    StudyResult,
    find_study,
    mean_interval,
    paired_interval,
    read_records,
)
from similitude_lab.study._figure_files import write_figure

RESULTS = Path(__file__).parents[1] / "results"
NOTE = "Values that version 2 of the study added were computed from the tables."
Columns = dict[str, np.ndarray]


def columns(path: Path) -> Columns:
    """The columns of a CSV file; numbers where all cells are."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = {}
    for name in rows[0]:
        cells = [row[name] for row in rows]
        try:
            values = np.array([float(cell) for cell in cells])
            found[name] = values.astype(int) if (values % 1 == 0).all() else values
        except ValueError:
            found[name] = np.array(cells)
    return found


def width_values(tables: dict[str, Columns]) -> dict[str, float]:
    kept = Frame(tables["pairs"])
    means = width._means(kept)
    few = kept.where(seed_a=width.SEEDS, seed_b=width.SEEDS)
    values: dict[str, float] = {}
    for name in width.PLOTTED:
        for size in width.WIDTHS:
            values[f"{name}_4_{size}"] = width._mean(few, name, 4, size)
            values[f"{name}_4_{size}_all"] = width._mean(kept, name, 4, size)
        values |= width._steps(means, name)
    return values


def phase_values(tables: dict[str, Columns]) -> dict[str, float]:
    by_seed = trade.kept_by_seed(tables["phase"])["trade"]
    return {
        "low_trade_highest_d": mean_interval(by_seed[-1]).low,
        "low_trade_difference": paired_interval(by_seed[-1], by_seed[0]).low,
    }


def sprite_values(tables: dict[str, Columns]) -> dict[str, float]:
    return sprites.margins({k: v.tolist() for k, v in tables["shifts"].items()})


def language_values(tables: dict[str, Columns]) -> dict[str, float]:
    """No study of languages has used the pretrained encoders of the poster."""
    return {"poster_encoders": 0.0}


MOVED: dict[str, Callable[[dict[str, Columns]], dict[str, float]]] = {
    "closeness/width": width_values,
    "relative/densified": language_values,
    "relative/phase-diagram": phase_values,
    "relative/stitching": language_values,
    "rtd/disentanglement": sprite_values,
}
DRAWN = ("rtd/clusters", "rtd/rings")


def moved(record: StudyRecord, tables: dict[str, Columns]) -> StudyRecord:
    found: dict[str, Any] = MOVED[record.study](tables)
    values = record.values | {k: v for k, v in found.items()}
    old = [note for note in record.notes if not note.startswith("Mean d_LLV and d_fg")]
    extra = (
        width._all_seeds(found, find_study(record.study).settings[record.scale])  # type: ignore[index]
        if record.study == "closeness/width"
        else []
    )
    return replace(record, values=values, version=2, notes=(*old, *extra, NOTE))


def main() -> int:
    for record in read_records(RESULTS):
        folder = record.folder
        names = [Path(name).stem for name in record.tables]
        if record.study in MOVED and record.version == 1:
            tables = {name: columns(folder / f"{name}.csv") for name in names}
            again = moved(record, tables)
            write_sealed_json(folder / "result.json", again.to_json())
            print(f"{record.study} ({record.scale}): version 2")
        if record.study in DRAWN:
            tables = {name: columns(folder / f"{name}.csv") for name in names}
            values = {k: v for k, v in record.values.items() if v is not None}
            result = StudyResult(values=values, tables=tables)
            for name, figure in find_study(record.study).draw(result).items():
                write_figure(figure, folder, name)
                (folder / f"{name}.pdf").unlink()
            print(f"{record.study} ({record.scale}): figures")
        if record.study == "closeness/trained-synthetic" and record.scale == "paper":
            pairs = int(record.values["pairs"] or 0)
            complete = replace(record, complete=(pairs, 15_200))
            write_sealed_json(folder / "result.json", complete.to_json())
    return 0


if __name__ == "__main__":
    sys.exit(main())
