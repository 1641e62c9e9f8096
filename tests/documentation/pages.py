"""Code blocks of the Markdown pages.

A block is fenced or indented by four spaces. A comment in the line above it says how it
is treated:

    <!-- not run: REASON -->       it is not executed
    <!-- output -->                it is the output of the block before it
    <!-- content of FILE -->       it is written to this file, for later blocks

A comment `<!-- blocks of this page are not run: REASON -->` holds for all blocks.
"""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "src" / "similitude" / "store" / "FORMAT.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "families").glob("*.md")),
)

_FENCED = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<fenced>.*?)^```$", re.M | re.S)
_INDENTED = re.compile(
    r"(?:(?<=\n\n)|\A)(?P<indented>    \S[^\n]*\n(?:(?:    [^\n]*)?\n)*)"
)
_COMMENT = re.compile(r"<!-- ([^\n]*?) -->\s*\Z")
_ALL = re.compile(r"<!-- blocks of this page are not run: (.+?) -->")
_SHELL = re.compile(r"\$?\s*(?:similitude|make|python|pip|source|git) ")


@dataclass(frozen=True)
class Block:
    page: Path
    line: int
    text: str
    comment: str
    language: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path, text: str | None = None) -> list[Block]:
    """The code blocks of a page; directives, formulas and items of lists are not."""
    text = page.read_text() if text is None else text
    everywhere = _ALL.search(text)
    found = []
    for match in sorted(
        [*_FENCED.finditer(text), *_outside_fences(text)], key=lambda m: m.start()
    ):
        groups = match.groupdict()
        info = groups.get("info", "")
        if info.startswith("{"):
            continue
        before = text[: match.start()]
        comment = _COMMENT.search(before)
        named = comment[1] if comment else ""
        if everywhere:
            named = f"not run: {everywhere[1]}"
        code = groups.get("fenced") or _dedent(groups.get("indented") or "")
        line = before.count("\n") + 1
        found.append(Block(page, line, code, named, info or language(code)))
    return found


def language(text: str) -> str:
    """Python, shell or text."""
    if _SHELL.match(text):
        return "shell"
    try:
        ast.parse(text)
    except SyntaxError:
        return "text"
    return "python"


def commands(text: str) -> list[str]:
    """Lines of a shell block, with continued lines joined and comments removed."""
    joined = text.replace("\\\n", " ")
    lines = [re.sub(r"\s+#.*$", "", line).strip() for line in joined.splitlines()]
    return [line for line in lines if line]


def _outside_fences(text: str) -> list[re.Match[str]]:
    hidden = _FENCED.sub(lambda m: re.sub(r"[^\n]", "#", m[0]), text)
    found = []
    for match in _INDENTED.finditer(hidden):
        previous = hidden[: match.start()].rstrip("\n").rsplit("\n\n", 1)[-1]
        if not re.match(r"(?:[-*]|\d+\.) ", previous):  # the text of an item
            found.append(match)
    return found


def _dedent(text: str) -> str:
    return re.sub(r"^    ", "", text, flags=re.M).strip("\n") + "\n"
