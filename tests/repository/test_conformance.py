"""The committed page of conformance is complete, and a wrong formula is noticed."""

import sys
from pathlib import Path

import pytest

import similitude as sim
from contract.variants import VARIANTS

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))

from benchmarks.trust import compared, explained, formulas  # noqa: E402


def test_every_measure_has_two_independent_routes() -> None:
    assert set(formulas.ROUTES) == set(sim.MEASURES)
    for measure in VARIANTS:
        routes = formulas.ROUTES[measure.name].of(measure)
        assert len(routes) >= 2, measure.label


def test_committed_page_has_a_line_for_every_variant() -> None:
    """`make trust` writes it; a new measure without conformance fails here."""
    page = (ROOT / "docs" / "conformance.md").read_text()
    missing = [m.label for m in VARIANTS if f"\n| `{m.label}` |" not in page]
    assert missing == []
    assert "not explained" not in page
    assert "(not installed)" not in page


@pytest.mark.parametrize("label", ["cka", "procrustes", "mean_cca", "rsa"])
def test_a_planted_error_of_1e_6_exceeds_the_tolerance(label: str) -> None:
    measure = sim.find_measure(label)
    line = compared.compared(measure, "n > d", 0)
    assert explained.above(line) == []
    wrong = line | {"library": line["library"] * (1 + 1e-6)}
    routes = {
        name for name, value in line["routes"].items() if value != compared.ABSENT
    }
    assert len(routes) >= 2
    assert set(explained.above(wrong)) == {*routes, "torch"}


def test_undefined_and_a_number_do_not_agree() -> None:
    line = compared.compared(sim.measures.CKA(), "constant", 0)
    assert line["library"] == compared.UNDEFINED
    assert explained.above(line) == []
    assert explained.above(line | {"library": 0.5}) == [*line["routes"], "torch"]
