"""The committed page of calibration is complete, and notices low coverage."""

import json
import sys
from pathlib import Path

import pytest

import similitude as sim

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))

from benchmarks.common.json_lines import add_line, read_lines  # noqa: E402
from benchmarks.trust import calibration, coverage_page, p_values  # noqa: E402
from benchmarks.trust.calibration_page import diff, page, seconds  # noqa: E402
from benchmarks.trust.spent import PARTS, spent  # noqa: E402

PAGE = (ROOT / "docs" / "calibration.md").read_text()


def test_committed_page_has_no_unexplained_error() -> None:
    assert "not explained" not in PAGE
    assert "too many at" not in PAGE


def test_every_permutation_test_is_on_the_page() -> None:
    missing = [
        name for name in p_values.labels() if f"\n| `{name}` | 2000 |" not in PAGE
    ]
    assert missing == []


def test_every_printed_interval_has_a_line_on_the_page() -> None:
    """A measure that gets an interval needs cases in interval_coverage.py."""
    printed = {name for name, m in sim.MEASURES.items() if m.claims().interval}
    printed |= {n for n, m in sim.MEASURES.items() if hasattr(m, "query_rows")}
    words = " ".join(title for title, _ in coverage_page.KINDS.values())
    assert {name for name in printed if f"`{name}`" not in words} == set()
    for title, _ in coverage_page.KINDS.values():
        assert f"\n| {title} |" in PAGE


@pytest.mark.parametrize(("covers", "low"), [(0.95, False), (0.92, False), (0.9, True)])
def test_a_low_coverage_needs_a_reason(covers: float, low: bool) -> None:  # noqa: FBT001
    case = {"case": "cka, made up", "truth": 0.5, "covers": covers, "withheld": 0.0}
    text = coverage_page.coverage({"cases": [case | {"runs": 300}], "planned": 1})
    assert ("**not explained**" in text) == low


def test_a_page_without_results_says_what_was_not_run() -> None:
    names = ("coverage", "diff", "stimuli", "migrate")
    text = page({"p": [], "encoders": [], "seconds": {}, **dict.fromkeys(names)})
    assert text.count(coverage_page.NOT_RUN) == 5


def test_finished_parts_of_diff_are_on_the_page() -> None:
    rows = [{"measure": "cka", "limit": 0.9, "n": 20, "pass": 3, "inconclusive": 197}]
    text = diff({"limits": rows})
    assert "| cka | 0.9000 | 20 | 3 | 0 | 197 |" in text
    assert text.count(coverage_page.NOT_RUN) == 1
    quiet = {"runs": 9, "a layer named": 1, "largest change in floors": 3.3}
    faults = {"named": 4, "above 10 floors": 5, "by floors": {"1 to 3": [0, 2]}}
    text = diff({"faults": faults | {"kinds": {"missing norm": 5}}, "no fault": quiet})
    assert "| 4 of 5 |" in text
    assert "| 1 of 9 (largest change: 3.3 floors) |" in text
    assert text.count(coverage_page.NOT_RUN) == 1


def test_a_line_that_was_cut_off_is_left_out_and_ended(tmp_path: Path) -> None:
    path = tmp_path / "new" / "lines.jsonl"
    add_line(path, {"a": 1})
    path.write_text(path.read_text() + '{"a": 2, "b')
    add_line(path, {"a": 3})
    add_line(path, {"a": 4})
    assert read_lines(path) == [{"a": 1}, {"a": 3}, {"a": 4}]
    assert path.read_text().count("\n") == 4
    assert read_lines(tmp_path / "missing") == []


def test_kept_lines_are_unique_and_complete() -> None:
    """`make trust KEPT=1` runs what is missing: a lost line would be run again."""
    kept = ROOT / "benchmarks" / "trust" / "results"
    for path in sorted(kept.rglob("*.jsonl")):
        lines = path.read_text().splitlines()
        keys = [
            (one.get("measure"), one.get("case"), one.get("part"), one.get("runs"))
            for one in map(json.loads, lines)
        ]
        assert len(set(keys)) == len(lines), path
    assert len(read_lines(kept / "coverage" / "cases.jsonl")) == 333


def test_the_sum_of_seconds_needs_all_lines(tmp_path: Path) -> None:
    for name in PARTS.values():
        add_line(tmp_path / name, {"seconds": 100.0})
    assert "| all | 600 (10 minutes) |" in seconds(spent(tmp_path))
    add_line(tmp_path / "p_values.jsonl", {})
    text = seconds(spent(tmp_path))
    assert "| p under the null | 100 | 1 of 2 |" in text
    assert "| all |" not in text


def test_finished_cases_of_migrate_are_collected(tmp_path: Path) -> None:
    """A full run counts; a quick run of the same case does not replace it."""
    lines = [{"case": name, "runs": runs} for runs in (300, 40) for name in "ab"]
    for line in [*lines, {"case": "c", "runs": 40}]:
        add_line(tmp_path / "migrate" / "cases.jsonl", line)
    found = calibration.collected("migrate", tmp_path)
    assert found == [*lines[:2], {"case": "c", "runs": 40}]
    assert calibration.collected("migrate", tmp_path / "missing") == []
