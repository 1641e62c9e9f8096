"""Every verdict can fail: each study has a control in which its claim is false."""

from dataclasses import replace
from pathlib import Path

import pytest

from controls import control_entry, run_both, twin_of
from similitude_lab.study import STUDIES as NAMES
from similitude_lab.study import Order, find_study, read_records, run_study
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
    control, twin = run_both(name, tmp_path)
    assert control.folder == tmp_path / name / "smoke-control"
    entry = {k: v for k, v in controls()[name].items() if k != "source"}
    assert control_entry(control, twin) == entry


def test_the_control_and_its_twin_differ_only_by_the_change() -> None:
    study = find_study("closeness/width")
    twin = twin_of(study).settings["smoke"]
    control = replace(twin, **study.control_setting)
    assert (twin.steps, control.steps) == (400, 5)
    assert replace(control, steps=twin.steps) == twin
    assert study.settings["smoke"].steps == 10  # the scale itself stays small


#: Orders that count, and that also fail without the change at the size of the control.
#: Larger twins would need minutes of training.
SHOWN_BY_NOTHING = {
    ("closeness/distillation", "high_d_logit_l1_minus_kl < 0.0"),
    ("closeness/distillation", "high_d_logit_l2_minus_kl < 0.0"),
    ("measures/sensitivity", "share_deleted_cka > share_deleted_procrustes"),
    ("relative/images", "low_procrustes_robust > 0.0"),
    ("relative/phase-diagram", "low_trade_highest_d > 0.0"),
    ("rtd/autoencoder", "high_rtd_lite_minus_autoencoder_16 < 0.0"),
    ("rtd/autoencoder", "high_rtd_minus_pca_16 < 0.0"),
    ("rtd/dynamics", "vgg11_pearson_rtd > vgg11_pearson_cka"),
    ("rtd/layers", "resnet20_cka_last_step > 1.0"),
    ("rtd/layers", "resnet20_rtd_last_step > 1.0"),
    ("rtd/nas-map", "p_mantel < 0.05"),
    ("rtd/nas-map", "spearman > 0.0"),
    ("rtd/shift", "rtd_disagreement_blur > cka_disagreement_blur"),
    ("rtd/shift", "rtd_disagreement_brightness > cka_disagreement_brightness"),
    ("rtd/shift", "rtd_disagreement_contrast > cka_disagreement_contrast"),
    ("rtd/shift", "rtd_disagreement_grayscale > cka_disagreement_grayscale"),
    ("rtd/shift", "rtd_disagreement_hue > cka_disagreement_hue"),
    ("rtd/shift", "rtd_disagreement_zoom > cka_disagreement_zoom"),
}


def test_the_controls_of_orders_that_count_show_something() -> None:
    found = {
        (record.study, check.key)
        for record in read_records(Path(__file__).parents[3] / "lab" / "results")
        for check in record.checks
        if check.verdict == "direction only"
        and check.key in controls()[record.study].get("fails in both", ())
    }
    assert found == SHOWN_BY_NOTHING


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
