"""The page: one HTML file with style, script and data inside."""

import base64
import hashlib
import importlib.resources
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .._base._printable import printable_lines, script_json
from ..advice import Description, describe
from ..engine import Results, Stimuli
from ..errors import in_shell, require
from ..store import given_representations, write_atomically
from ._data._aggregate import fit_page
from ._data._agreement import agreement_of
from ._data._barcodes import topology_of
from ._data._columns import columns_of
from ._data._items import items_of, shown
from ._data._maps import maps_of
from ._data._measures import measures_of
from ._data._stimuli import stimuli_of
from ._words._overview import baseline_names, overview
from ._words._provenance import provenance
from ._words._sections import sections
from ._words._stitching import Stitching, stitching_section

# The files of the script, in the order in which they are joined.
SCRIPTS = (
    *("data", "numbers", "svg", "colors", "heatmap"),
    *("sections/matrix", "sections/layers", "sections/map", "sections/tree"),
    *("sections/dynamics", "sections/opening", "sections/pair", "sections/topology"),
    *("sections/agreement", "sections/stimuli", "downloads", "live", "main"),
)


def write_page(
    results: Results,
    path: str | Path,
    *,
    stitching: Stitching | None = None,
    stimuli: Stimuli | None = None,
    spaces: Any = (),
    title: str = "Comparison of representations",
    live: float = 0,
) -> None:
    """Write one self-contained HTML file (extra ``report``).

    Parameters
    ----------
    results
        The result of `similitude.compare` or `Results.load`.
    path
        The HTML file; it is overwritten.
    stitching
        A table of `similitude.latent.stitching.stitching_table`, for one more section.
    stimuli
        The result of `Results.stimuli`, for one more section.
    spaces
        Representations as for `compare`, for a section that describes each of them.
    title
        The heading of the page.
    live
        For a comparison that is still running and writes the page again: after this
        number of seconds, an open page reloads itself.
    """
    text = page(
        results,
        stitching=stitching,
        stimuli=stimuli,
        spaces=spaces_of(spaces),
        title=title,
        live=live,
    )
    content = text.encode()
    write_atomically(path, lambda file: file.write(content))


def page(
    results: Results,
    *,
    stitching: Stitching | None = None,
    stimuli: Stimuli | None = None,
    spaces: Sequence[Description] = (),
    title: str = "Comparison of representations",
    live: float = 0,
) -> str:
    """The HTML text. Equal results give equal text, in Python and in the shell."""
    jinja = require("jinja2", feature="a report", extra="report")
    with in_shell():  # options in notes are named as in the shell
        parts = _parts(results, stitching, stimuli, spaces, live)
    environment = jinja.Environment(
        autoescape=True,
        undefined=jinja.StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["fixed"] = lambda x, k=1: "-" if x is None else f"{x:.{k}f}"
    markup = require("markupsafe", feature="a report", extra="report").Markup
    style, script = _static("report.css"), _script()
    template = environment.from_string(_static("page.html.jinja"))
    inside = {
        "title": shown(title),
        "style": markup(style),
        "script": markup(script),
        "data": markup(script_json(parts["data"])),
        "policy": _policy(style, script),
    }
    return template.render(parts | inside)


def _parts(
    results: Results,
    stitching: Stitching | None,
    stimuli: Stimuli | None,
    spaces: Sequence[Description],
    live: float,
) -> dict[str, Any]:
    fitting = fit_page(results)
    small = fitting.results
    items = items_of(small)
    data: dict[str, Any] = {
        "live": live,
        "items": items,
        "measures": measures_of(small),
        "baselines": [shown(name) for name in small.baselines],
        "columns": columns_of(small),
        "maps": _places(maps_of(small), small.names),
        "agreement": agreement_of(small),
        "topology": topology_of(small),
        "stimuli": stimuli_of(stimuli),
        "aggregated": fitting.note,
    }
    present, absent = sections(
        data, small, stitching=stitching is not None, spaces=bool(spaces)
    )
    return {
        "data": data,
        "sections": present,
        "absent": absent,
        "aggregated": fitting.note,
        "overview": overview(
            results,
            items["fields"] if small is results else {},
            data["agreement"],
            stitching,
        ),
        "stitching": stitching_section(stitching),
        "stimuli": data["stimuli"],
        "spaces": [replace(space, name=shown(space.name)) for space in spaces],
        "provenance": provenance(results),
        "baselines": [shown(name) for name in baseline_names(results)],
    }


def spaces_of(given: Any) -> list[Description]:
    """The descriptors of representations of points; outputs have none."""
    reps = given_representations(given) if given else []
    return [describe(rep) for rep in reps if rep.domain == "points"]


def _places(maps: list[dict[str, Any]], names: tuple[str, ...]) -> list[dict[str, Any]]:
    """The maps, with places in the list of representations instead of names."""
    index = {name: i for i, name in enumerate(names)}
    return [
        one | {"names": [index[name] for name in one["names"]]}
        if "names" in one
        else one
        for one in maps
    ]


def _printable(value: Any) -> Any:
    """Escape control characters of all text; markup is our own style and script."""
    return printable_lines(value) if type(value) is str else value


def _static(name: str) -> str:
    folder = importlib.resources.files(__package__).joinpath("static")
    return folder.joinpath(name).read_text(encoding="utf-8")


def _script() -> str:
    joined = "\n".join(_static(f"script/{name}.js") for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{joined}\n}})();\n'


def _policy(style: str, script: str) -> str:
    """The content security policy: only this style and this script, no requests."""
    hashes = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (style, script)
    ]
    return (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; "
        f"script-src 'sha256-{hashes[1]}'; base-uri 'none'; form-action 'none'; "
        f"connect-src 'none'; img-src data:"
    )
