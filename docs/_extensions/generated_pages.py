"""Pages that are generated from the package when the site is built.

The folder `generated` has the API reference and the references. Pages of families and
`which_measure.md` contain a mark that is replaced by the claims of the measures.
"""

import re
from pathlib import Path

import api_pages
import family_pages
import references
import which_measure
from sphinx.application import Sphinx

# Links in Markdown that leave the folder of the documentation.
OUTSIDE = {
    "../CONTRIBUTING.md": "contributing.md",
    "../CHANGELOG.md": "changelog.md",
    "../README.md": "index.md",
    "../examples/gallery": "gallery/index.rst",
    "../src/similitude/store/FORMAT.md": "file_format.md",
}
UNLISTED = "<!-- pages without a place -->"
FILE = re.compile(r"<!-- text of (\S+) -->\n")


def write_pages(app: Sphinx) -> None:
    folder = Path(app.srcdir) / "generated"
    texts = {f"api/{name}": text for name, text in api_pages.pages().items()}
    texts["references.md"] = references.page()
    for name, text in texts.items():
        _write(folder / name, text)
    for path in folder.rglob("*.*"):
        if str(path.relative_to(folder)) not in texts:
            path.unlink()


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:  # Sphinx reads only changed files
        path.write_text(text)


def fill_marks(app: Sphinx, docname: str, source: list[str]) -> None:
    text = source[0]
    if family_pages.MARK in text:
        family = docname.removeprefix("families/")
        text = text.replace(family_pages.MARK, family_pages.generated(family))
    if which_measure.MARK in text:
        text = text.replace(which_measure.MARK, which_measure.html())
    if docname == "measures":
        text = link_measures(text)
    if UNLISTED in text:
        text = text.replace(UNLISTED, _toctree(unlisted(Path(app.srcdir))))
    text = FILE.sub(lambda found: _file(app, found[1]), text)
    source[0] = link_inside(text)


def unlisted(folder: Path) -> list[str]:
    """Pages that no table of contents lists, so that a new page is never lost."""
    pages = {path.stem: path.read_text() for path in folder.glob("*.md")}
    listed = {"index"}
    for text in pages.values():
        for block in re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.M | re.S):
            listed |= set(re.findall(r"[\w/*]+", block))
    return sorted(set(pages) - listed)


def _toctree(pages: list[str]) -> str:
    if not pages:
        return ""
    return "\n".join(["```{toctree}", ":maxdepth: 1", "", *pages, "```"])


def _file(app: Sphinx, name: str) -> str:
    """A document outside this folder, with links as from this folder."""
    text = (Path(app.srcdir) / name).read_text()
    return text.replace("](docs/", "](")


def link_inside(text: str) -> str:
    """Links to files of the repository as links to pages of the site.

    >>> link_inside("see [how](../CONTRIBUTING.md#layers)")
    'see [how](contributing.md#layers)'
    """
    for target, page in OUTSIDE.items():
        text = text.replace(f"]({target}", f"]({page}")
    return text


def link_measures(text: str) -> str:
    """The names and references in the tables of measures as links."""
    homes = {
        record.name: family
        for family, records in family_pages.families().items()
        for record in records
    }
    text = re.sub(
        r"^\| `(\w+)` \|",
        lambda row: f"| [`{row[1]}`](families/{homes[row[1]]}.md#{row[1]}) |",
        text,
        flags=re.M,
    )
    known = references.entries()
    return re.sub(
        r"\b[a-z]+\d{4}\w*",
        lambda key: f"[{key[0]}](#{key[0]})" if key[0] in known else key[0],
        text,
    )


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write_pages)
    app.connect("source-read", fill_marks)
    return {"parallel_read_safe": True}
