"""Languages of indented blocks: Markdown does not name them, and Sphinx would guess."""

import ast
import re

from docutils import nodes
from sphinx.application import Sphinx

_SHELL = re.compile(r"^\s*(?:similitude|pip|make|python|source|git) ", re.M)


def language(text: str) -> str:
    """Python, a shell, or plain text.

    >>> [language(t) for t in ("sim.cka(x, y)", "make docs", "cka 0.5 [0.4, 0.6]")]
    ['python', 'bash', 'text']
    >>> language("$ similitude measures\\ncka  similarity")
    'text'
    """
    if _SHELL.match(text):
        return "bash"
    if text.startswith(("{", "$")) or re.fullmatch(r"[\w\s]*", text):
        return "text"
    try:
        ast.parse(text)
    except SyntaxError:
        return "text"
    return "python"


def set_languages(app: Sphinx, doctree: nodes.document) -> None:
    if app.env.docname.startswith("gallery/"):  # code and output have their languages
        return
    for node in doctree.findall(nodes.literal_block):
        if node.get("language", "default") in ("default", "none"):
            node["language"] = language(node.astext())


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", set_languages)
    return {"parallel_read_safe": True}
