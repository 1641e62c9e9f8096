"""The numbers of the page on CKA between layers come from the committed study."""

import csv
import re
from pathlib import Path

import numpy as np

import similitude as sim
from similitude_lab import study as studies
from similitude_lab.study import StudyRecord

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "cka_between_layers.md").read_text()


def quoted() -> dict[str, str]:
    """Names of quantities and their values as the page prints them."""
    return dict(re.findall(r"^\| `(\w+)` \| (-?[\d.]+) \|", PAGE, flags=re.M))


def committed() -> StudyRecord:
    records = studies.read_records(ROOT / "lab" / "results")
    return next(record for record in records if record.study == "rtd/cka-layers")


def test_the_page_has_the_numbers_of_the_study() -> None:
    record, found = committed(), quoted()
    assert len(found) > 12
    for name, text in found.items():
        digits = len(text.partition(".")[2])
        assert f"{record.values[name]:.{digits}f}" == text, name


def test_the_page_has_the_range_of_cka_between_seeds() -> None:
    with (committed().folder / "layers.csv").open(newline="") as file:
        scores = [
            float(row["score"])
            for row in csv.DictReader(file)
            if (row["measure"], row["state"], row["kind"])
            == ("cka", "trained", "between")
        ]
    assert len(scores) == 16
    assert f"are between {min(scores):.2f} and {max(scores):.2f}." in PAGE


def test_a_universal_kernel_sees_dependence_without_correlation() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((400, 1))
    dependent, independent = x**2, rng.standard_normal((400, 1)) ** 2
    assert abs(sim.cka(x, dependent)) < 0.05
    assert sim.cka(x, dependent, kernel="rbf") > 0.2
    assert abs(sim.cka(x, independent, kernel="rbf")) < 0.05
