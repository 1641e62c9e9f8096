"""Conditions of all tests."""

import signal
from collections.abc import Iterator

import pytest

from report.browser import browser as browser
from report.browser import open_page as open_page


@pytest.fixture(scope="session", autouse=True)
def heard_ctrl_c() -> Iterator[None]:
    """`nohup` and `&` make processes ignore Ctrl-C, and subprocesses inherit it."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
