"""A browser, and pages that record console messages and requests.

The fixtures are shared by all folders of tests through `conftest.py` at the root: two
browsers of one process would start Playwright twice, which it refuses.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from report import chromium


@dataclass
class Opened:
    """A page in the browser, and everything that it said or asked for."""

    page: Any
    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    chromium.check_installed()
    with chromium.launched() as found:
        yield found


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Opened]]:
    """Open an address or a file; a dialog counts as a console message."""
    contexts = []

    def open_(address: str | Path, **options: Any) -> Opened:
        context = browser.new_context(accept_downloads=True, **options)
        contexts.append(context)
        opened = Opened(context.new_page())
        page = opened.page
        page.on("console", lambda message: opened.console.append(message.text))
        page.on("pageerror", lambda error: opened.console.append(str(error)))
        page.on("dialog", lambda one: (opened.console.append("dialog"), one.dismiss()))
        page.on("request", lambda request: opened.requests.append(request.url))
        page.goto(
            address.as_uri() if isinstance(address, Path) else address,
            wait_until="load",
        )
        return opened

    yield open_
    for context in contexts:
        context.close()
