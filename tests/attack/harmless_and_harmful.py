"""Cases with a known result, for tests of the harness."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from attack.command import Said, survived
from attack.seeds import Silent

SECONDS, ENVIRONMENT = 3, {"HARMLESS": "1"}


def wrong() -> None:
    raise AssertionError("another number")


def silent() -> None:
    raise Silent("another number, and no word about it")


def loop() -> None:
    while True:
        pass


def looping_children() -> None:
    """They and this process wait for two processors, each for a part of the time."""
    for _ in range(2):
        if not os.fork():
            loop()
    loop()


CASES: dict[str, Callable[[], object]] = {
    "fine": lambda: None,
    "wrong": wrong,
    "silent": silent,
    "error": lambda: {}[3],
    "crash": os.abort,
    "fine after a crash": lambda: os.environ["HARMLESS"],
    "hang": lambda: time.sleep(1000),
    "loop": loop,
    "looping children": looping_children,
    "fine after a hang": lambda: sys.stdout.write("not an answer\n"),
    "exit": lambda: sys.exit(1),
    "refused": lambda: survived(Said(2, "", "error: x.npy is damaged.\n")),
    "traceback": lambda: survived(Said(0, "", "Traceback (most recent ...\n")),
    "two lines": lambda: survived(Said(2, "", "error: x.npy\nis damaged.\n")),
}


def cases(full: bool) -> list[str]:
    return list(CASES)


def check(case: str, folder: Path) -> None:
    CASES[case]()
