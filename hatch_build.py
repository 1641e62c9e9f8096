"""Build hook: the links of the README also work outside of the repository.

A relative link leads nowhere on a package index. With an address in `[project.urls]`
(`Repository`), it leads to the file of this version there. Without one, only its text
stays, and images are left out.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_VERSION = re.compile(r'^__version__ = "(.*)"$', re.M)


def outside(text: str, address: str | None, version: str) -> str:
    """The text of a README with absolute links only."""

    def replaced(match: re.Match[str]) -> str:
        image, words, target = match.groups()
        if re.match(r"[a-z]+:", target):
            return match[0]
        if address is None:
            return "" if image else words
        kind = "raw" if image else "blob"
        return f"{image}[{words}]({address.rstrip('/')}/{kind}/v{version}/{target})"

    return _LINK.sub(replaced, text)


class ReadmeHook(MetadataHookInterface):  # type: ignore[misc]
    """Sets the `readme` of the metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        root = Path(self.root)
        source = root / "src" / "similitude" / "__init__.py"
        version = _VERSION.findall(source.read_text("utf-8"))[0]
        text = (root / "README.md").read_text("utf-8")
        text = outside(text, metadata.get("urls", {}).get("Repository"), version)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
