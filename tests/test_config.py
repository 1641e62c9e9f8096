"""Settings: defaults, `config` blocks, environment variables."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import similitude as sim
from similitude._base import _config


def test_blocks_change_settings_and_restore_the_defaults() -> None:
    assert _config.current() == sim.Config()
    with sim.config(workers=3, memory_budget=2**30):
        with sim.config(workers=2) as inner:
            assert (inner.workers, inner.memory_budget) == (2, 2**30)
        assert _config.current().workers == 3
    assert _config.current() == sim.Config()


def test_environment_variables_set_the_defaults() -> None:
    code = "import similitude; print(similitude.Config())"
    env = os.environ | {
        "SIMILITUDE_MEMORY_BUDGET": "1.5GiB",
        "SIMILITUDE_WORKERS": "2",
        "SIMILITUDE_CACHE_DIR": "somewhere",
    }
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"memory_budget={3 * 2**29}, workers=2" in run.stdout
    assert "somewhere" in run.stdout


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SIMILITUDE_MEMORY_BUDGET", "lots", "write bytes or a size like 2GiB"),
        ("SIMILITUDE_WORKERS", "two", "write a number like 2"),
        ("SIMILITUDE_PROGRESS", "loud", "choose 'auto'"),
    ],
)
def test_invalid_environment_variables_are_rejected(
    monkeypatch, name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(sim.InvalidInput, match=message):
        sim.Config()


@pytest.mark.parametrize(
    "change", [{"workers": 0}, {"memory_budget": 5}, {"wokers": 2}, {"progress": "x"}]
)
def test_invalid_settings_are_rejected(change: dict) -> None:
    with (
        pytest.raises(sim.InvalidInput, match=next(iter(change))),
        sim.config(**change),
    ):
        pass
    assert _config.current() == sim.Config()


def test_cache_dir_is_in_xdg_cache_home(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert sim.Config().cache_dir == tmp_path / "similitude"
