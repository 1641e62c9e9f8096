"""A subset of `make attack`, and the harness itself."""

from pathlib import Path

import pytest

from attack import harmless_and_harmful
from attack.__main__ import ATTACKS
from attack.sandbox import attack

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("name", ATTACKS)
def test_all_cases_of_the_subset_survive(name: str) -> None:
    tally = attack(name, full=False)
    assert tally.tried >= 2 or name == "report_sinks"  # tests/report has these
    assert tally.failures == {}


def test_every_attack_is_tried() -> None:
    modules = {p.stem for p in FOLDER.glob("*.py") if "\ndef cases(" in p.read_text()}
    assert modules - {"harmless_and_harmful"} == set(ATTACKS)


def test_crashes_hangs_and_wrong_results_are_found() -> None:
    tally = attack("harmless_and_harmful", full=True, children=2)
    assert tally.tried == len(harmless_and_harmful.cases(full=True))
    assert tally.silent == 1
    assert {
        case: problem.split(":")[0] for case, problem in tally.failures.items()
    } == {
        "wrong": "AssertionError at harmless_and_harmful.py",
        "silent": "Silent at harmless_and_harmful.py",
        "error": "KeyError at harmless_and_harmful.py",
        "crash": "crash",
        "hang": "hang",
        "loop": "hang",
        "looping children": "hang",
        "exit": "SystemExit at harmless_and_harmful.py",
        "traceback": "AssertionError at command.py",
        "two lines": "AssertionError at command.py",
    }
