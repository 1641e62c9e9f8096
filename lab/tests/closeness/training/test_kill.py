"""After SIGKILL at random steps, resumed training gives the same files, bit by bit.

Three kills by default; ``make faults`` uses twenty. Moments are steps, read from the
names of the checkpoints, so they do not depend on the speed of the machine. Checkpoints
are written after every third step. Every second kill waits for a temporary file, to
interrupt a write. A server process that has imported PyTorch forks the processes to be
killed.
"""

import multiprocessing
import os
import re
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
STEPS = 70
EXPERIMENT = experiment((0, 1), steps=STEPS)
TRIES = 30  # of a kill that came after the end, or after the write


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


def steps_written(folder: Path) -> int:
    """The steps of finished seeds and of the newest checkpoint, from names of files."""
    names = [path.name for path in folder.glob("[!.]*")]
    partial = [re.search(r"\.partial-(\d+)\.safetensors$", name) for name in names]
    finished = sum(name.endswith(f"_steps{STEPS}.json") for name in names)
    return STEPS * finished + max((int(p[1]) for p in partial if p), default=0)


def is_writing(folder: Path) -> bool:
    return any(folder.glob(".*.partial-*"))


def kill_at(
    server: Any, root: Path, step: int, *, batched: bool, writing: bool
) -> tuple[Kill, Path]:
    """Kill a process at this step; repeat if it has ended, or was not writing."""
    for attempt in range(TRIES):
        folder = root / str(attempt) / "checkpoints"
        process = start(server, folder, batched=batched)
        while process.is_alive() and steps_written(folder) < step:
            time.sleep(0.001)
        while writing and process.is_alive() and not is_writing(folder):
            pass
        found = kill(process, folder)
        if found.resumed_from and (found.during_write or not writing):
            break
    return found, folder


def kill(process: Any, folder: Path) -> Kill:
    process.kill()
    process.join()
    assert process.exitcode in {-9, 0}
    if process.exitcode == 0:
        return Kill(0, during_write=False)
    finished = [read_manifest(path) for path in folder.glob(f"*_steps{STEPS}.json")]
    manifests = [read_manifest(path) for path in folder.glob("*.partial.json")]
    named = {name for manifest in manifests for name in manifest.files}
    tensors = {path.name for path in folder.glob("*.partial-*.safetensors")}
    hidden = [path for path in folder.rglob("*") if path.name.startswith(".")]
    steps = [manifest.step for manifest in (*manifests, *finished)]
    return Kill(max(steps, default=0), during_write=bool(hidden) or tensors != named)


@pytest.fixture(scope="module")
def kills(server, uninterrupted, tmp_path_factory) -> list[Kill]:
    """Kill at random steps, batched and single, and check every result."""
    rng = np.random.default_rng(0)
    found = []
    for moment in range(KILLS):
        batched = moment % 2 == 0
        total = STEPS if batched else 2 * STEPS
        killed, folder = kill_at(
            server,
            tmp_path_factory.mktemp("killed"),
            3 + int(0.8 * total * (moment + rng.uniform()) / KILLS),
            batched=batched,
            writing=moment % 4 < 2,
        )
        found.append(killed)
        finish(server, folder, batched=batched)
        assert results(folder) == uninterrupted[batched], killed
        assert unexpected(folder) == []
    return found


def test_resumed_training_has_the_same_weights_optimizer_states_and_losses(
    kills: list[Kill], capsys
) -> None:
    """The fixture compares the files; here every moment must have been reached."""
    resumed = sum(found.resumed_from > 0 for found in kills)
    writing = sum(found.during_write for found in kills)
    if KILLS >= 20:
        with capsys.disabled():
            sys.stdout.write(f"\n{KILLS} kills, {writing} during a write\n")
    assert resumed == KILLS, kills
    assert writing >= KILLS // 2, kills


def test_a_kill_during_the_write_of_a_checkpoint_loses_only_its_steps(
    server, uninterrupted, tmp_path: Path
) -> None:
    found, folder = kill_at(server, tmp_path, 3, batched=True, writing=True)
    assert found.during_write
    assert found.resumed_from >= 3
    finish(server, folder, batched=True)
    assert results(folder) == uninterrupted[True]
    assert unexpected(folder) == []
