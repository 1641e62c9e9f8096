"""A study whose source changes gets a new version, or a record of equal numbers."""

import dataclasses
import hashlib
import json
from pathlib import Path

import pytest

from similitude import __version__
from similitude_lab.study import STUDIES, _run, find_study, run_study
from similitude_lab.study._catalog import FACTS
from source_digest import module_path, source_digest

RECORD = json.loads((Path(__file__).parent / "sources.json").read_text())
ADVICE = (
    "the source of {name} changed. If its numbers changed, raise Study.version and run "
    "`python lab/tools/study_sources.py new-version {name}`. Otherwise see "
    "`same-numbers` in that file."
)


@pytest.mark.parametrize("name", STUDIES)
def test_a_changed_source_is_recorded(name: str) -> None:
    found = {"version": find_study(name).version, "source": source_digest(name)}
    assert found == RECORD.get(name), ADVICE.format(name=name)


def test_the_record_has_only_studies() -> None:
    assert list(RECORD) == list(STUDIES)


def changed(module: str, old: str, new: str) -> dict[str, str]:
    source = module_path(module).read_text()
    assert old in source
    return {module: source.replace(old, new)}


@pytest.mark.parametrize(
    ("module", "old", "new", "counts"),
    [
        ("similitude_lab.rtd._rings", "(1, 2, 3, 4, 5)", "(1, 2, 3)", True),
        ("similitude_lab.rtd._clouds", "0.75", "0.7", True),  # imported
        ("similitude_lab.rtd._rings", '"""Rings that', '"""Circles that', False),
        ("similitude_lab.rtd._rings", "\nCOUNTS", "\n\n# a comment\nCOUNTS", False),
        ("similitude_lab.study._intervals", "0.95", "0.9", True),
        ("similitude_lab.rtd._autoencoder", "PICTURE = 2", "PICTURE = 3", False),
    ],
)
def test_code_of_the_study_and_its_imports_counts(
    module: str, old: str, new: str, *, counts: bool
) -> None:
    after = source_digest("rtd/rings", changed(module, old, new))
    assert (after != source_digest("rtd/rings")) is counts


@pytest.mark.parametrize(("fact", "counts"), [("checks", True), ("lesson", False)])
def test_facts_that_decide_count(
    fact: str, *, counts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = source_digest("rtd/rings")
    monkeypatch.setitem(FACTS, "rtd/rings", {**FACTS["rtd/rings"], fact: []})
    assert (source_digest("rtd/rings") != before) is counts


def test_a_higher_version_is_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Version 1 leaves the request of stored results as it was."""
    first = run_study("rtd/rings", scale="smoke", out=tmp_path)
    study = find_study("rtd/rings")
    stored = {"study": study.name, "scale": "smoke", "seed": 0, "version": __version__}
    stored |= {"setting": {"imd_runs": 2, "library": False}}
    stored |= {"results": None, "data": None}
    content = json.dumps(stored, sort_keys=True).encode()
    assert first.request == hashlib.sha256(content).hexdigest()
    newer = dataclasses.replace(study, version=2)
    monkeypatch.setattr(_run, "find_study", lambda name: newer)
    second = run_study("rtd/rings", scale="smoke", out=tmp_path)
    assert second.request != first.request
    assert (first.version, second.version) == (1, 2)
    assert json.loads((second.folder / "result.json").read_text())["version"] == 2
    again = run_study("rtd/rings", scale="smoke", out=tmp_path)
    assert again.seconds == second.seconds  # it was read
