"""Results that several tests of reports share."""

import pytest

from report.sample_results import many_models, two_models
from similitude import Results
from similitude.report import page


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
