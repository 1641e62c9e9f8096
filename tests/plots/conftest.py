"""Every test starts without figures and closes its own."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def _closed_figures() -> Iterator[None]:
    plt.close("all")
    yield
    plt.close("all")
