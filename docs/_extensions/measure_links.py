"""Names of measures in Markdown pages link to their definitions."""

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from similitude.measures import RECORDS


def link_names(app: Sphinx, doctree: nodes.document) -> None:
    page = app.env.docname
    if page.startswith(("families/", "generated/", "gallery/")):
        return
    for node in list(doctree.findall(nodes.literal)):
        inside = node.parent
        while inside and not isinstance(inside, (nodes.title, nodes.reference)):
            inside = inside.parent
        if node.astext() in RECORDS and inside is None:
            link = addnodes.pending_xref(
                "",
                refdomain="py",
                reftype="obj",
                reftarget=f"similitude.{node.astext()}",
                refwarn=True,
                refdoc=page,
            )
            node.replace_self(link)
            link += node


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", link_names)
    return {"parallel_read_safe": True}
