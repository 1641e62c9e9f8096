"""The command line in this process, in a folder with the authors' models."""

from pathlib import Path

import pytest

from shared.close_dist import FOLDER


@pytest.fixture
def run(monkeypatch, capsys, tmp_path: Path):
    """Run a command in an empty folder; return the exit code, stdout and stderr."""
    from similitude.cli import main

    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main(list(arguments))
        said = capsys.readouterr()
        return int(stop.value.code or 0), said.out, said.err

    return call


@pytest.fixture
def with_models(tmp_path: Path) -> None:
    """A folder `checkpoints` with the authors' models of K = 4."""
    (tmp_path / "checkpoints").symlink_to(FOLDER)
