"""Move committed results to the present version of their studies, from their tables.

    python lab/tools/move_results.py

New versions of these studies compute further values from the same experiments: all
seeds and single steps of closeness/width, intervals of relative/phase-diagram, margins
of rtd/disentanglement, intervals of closeness/loss-vs-mcca that decide something. They
follow from the committed values and tables. Figures of DRAWN are drawn again.
"""

import csv
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from similitude.store import write_sealed_json
from similitude_lab.closeness.studies import _loss_vs_mcca as losses
from similitude_lab.closeness.studies import _trained_synthetic as synthetic
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
NOTE = "Values that version {} of the study added were computed from the tables."
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
    """No committed result has the images of dSprites."""
    margins = sprites.margins({k: v.tolist() for k, v in tables["shifts"].items()})
    return margins | {"dsprites": 0.0}


def loss_values(tables: dict[str, Columns]) -> dict[str, float]:
    """The interval of each M again, from its pairs, and whether it decides."""
    found: dict[str, float] = {}
    for dim in (2, 3, 5):
        own = Frame(tables["pairs"]).where(dim=dim)
        loss = dict(zip(own["seed_a"], own["loss_a"], strict=True))
        loss |= dict(zip(own["seed_b"], own["loss_b"], strict=True))
        seeds = sorted(loss)
        index = np.array([np.searchsorted(seeds, own[f"seed_{s}"]) for s in "ab"])
        values = np.array([loss[seed] for seed in seeds])
        _, low, high = losses._jackknife_interval(own["m_cca"], values, index)
        found |= {f"low_{dim}": low, f"high_{dim}": high}
        found |= losses.strength(dim, low, high)
    return found


def language_values(tables: dict[str, Columns]) -> dict[str, float]:
    """No study of languages has used the pretrained encoders of the poster."""
    return {"poster_encoders": 0.0}


MOVED: dict[str, Callable[[dict[str, Columns]], dict[str, float]]] = {
    "closeness/loss-vs-mcca": loss_values,
    "closeness/width": width_values,
    "relative/densified": language_values,
    "relative/phase-diagram": phase_values,
    "relative/stitching": language_values,
    "rtd/disentanglement": sprite_values,
}
DRAWN = ("closeness/loss-vs-mcca", "rtd/clusters", "rtd/rings")


def moved(record: StudyRecord, tables: dict[str, Columns]) -> StudyRecord:
    found: dict[str, Any] = MOVED[record.study](tables)
    values = record.values | {k: v for k, v in found.items()}
    old = [note for note in record.notes if not note.startswith("Mean d_LLV and d_fg")]
    extra = (
        width._all_seeds(found, find_study(record.study).settings[record.scale])  # type: ignore[index]
        if record.study == "closeness/width"
        else []
    )
    version = find_study(record.study).version
    note = NOTE.format(version)
    return replace(record, values=values, version=version, notes=(*old, *extra, note))


def main() -> int:
    for record in read_records(RESULTS):
        folder = record.folder
        names = [Path(name).stem for name in record.tables]
        version = find_study(record.study).version
        if record.study in MOVED and record.version < version:
            tables = {name: columns(folder / f"{name}.csv") for name in names}
            again = moved(record, tables)
            write_sealed_json(folder / "result.json", again.to_json())
            print(f"{record.study} ({record.scale}): version {version}")
            record = replace(again, folder=folder)
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
            models = Frame(columns(folder / "accuracies.csv"))
            free = {"classes": 4, "fix_length_f": 0, "fix_length_g": 0}
            values = record.values | {
                f"accuracy_4_{w}": float(np.median(own["accuracy"]))
                for w in synthetic.WIDTHS
                for own in [models.where(width=w, seed=synthetic.SEEDS, **free)]
            }
            complete = replace(record, complete=(pairs, 15_200), values=values)
            write_sealed_json(folder / "result.json", complete.to_json())
    return 0


if __name__ == "__main__":
    sys.exit(main())
