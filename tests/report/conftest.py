"""A browser for the tests, and pages that record console messages and requests."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from report import chromium
from report.sample_results import many_models, two_models
from similitude import Results
from similitude.report import page


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


@pytest.fixture(scope="session")
def layered(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Two models of six layers with twins, in a results folder."""
    return two_models(tmp_path_factory.mktemp("results") / "two-models")


@pytest.fixture(scope="session")
def hundred() -> Results:
    """100 models under 10 measures."""
    return many_models()


@pytest.fixture(scope="session")
def hundred_page(hundred: Results) -> str:
    return page(hundred)
