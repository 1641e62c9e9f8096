"""Debian's Chromium, driven by Playwright."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

MISSING = "Chromium is not installed: run `make system-deps`."


def executable() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


def check_installed() -> None:
    """Skip the test without a browser; on a server of continuous integration, fail."""
    if executable() is not None:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(MISSING)
    pytest.skip(MISSING)


@contextmanager
def launched() -> Iterator[Any]:
    """A headless browser. Containers do not allow the sandbox of Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable(), args=["--no-sandbox"]
        )
        yield browser
        browser.close()
