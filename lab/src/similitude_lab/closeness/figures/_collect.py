"""The rows behind figures: our results, and result files of the authors' form."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from similitude.errors import InvalidInput

from ..results._authors import (
    LOSSES,
    MCCA,
    read_accuracies,
    read_distances,
    read_document,
    seeds_of,
)
from ..results._table import Kind, load_results

SETTING = (
    "model_type",
    "classes",
    "width",
    "dim",
    "fix_length_f",
    "fix_length_g",
    "split",
)
PAIR = (*SETTING, "seed_a", "seed_b")
MODEL = (*SETTING, "seed")


def key(row: dict[str, Any], names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def distances_in(
    results: Path,
    *,
    dataset_types: str,
    weight: float,
    split: str,
    date: str | None = None,
) -> list[dict[str, Any]]:
    """Distances with reduce and aggregate "max", of one weight and split."""
    ours = [row for row in _ours(results, "distances") if row["status"] == "ok"]
    rows = [
        row
        for row in _merged(ours, read_distances(results), PAIR)
        if row["model_type"].endswith(dataset_types)
        and (row["reduce"], row["aggregate"]) == ("max", "max")
        and row["weight"] == weight
        and row["split"] == split
        and math.isfinite(row["d_llv"])
        and date in {None, row["date"]}
    ]
    _check_unique(rows, PAIR, results)
    return rows


def accuracies_in(
    results: Path, *, split: str, date: str | None = None
) -> list[dict[str, Any]]:
    rows = [
        row
        for row in _merged(
            _ours(results, "accuracies"), read_accuracies(results), MODEL
        )
        if row["split"] == split
    ]
    _check_unique(rows, MODEL, results)
    return rows


def image_correlations(results: Path, dim: int) -> dict[str, list[dict[str, Any]]]:
    """m_CCA and loss difference of pairs of image models on the test set, by type."""
    found: dict[str, list[dict[str, Any]]] = {}
    losses = {key(row, MODEL): row["nll"] for row in _ours(results, "accuracies")}
    for row in _ours(results, "mcca"):
        if not row["model_type"].endswith("CIFAR10") or row["dim"] != dim:
            continue
        if row["split"] != "test" or row["status"] != "ok":
            continue
        pair = [
            losses.get((*key(row, SETTING), row[seed])) for seed in ("seed_a", "seed_b")
        ]
        if None in pair:
            continue
        found.setdefault(row["model_type"], []).append(
            _pair(row["seed_a"], row["seed_b"], row["m_cca_f"], pair)
        )
    paths = [results / f"{kind}_cifar_fd{dim}.json" for kind in ("mcca", "loss")]
    if "ResNetCIFAR10" not in found and all(path.is_file() for path in paths):
        columns, loss = read_document(paths[0], MCCA), read_document(paths[1], LOSSES)
        by_seed = dict(zip(loss["model_seed"], loss["test_loss"], strict=True))
        for text, value in zip(
            columns["model_seeds"], columns["test_f_mcca"], strict=True
        ):
            a, b = seeds_of(text, paths[0])
            if a not in by_seed or b not in by_seed:
                raise InvalidInput(f"{paths[1]} has no loss of the pair {text}.")
            row = _pair(a, b, value, [by_seed[a], by_seed[b]])
            found.setdefault("ResNetCIFAR10", []).append(row)
    return found


def _pair(a: int, b: int, m_cca: float, losses: Sequence[Any]) -> dict[str, Any]:
    return {
        "seed_a": a,
        "seed_b": b,
        "m_cca_f": float(m_cca),
        "test_loss_a": float(losses[0]),
        "test_loss_b": float(losses[1]),
        "loss_difference": abs(float(losses[0]) - float(losses[1])),
    }


def _ours(results: Path, kind: Kind) -> list[dict[str, Any]]:
    return [row.to_dict() for row in load_results(results, kind).rows]


def _merged(
    ours: list[dict[str, Any]], others: list[dict[str, Any]], names: Sequence[str]
) -> list[dict[str, Any]]:
    """Our rows, and those of the authors' files for other models."""
    have = {key(row, names) for row in ours}
    return ours + [row for row in others if key(row, names) not in have]


def _check_unique(
    rows: list[dict[str, Any]], names: Sequence[str], results: Path
) -> None:
    seen = set()
    for row in rows:
        if key(row, names) in seen:
            raise InvalidInput(
                f"{results} has two results for the same models "
                f"({row['model_type']}, K = {row['classes']}, W = {row['width']}), of "
                f"other dates, draws or seeds of draws; give a folder with one."
            )
        seen.add(key(row, names))
