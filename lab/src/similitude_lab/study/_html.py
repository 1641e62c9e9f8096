"""One static HTML page with the results of all studies in a folder."""

import base64
from pathlib import Path
from typing import Any

from similitude.errors import require

from .._text import write_text
from ._controls import package_text
from ._markdown import number
from ._record import StudyRecord, read_records


def write_report(folder: str | Path, path: str | Path) -> list[StudyRecord]:
    """Write one page with every result under `folder`; figures are inside the page.

    The page contains no script and requests nothing from the network.
    """
    from similitude import cite  # it loads all measures, and most commands cite nothing

    jinja = require("jinja2", feature="the page of studies", extra="report")
    records = read_records(folder)
    environment = jinja.Environment(autoescape=True, undefined=jinja.StrictUndefined)
    environment.filters["number"] = number
    page = environment.from_string(package_text("page.html.jinja")).render(
        records=records,
        pictures=[_pictures(record) for record in records],
        references=cite(*(record.paper for record in records)),
    )
    write_text(path, page)
    return records


def _pictures(record: StudyRecord) -> list[dict[str, Any]]:
    """The figures of a result as data addresses; a missing figure is skipped."""
    found = []
    for name in record.figures:
        path = record.folder / Path(name).name
        if path.is_file():
            data = base64.b64encode(path.read_bytes()).decode()
            found.append({"name": path.stem, "src": f"data:image/png;base64,{data}"})
    return found
