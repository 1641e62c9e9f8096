"""After SIGKILL at random moments, resumed training gives the same files, bit by bit.

Kills at three moments by default; ``make faults`` uses twenty. Checkpoints are written
after every third step, so many kills interrupt a write. A server process that has
imported PyTorch forks the processes to be killed.
"""

import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from similitude_lab.closeness.training._manifest import read_manifest
from similitude_lab.closeness.training._train import train_models

from .small_runs import DATE, experiment, results, unexpected

KILLS = int(os.environ.get("SIMILITUDE_KILLS", "3"))
EXPERIMENT = experiment((0, 1), steps=70)


@dataclass
class Kill:
    """A process after SIGKILL: the step of its last file, and whether it was writing.

    A process that had just finished counts as step 0.
    """

    resumed_from: int
    during_write: bool


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["similitude_lab.closeness.training._train"])
    return context


def start(server: Any, folder: Path, *, batched: bool) -> Any:
    options = {
        "date": DATE,
        "batched_seeds": batched,
        "checkpoint_every": 3,
        "threads": 1,
    }
    process = server.Process(
        target=train_models, args=(EXPERIMENT, folder), kwargs=options
    )
    process.start()
    return process


def finish(server: Any, folder: Path, *, batched: bool) -> None:
    process = start(server, folder, batched=batched)
    process.join()
    assert process.exitcode == 0


@pytest.fixture(scope="module")
def uninterrupted(server, tmp_path_factory) -> dict[bool, tuple[dict, float]]:
    """Results, and seconds from the first checkpoint to the end."""
    found = {}
    for batched in (True, False):
        folder = tmp_path_factory.mktemp("whole") / "checkpoints"
        process = start(server, folder, batched=batched)
        wait_for_a_checkpoint(folder, process)
        began = time.monotonic()
        process.join()
        assert process.exitcode == 0
        found[batched] = results(folder), time.monotonic() - began
    return found


def wait_for_a_checkpoint(folder: Path, process: Any) -> None:
    while process.is_alive() and not any(folder.glob("*.partial.json")):
        time.sleep(0.001)


def kill(process: Any, folder: Path) -> Kill:
    process.kill()
    process.join()
    assert process.exitcode in {-9, 0}
    if process.exitcode == 0:
        return Kill(0, during_write=False)
    finished = [read_manifest(path) for path in folder.glob("*_steps70.json")]
    manifests = [read_manifest(path) for path in folder.glob("*.partial.json")]
    named = {name for manifest in manifests for name in manifest.files}
    tensors = {path.name for path in folder.glob("*.partial-*.safetensors")}
    hidden = [path for path in folder.rglob("*") if path.name.startswith(".")]
    steps = [manifest.step for manifest in (*manifests, *finished)]
    return Kill(max(steps, default=0), during_write=bool(hidden) or tensors != named)


@pytest.fixture(scope="module")
def kills(server, uninterrupted, tmp_path_factory) -> list[Kill]:
    """Kill at random moments, alternating batched and single; check every result."""
    rng = np.random.default_rng(0)
    found = []
    for moment in range(KILLS):
        batched = moment % 2 == 0
        expected, seconds = uninterrupted[batched]
        folder = tmp_path_factory.mktemp("killed") / "checkpoints"
        process = start(server, folder, batched=batched)
        wait_for_a_checkpoint(folder, process)
        time.sleep(0.9 * seconds * (moment + rng.uniform()) / KILLS)
        found.append(kill(process, folder))
        finish(server, folder, batched=batched)
        assert results(folder) == expected, found[-1]
        assert unexpected(folder) == []
    return found


def test_resumed_training_has_the_same_weights_optimizer_states_and_losses(
    kills: list[Kill],
) -> None:
    """The fixture compares the files; here every moment must have been reached."""
    assert len(kills) == KILLS


@pytest.mark.skipif(KILLS < 20, reason="twenty kills: make faults")
def test_kills_interrupt_training_and_checkpoint_writes(
    kills: list[Kill], capsys
) -> None:
    resumed = sum(found.resumed_from > 0 for found in kills)
    writing = sum(found.during_write for found in kills)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{len(kills)} kills: {resumed} resumed above step 0, {writing} during "
            f"the write of a checkpoint\n"
        )
    assert resumed >= 15, kills
    assert writing >= 3, kills


def test_a_kill_during_the_write_of_a_checkpoint_loses_only_its_steps(
    server, uninterrupted, tmp_path: Path
) -> None:
    """Kill as soon as a temporary file appears."""
    expected, _ = uninterrupted[True]
    folder = tmp_path / "checkpoints"
    process = start(server, folder, batched=True)
    wait_for_a_checkpoint(folder, process)
    while process.is_alive() and not any(
        path.name.startswith(".") and ".partial-" in path.name
        for path in folder.iterdir()
    ):
        pass
    found = kill(process, folder)
    assert found.during_write
    assert found.resumed_from >= 3
    finish(server, folder, batched=True)
    assert results(folder) == expected
    assert unexpected(folder) == []
