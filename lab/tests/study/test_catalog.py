"""The facts of studies in studies.toml: complete, checked, and stated once."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from similitude_lab.study import STUDIES, described, find_study
from similitude_lab.study._catalog import FACTS, FILE, PAPERS

ROOT = Path(find_study.__code__.co_filename).parents[1]


@dataclass(frozen=True)
class Setting:
    seeds: int
    widths: tuple[tuple[int, ...], ...] = ()


FOUND = {
    "module": "rtd._none",
    **{"title": "t", "paper": "p", "where": "w", "claim": "c"},
    "seconds": {"smoke": 1, "small": 2, "paper": 3},
    "settings": {"small": {"seeds": 5, "widths": [[1, 2], [3]]}, "smoke": {"seeds": 1}},
}


def test_every_module_with_a_study_is_in_the_file_of_its_paper() -> None:
    named = set()
    for path in ROOT.rglob("*.py"):
        for name in re.findall(
            r'^STUDY = described\(\s*"([^"]+)"', path.read_text(), re.M
        ):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            assert STUDIES[name] == module
            named.add(name)
    assert named == set(STUDIES)
    assert {name.split("/")[0] for name in STUDIES} == set(PAPERS)
    assert {path.parent.name for path in ROOT.glob(f"*/{FILE}")} == set(PAPERS)


def test_a_study_has_the_facts_of_the_file_and_what_its_module_adds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(FACTS, "rtd/new", FOUND)
    study = described("rtd/new", setting=Setting, run=None, draw=None, version=3)
    assert study.settings == {
        "smoke": Setting(1, ((1, 2), (3,))),
        "small": Setting(5, ((1, 2), (3,))),
        "paper": Setting(5, ((1, 2), (3,))),
    }
    assert (study.name, study.version, study.needs) == ("rtd/new", 3, ())


@pytest.mark.parametrize(
    "wrong",
    [
        {"tittle": "t"},
        {"settings": {"small": {"seed": 5}}},
        {"settings": {"smal": {"seeds": 5}}},
    ],
)
def test_a_misspelled_fact_is_an_error(
    wrong: dict, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FACTS, "rtd/new", FOUND | wrong)
    with pytest.raises(TypeError, match="unexpected keyword"):
        described("rtd/new", setting=Setting, run=None, draw=None)


def test_studies_can_have_the_settings_of_another() -> None:
    for one, other in (
        ("rtd/rings", "rtd/clusters"),
        ("closeness/loss-vs-mcca", "closeness/cifar10-reps"),
    ):
        assert find_study(one).settings == find_study(other).settings
