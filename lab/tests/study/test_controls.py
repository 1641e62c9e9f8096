"""Every verdict can fail: each study has a control in which its claim is false."""

from pathlib import Path

import pytest

from controls import control_entry
from similitude_lab.study import STUDIES as NAMES
from similitude_lab.study import Order, find_study, run_study
from similitude_lab.study._controls import controls
from source_digest import source_digest

pytest.importorskip("matplotlib")
STUDIES = [name for name in NAMES if find_study(name).checks]
FAST = ("challenges/dissimilar-pair", "rtd/rings", "closeness/kl-table")


@pytest.mark.parametrize("name", STUDIES)
def test_the_recorded_verdict_on_the_control_is_negative(name: str) -> None:
    entry = controls()[name]
    assert entry["verdict"] not in {"reproduced", "direction only"}
    assert entry["control"] == find_study(name).control
    advice = f"run `python lab/tools/controls.py {name}`"
    assert entry["source"] == source_digest(name), advice


@pytest.mark.parametrize("name", FAST)
def test_the_control_gives_the_recorded_verdict(name: str, tmp_path: Path) -> None:
    record = run_study(name, scale="smoke", out=tmp_path, control=True)
    assert record.folder == tmp_path / name / "smoke-control"
    entry = {k: v for k, v in controls()[name].items() if k != "source"}
    assert control_entry(record) == entry


@pytest.mark.parametrize("name", ["relative/densified", "relative/stitching"])
def test_the_study_is_judged_where_its_control_is_not(
    name: str, tmp_path: Path
) -> None:
    """Otherwise the control shows only that the scale smoke is too small."""
    assert controls()[name]["verdict"] == "not comparable"
    record = run_study(name, scale="smoke", out=tmp_path)
    assert record.verdict != "not comparable"


@pytest.mark.parametrize("name", STUDIES)
def test_an_order_fails_in_the_control_or_does_not_count(name: str) -> None:
    study, entry = find_study(name), controls()[name]
    values = dict.fromkeys(_names(study.checks), 1.0)
    for check in study.checks:
        if isinstance(check, Order) and not check.theorem and "smoke" in check.scales:
            key = check.judge(values, "smoke").key
            known = key in entry["fails"] or key in entry["holds"]
            assert known or check.given, key


def _names(checks: tuple) -> list[str]:
    pairs = [(c.quantity, c.given, getattr(c, "than", "")) for c in checks]
    return [name for pair in pairs for name in pair if isinstance(name, str)]


def test_every_study_has_a_lesson_of_one_sentence() -> None:
    for name in NAMES:
        lesson = find_study(name).lesson
        assert lesson.endswith("."), name
        assert ". " not in lesson, name
