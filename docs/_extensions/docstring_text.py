"""Docstrings as text for Sphinx: citation keys become links to the references."""

import re
from typing import Any

from references import author_and_year, entries
from sphinx.application import Sphinx

_RULE = re.compile(r"^-{3,}$")


def link_citations(lines: list[str], known: dict[str, str]) -> list[str]:
    """The lines, with links in the section References.

    >>> link_citations(["References", "----------", "key2020"], {"key2020": "K 2020"})
    ['References', '----------', ':ref:`K 2020 <key2020>`']
    """
    found, inside = [], False
    for i, line in enumerate(lines):
        following = lines[i + 1] if i + 1 < len(lines) else ""
        if _RULE.match(following.strip()):
            inside = line.strip() == "References"
        if inside:
            line = re.sub(
                r"\b[a-z]+\d{4}\w*",
                lambda key: (
                    f":ref:`{known[key[0]]} <{key[0]}>`" if key[0] in known else key[0]
                ),
                line,
            )
        found.append(line)
    return found


def setup(app: Sphinx) -> dict[str, bool]:
    known = {key: author_and_year(entry) for key, entry in entries().items()}

    def process(*arguments: Any) -> None:
        lines = arguments[-1]  # of the docstring; Sphinx passes five more
        lines[:] = link_citations(lines, known)

    app.connect("autodoc-process-docstring", process, priority=100)
    return {"parallel_read_safe": True}
