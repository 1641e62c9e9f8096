"""After SIGKILL at random moments, resumed training gives the same files, bit by bit.

Kills once by default; ``make faults`` kills twenty times.
"""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

from similitude_lab.training.images import train_images

from .small_requests import request

KILLS = int(os.environ.get("SIMILITUDE_KILLS", "1"))
EPOCHS = max(8, 2 * KILLS)

START = """
import sys
sys.path.insert(0, sys.argv[2])
from small_requests import request
from similitude_lab.training.images import train_images
train_images(request(epochs=int(sys.argv[3])), sys.argv[1])
"""


def tensors(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*.safetensors")}


def test_a_killed_training_resumes_with_the_same_weights(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    train_images(request(epochs=EPOCHS), whole)
    command = [
        sys.executable,
        "-c",
        START,
        str(killed),
        str(Path(__file__).parent),
        str(EPOCHS),
    ]
    moments = random.Random(0)
    seen = 0
    for _ in range(KILLS):
        process = subprocess.Popen(command)
        target = seen + 1 + moments.randrange(max(1, EPOCHS // (2 * KILLS)))
        while len(list(killed.rglob("epoch-*"))) <= target and process.poll() is None:
            time.sleep(0.002)
        time.sleep(moments.random() * 0.05)
        process.kill()
        assert process.wait() != 0, "the training was finished before it was killed"
        seen = len(list(killed.rglob("epoch-*"))) - 1
    steps: list[int] = []
    train_images(
        request(epochs=EPOCHS),
        killed,
        progress=lambda stage, done, total: steps.append(done),
    )
    assert 0 < len(steps) < 3 * EPOCHS, "finished epochs were trained again"
    assert tensors(killed) == tensors(whole)
