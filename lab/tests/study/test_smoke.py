"""Every study runs at the scale smoke, and its description is complete."""

from pathlib import Path

import pytest

from similitude.measures import cite
from similitude_lab import study as studies
from similitude_lab.judging import all_claims, claims_of, run_lines
from similitude_lab.judging._judge import OUTCOMES

pytest.importorskip("matplotlib")
torch = pytest.importorskip("torch")


DEVICE = "cpu:0"  # another name of the CPU, which only an argument can bring


@pytest.fixture
def moves(monkeypatch) -> list[str]:
    """The places to which networks and tensors are moved."""
    seen: list[str] = []
    for kind in (torch.nn.Module, torch.Tensor):

        def to(self, *args, move=kind.to, **options):
            seen.append(str(options.get("device", args[0] if args else None)))
            return move(self, *args, **options)

        monkeypatch.setattr(kind, "to", to)
    return seen


@pytest.mark.parametrize("name", studies.STUDIES)
def test_every_study_runs_at_the_scale_smoke(
    name: str, tmp_path: Path, moves: list[str]
) -> None:
    """A study that trains does it on the requested device."""
    study = studies.find_study(name)
    assert study.name == name
    assert set(study.settings) == set(study.seconds) == {"smoke", "small", "paper"}
    assert study.paper in cite(study.paper)
    device = DEVICE if study.trains else "cpu"
    record = studies.run_study(name, scale="smoke", out=tmp_path, device=device)
    assert study.trains == (DEVICE in moves)
    assert record.tables
    assert record.figures
    check_printed_claims(record)


def check_printed_claims(record: studies.StudyRecord) -> None:
    """A run prints the outcome of its own tables, and nothing about committed ones."""
    lines = list(run_lines(record))
    notes = {claim.get("note") for _, _, claim in all_claims()} - {None}
    assert not any(note in line for note in notes for line in lines)
    for line in lines[::2]:
        name, rest = line.split(" ", 1)
        assert name in claims_of(record.study)
        assert rest.split(":")[0] in OUTCOMES
