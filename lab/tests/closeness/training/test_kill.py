"""After SIGKILL at random moments, resumed training gives the same files, bit by bit.

Kills at three moments by default; ``make faults`` uses twenty. Checkpoints are written
after every third step, so many kills interrupt a write. A server process that has
imported PyTorch forks the processes to be killed.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from similitude.errors import InvalidInput
from similitude_lab.closeness.training._manifest import read_manifest
from similitude_lab.closeness.training._train import train_models

from .small_runs import DATE, experiment, results, unexpected

KILLS = int(os.environ.get("SIMILITUDE_KILLS", "3"))
STEPS = 70
EXPERIMENT = experiment((0, 1), steps=STEPS)


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
def uninterrupted(server, tmp_path_factory) -> dict[bool, dict]:
    found = {}
    for batched in (True, False):
        folder = tmp_path_factory.mktemp("whole") / "checkpoints"
        finish(server, folder, batched=batched)
        found[batched] = results(folder)
    return found


def is_paused(process: Any) -> bool:
    """Pause a process, and wait until it stands still; False if it has ended."""
    with contextlib.suppress(ProcessLookupError, FileNotFoundError):
        os.kill(process.pid, signal.SIGSTOP)
        status = Path(f"/proc/{process.pid}/stat")
        while process.is_alive():
            if status.read_text().rpartition(")")[2].split()[0] == "T":
                return True
    return False


def kill(process: Any, folder: Path, step: int, *, during_write: bool) -> Kill:
    """Kill a process at a step, or while it writes a file after that step.

    It is paused before the last look at its files, so that it cannot leave the moment.
    """

    def is_writing() -> bool:
        return any(name.startswith(".") for name in os.listdir(folder))

    near = False
    while process.is_alive():
        time.sleep(0.0005 if near else 0.01)
        with contextlib.suppress(FileNotFoundError, InvalidInput):  # it is replaced
            near = near or state(folder).resumed_from >= step
        if near and (is_writing() or not during_write) and is_paused(process):
            found = state(folder)
            if found.during_write or not during_write:
                process.kill()
                process.join()
                return found
            os.kill(process.pid, signal.SIGCONT)
    process.join()
    assert process.exitcode == 0
    return Kill(0, during_write=False)


def state(folder: Path) -> Kill:
    finished = [read_manifest(path) for path in folder.glob(f"*_steps{STEPS}.json")]
    manifests = [read_manifest(path) for path in folder.glob("*.partial.json")]
    named = {name for manifest in manifests for name in manifest.files}
    tensors = {path.name for path in folder.glob("*.partial-*.safetensors")}
    hidden = [path for path in folder.rglob("*") if path.name.startswith(".")]
    steps = [manifest.step for manifest in (*manifests, *finished)]
    return Kill(max(steps, default=0), during_write=bool(hidden) or tensors != named)


@pytest.fixture(scope="module")
def kills(server, uninterrupted, tmp_path_factory) -> list[Kill]:
    """Kill at random steps, alternating batched and single; check every result."""
    rng = np.random.default_rng(0)
    found = []
    for moment in range(KILLS):
        batched = moment % 2 == 0
        folder = tmp_path_factory.mktemp("killed") / "checkpoints"
        process = start(server, folder, batched=batched)
        step = int(STEPS * (moment + rng.uniform()) / (KILLS + 1))
        found.append(kill(process, folder, step, during_write=moment % 3 == 0))
        finish(server, folder, batched=batched)
        assert results(folder) == uninterrupted[batched], found[-1]
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
    """Kill while a temporary file exists."""
    folder = tmp_path / "checkpoints"
    process = start(server, folder, batched=True)
    found = kill(process, folder, 3, during_write=True)
    assert found.during_write
    assert found.resumed_from >= 3
    finish(server, folder, batched=True)
    assert results(folder) == uninterrupted[True]
    assert unexpected(folder) == []
