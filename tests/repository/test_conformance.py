"""The committed page of conformance is complete, and a wrong formula is noticed."""

import re
import sys
from pathlib import Path

import pytest

import similitude as sim
from contract.variants import VARIANTS

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))

from benchmarks.trust import compared, explained, formulas, page  # noqa: E402


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


def test_no_tolerance_is_too_large_to_fail() -> None:
    """In float32, rounding times the condition may be larger than the score."""
    line = compared.compared(sim.measures.PWCCA(), "float32", 0)
    assert line["tolerance"] > 0.1
    assert explained.above(line) == []
    wrong = line | {"library": line["library"] + 2e-3}
    assert set(explained.above(wrong)) == {*line["routes"], "torch"}


def test_undefined_and_a_number_do_not_agree() -> None:
    line = compared.compared(sim.measures.CKA(), "constant", 0)
    assert line["library"] == compared.UNDEFINED
    assert explained.above(line) == []
    assert explained.above(line | {"library": 0.5}) == [*line["routes"], "torch"]


def test_the_page_counts_the_cases_of_its_lines(tmp_path: Path) -> None:
    """A quick run has half of the cases, and no deviation that needs a reason."""
    lines = [compared.compared(sim.measures.CKA(), c, 0) for c in ("n > d", "constant")]
    page.write(lines, {}, tmp_path / "page.md")
    (result,) = re.findall(
        "## Result\n\n(.*?)\n\n## ", (tmp_path / "page.md").read_text(), re.S
    )
    assert "in 2 of 10 cases with 1 seed each. 0 of them" in result
    assert "more than [their tolerance](#tolerance).\n" in result
    assert "In 0 lines in float64 the tolerance is above 1e-6 of the score.\n" in result
