"""The plan of a study names its options, the paper's options, and the cost."""

from pathlib import Path

import pytest

import similitude as sim
from similitude_lab.study import STUDIES, find_study, plan_text, read_records
from similitude_lab.study._plan import (
    RUN_HERE,
    _paper_settings,
    differences,
    options,
    paper_setting,
)

PAPER_SETTINGS = list(_paper_settings())


@pytest.mark.parametrize("name", STUDIES)
def test_the_plan_of_the_paper_has_options_data_and_time(name: str) -> None:
    study = find_study(name)
    text = plan_text(study, "paper")
    for option, value in options(study.settings["paper"]):
        assert f"{option} = {value}" in text
    assert "data: " in text
    assert "on two cores" in text


def test_the_table_of_the_papers_has_every_study() -> None:
    assert PAPER_SETTINGS == list(STUDIES)


@pytest.mark.parametrize("name", PAPER_SETTINGS)
def test_the_scale_paper_has_the_settings_of_the_paper(name: str) -> None:
    published, sentences = paper_setting(name)
    assert published or sentences
    assert differences(find_study(name), "paper") == {}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("relative/densified", "Amazon reviews"),
        ("relative/stitching", "Amazon reviews"),
        ("rtd/disentanglement", "dSprites"),
        ("rtd/nas-map", "NAS-Bench-NLP"),
        ("rtd/transfer", "CIFAR-100"),
    ],
)
def test_the_plan_names_the_data_of_the_paper_and_how_to_give_them(
    name: str, data: str
) -> None:
    """Five studies use other data if the published data are not at hand."""
    assert any(data in s and "--data" in s for s in paper_setting(name)[1])


def test_a_different_setting_is_named() -> None:
    text = plan_text(find_study("rtd/dynamics"), "small")
    assert "the paper has trainings[0].epochs = 100" in text
    assert "never run here" not in text
    assert "7 networks, 140 epochs; `similitude study train rtd/dynamics" in text
    assert "never run here" in plan_text(find_study("rtd/dynamics"), "paper")


def test_a_partly_run_scale_is_named() -> None:
    """Each committed result of the scale paper that lacks experiments says so."""
    text = plan_text(find_study("closeness/trained-synthetic"), "paper")
    assert text.endswith("run here in part: 3,080 of 15,200 pairs")
    assert text.count("never run here") == 0
    records = read_records(Path(__file__).parents[3] / "lab" / "results")
    paper = {r.study: r for r in records if r.scale == "paper"}
    assert set(paper) == set(RUN_HERE)
    lacking = paper["closeness/trained-synthetic"].complete
    assert "{:,} of {:,}".format(*lacking) in text


def test_an_unknown_scale_is_an_error() -> None:
    with pytest.raises(sim.InvalidInput, match="smoke, small, paper"):
        plan_text(find_study("rtd/rings"), "large")  # type: ignore[arg-type]
