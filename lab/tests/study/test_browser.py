"""The page of all studies in Chromium, from the committed results."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from similitude_lab import study as studies

pytest.importorskip("jinja2")

FOLDER = Path(__file__).parents[2] / "results"


def test_the_page_of_all_studies_opens_without_messages_or_requests(
    tmp_path: Path, open_page: Callable[..., Any]
) -> None:
    path = tmp_path / "studies.html"
    records = studies.write_report(FOLDER, path)
    opened = open_page(path)
    assert opened.console == []
    requests = [one for one in opened.requests if not one.startswith("data:")]
    assert requests == [path.as_uri()]
    shown = opened.page.inner_text("body")
    assert {record.study for record in records if record.study not in shown} == set()
    widths = opened.page.eval_on_selector_all(
        "img", "all => all.map(one => one.naturalWidth)"
    )
    assert len(widths) == sum(len(record.figures) for record in records)
    assert min(widths) > 0
