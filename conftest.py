"""Conditions of all tests."""

import functools
import gc
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import systems.hidden

# Before the package is imported: `make systems` sets it to macos or windows.
if system := os.environ.get("HIDDEN_SYSTEM"):
    systems.hidden.hide(system)

from report.browser import browser as browser
from report.browser import open_page as open_page
from similitude._base import _config

# The default budget is a share of the memory of the machine. No test may depend on it.
os.environ.setdefault("SIMILITUDE_MEMORY_BUDGET", "8GiB")

LONG = {"test_examples.py", "test_monitor.py"}
# Tests outside these folders that start no processes are quick.
SLOW = {"attack", "contract", "documentation", "lab", "old_files", "repository"}
PROCESSES = re.compile(
    r"subprocess|\bSTART\b|\bstart\(|playwright|chromium|nbclient|multiprocessing|machines"
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _is_quick(item.path):
            item.add_marker("quick")
    # A long test at the end would run alone.
    items.sort(key=lambda item: (item.path.name not in LONG, _is_quick(item.path)))


def pytest_xdist_auto_num_workers() -> int:
    """One more than cores: tests that wait for other processes leave one idle."""
    return 1 + (os.cpu_count() or 1)


def pytest_collection_finish() -> None:
    """A full garbage collection among all modules of all tests takes half a second."""
    gc.collect()
    gc.freeze()


@functools.cache
def _is_quick(path: Path) -> bool:
    folders = path.relative_to(Path(__file__).parent).parts
    return not SLOW & set(folders) and not PROCESSES.search(path.read_text("utf-8"))


_STATES: dict[int, dict[str, Any]] = {}


@pytest.fixture(autouse=True)
def same_draws(request: pytest.FixtureRequest) -> None:
    """Each test draws the same values, whichever tests of its module ran before it."""
    for value in vars(getattr(request, "module", None) or object).values():
        if isinstance(value, np.random.Generator):
            generator = value.bit_generator
            generator.state = _STATES.setdefault(id(generator), generator.state)


@pytest.fixture(scope="session", autouse=True)
def settings() -> None:
    """The environment is read once: before a test changes it."""
    _config.current()


@pytest.fixture(scope="session", autouse=True)
def heard_ctrl_c() -> Iterator[None]:
    """`nohup` and `&` make processes ignore Ctrl-C, and subprocesses inherit it."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
