"""Configuration, seeds, workers: how, never what."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import similitude as sim
from similitude import _config
from similitude._parallel import pmap
from similitude._seed import as_seed


def test_defaults_and_blocks() -> None:
    assert _config.current() == sim.Config()
    with sim.config(workers=3, memory_budget=2**30):
        with sim.config(workers=2) as inner:
            assert (inner.workers, inner.memory_budget) == (2, 2**30)
        assert _config.current().workers == 3
    assert _config.current() == sim.Config()


def test_environment() -> None:
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
def test_bad_environment(monkeypatch, name: str, value: str, message: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(sim.InvalidInput, match=message):
        sim.Config()


@pytest.mark.parametrize(
    "change", [{"workers": 0}, {"memory_budget": 5}, {"wokers": 2}, {"progress": "x"}]
)
def test_bad_settings_are_refused(change: dict) -> None:
    with (
        pytest.raises(sim.InvalidInput, match=next(iter(change))),
        sim.config(**change),
    ):
        pass
    assert _config.current() == sim.Config()


def test_cache_dir_follows_xdg(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert sim.Config().cache_dir == tmp_path / "similitude"


def test_seed_is_a_value() -> None:
    def draw(seed: np.random.SeedSequence) -> float:
        return np.random.default_rng(seed).random()

    assert draw(as_seed(3)) == draw(as_seed(np.int64(3))) != draw(as_seed(4))
    sequence = np.random.SeedSequence(3)
    assert as_seed(sequence) is sequence
    generator = np.random.default_rng(3)
    first, second = as_seed(generator), as_seed(generator)
    assert draw(first) == draw(first) != draw(second)


@pytest.mark.parametrize("rng", [None, -1, 1.5, True, "0"])
def test_bad_seeds_are_refused(rng: object) -> None:
    with pytest.raises(sim.InvalidInput, match="rng must be"):
        as_seed(rng)


def _product(seed: int) -> tuple[np.ndarray, list[int], int]:
    x = np.random.default_rng(seed).normal(size=(300, 300))
    threads = [pool["num_threads"] for pool in threadpool_info()]
    return x @ x, threads, _config.current().memory_budget


def test_workers_change_no_bit_and_use_one_thread_each() -> None:
    with sim.config(memory_budget=2**25):
        alone = pmap(_product, range(4))
        with sim.config(workers=2):
            shared = pmap(_product, range(4))
    for (a, threads_a, _), (b, threads_b, budget) in zip(alone, shared, strict=True):
        np.testing.assert_array_equal(a, b)
        assert set(threads_a) == set(threads_b) == {1}
        assert budget == 2**25  # settings travel
