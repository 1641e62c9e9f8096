"""A process that runs extractions in children, so that a test can kill them.

Each line of stdin is a folder. The child extracts into it and writes its messages to
the file ``FOLDER.log``. ``FOLDER.log.began`` has one byte per report of progress. The
parent prints the id of the child, then its exit code. One parent imports PyTorch only
once.
"""

import os
import sys
import time

import torch
from torch import nn

import similitude as sim
import similitude.networks.extraction  # before the fork: children do not import it

SAMPLES, BATCH, PAUSE = 240, 4, 0.004


class Slow(nn.Module):
    """A recurrent block that is called twice, and takes some milliseconds."""

    def __init__(self) -> None:
        super().__init__()
        self.block = nn.Sequential(nn.Conv2d(3, 3, 3, padding=1), nn.ReLU())
        self.head = nn.Linear(48, 5)

    def forward(self, x):
        time.sleep(PAUSE)
        return self.head(self.block(self.block(x)).flatten(1))


class Log:
    unit = ""

    def __init__(self, path: str) -> None:
        self.path = path

    def __call__(self, stage: str, done: int, total: int) -> None:
        with open(f"{self.path}.began", "a", encoding="utf-8") as file:
            file.write(".")

    def say(self, text: str) -> None:
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(text)


def extract(out: str) -> None:
    torch.manual_seed(0)
    model, data = Slow(), torch.randn(SAMPLES, 3, 4, 4)
    sim.extract(
        model,
        data,
        layers=["block", "block.0", "head"],
        reducer={"block.0": "positions", "*": "flatten"},
        out=out,
        batch_size=BATCH,
        progress=Log(f"{out}.log"),
    )


def main() -> None:
    torch.set_num_threads(1)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            extract(line.strip())
            os._exit(0)
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
