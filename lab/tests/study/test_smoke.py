"""Every study runs at the scale smoke, and its description is complete."""

from pathlib import Path

import pytest

from similitude.measures import cite
from similitude_lab import study as studies

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("name", studies.STUDIES)
def test_every_study_runs_at_the_scale_smoke(name: str, tmp_path: Path) -> None:
    study = studies.find_study(name)
    assert study.name == name
    assert set(study.settings) == set(study.seconds) == {"smoke", "small", "paper"}
    assert study.paper in cite(study.paper)
    record = studies.run_study(name, scale="smoke", out=tmp_path)
    assert record.tables
    assert record.figures
    assert {check.quantity for check in study.checks} <= set(record.values)
