"""The printed numbers of the papers: lab/published, one row per number."""

import csv
import functools
from pathlib import Path


def lab_folder(name: str) -> Path:
    """lab/NAME in a checkout; the same files are in the package of a wheel."""
    installed = Path(__file__).parents[1] / name
    return installed if installed.is_dir() else Path(__file__).parents[3] / name


@functools.cache
def printed(paper: str) -> dict[str, dict[str, str]]:
    """Place in the paper -> name of the number -> its text; empty without a file."""
    path = lab_folder("published") / f"{paper}.csv"
    found: dict[str, dict[str, str]] = {}
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                cell = f"{row['row']} {row['column']}".strip()
                found.setdefault(row["place"], {})[cell] = row["printed"]
    return found


def published(paper: str, *places: str) -> dict[str, float]:
    """Numbers of places for figures; a name is as in ``rtd_disagreement_noise``."""
    return {
        "_".join(reversed(cell.split())): float(text)
        for place in places
        for cell, text in printed(paper)[place].items()
    }
