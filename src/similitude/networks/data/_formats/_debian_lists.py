"""Debian's package lists: sections, and descriptions in several languages."""

import bz2
import gzip
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....errors import InvalidInput

_OPENERS: dict[str, Any] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}


def find_lists(folder: Path, name: str) -> list[Path]:
    """All lists with this name, such as Packages, compressed or not."""
    found = [
        path
        for path in sorted(folder.rglob(f"*{name}*"))
        if path.is_file()
        and path.name.removesuffix(
            path.suffix if path.suffix in _OPENERS else ""
        ).endswith(name)
    ]
    return found


def paragraphs(path: Path) -> Iterator[dict[str, str]]:
    """The fields of each paragraph; continuation lines keep their line breaks."""
    opener = _OPENERS.get(path.suffix, open)
    fields: dict[str, str] = {}
    last = ""
    try:
        with opener(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                line = line.rstrip("\n")
                if not line:
                    if fields:
                        yield fields
                    fields, last = {}, ""
                elif line[0] in " \t" and last:
                    fields[last] += f"\n{line[1:]}"
                elif ":" in line:
                    last, _, value = line.partition(":")
                    fields[last] = value.strip()
                else:
                    raise InvalidInput(f"{path} has a line that is not a field.")
    except (EOFError, OSError, UnicodeDecodeError, lzma.LZMAError) as error:
        raise InvalidInput(f"{path} is damaged: {error}.") from error
    if fields:
        yield fields


def descriptions(paths: list[Path], language: str) -> dict[str, str]:
    """Texts by the md5 of the English description; " ." is an empty line."""
    found: dict[str, str] = {}
    for path in paths:
        for fields in paragraphs(path):
            key = fields.get("Description-md5")
            text = fields.get(f"Description-{language}")
            if key and text:
                lines = ["" if line == "." else line for line in text.split("\n")]
                found.setdefault(key, "\n".join(lines))
    return found


def sections(paths: list[Path]) -> dict[str, tuple[str, str]]:
    """Package and section by the md5 of the description; the first package counts."""
    found: dict[str, tuple[str, str]] = {}
    for path in paths:
        for fields in paragraphs(path):
            key = fields.get("Description-md5")
            if key and "Section" in fields and "Package" in fields:
                found.setdefault(key, (fields["Package"], fields["Section"]))
    return found


def release(folder: Path) -> str | None:
    """Name and date of the release of the lists, from the files (In)Release."""
    names = []
    for path in sorted([*folder.glob("*Release")]):
        fields: dict[str, str] = {}
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(": ")
            fields.setdefault(name, value)
        if "Date" in fields:
            suite = [fields.get(key, "") for key in ("Origin", "Codename", "Version")]
            names.append(" ".join([*filter(None, suite), fields["Date"]]))
    return "; ".join(names) or None
