"""The page of references, from references.bib."""

import re
import unicodedata
from importlib import resources

import similitude
from similitude.measures import RECORDS

_FIELD = re.compile(r"^\s*(\w+)\s*=\s*[{\"](.*?)[}\"],?$", re.M)
_ACCENT = re.compile(r"\{?\\([`'^\"~c=v.])\s*\{?(\\?[a-zA-Z])\}?\}?")
_COMBINING = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    '"': "\u0308",
    "c": "\u0327",
    "v": "\u030c",
    "=": "\u0304",
    ".": "\u0307",
}


def entries() -> dict[str, str]:
    """Entries of BibTeX by key."""
    every = similitude.cite(*_keys())
    return {_key(entry): entry for entry in every.split("\n\n")}


def _keys() -> list[str]:
    text = resources.files("similitude").joinpath("references.bib").read_text("utf-8")
    return re.findall(r"^@\w+\{([^,]+),", text, re.M)


def _key(entry: str) -> str:
    return entry[entry.index("{") + 1 : entry.index(",")]


def fields(entry: str) -> dict[str, str]:
    """Fields of an entry as plain text."""
    return {name: plain(value) for name, value in _FIELD.findall(entry)}


def plain(text: str) -> str:
    """LaTeX text without braces, with accents as characters.

    >>> plain("{R}odol{\\\\`a}, {\\\\'E}va and M{\\\\\\"u}ller")
    'Rodolà, Éva and Müller'
    """
    text = _ACCENT.sub(
        lambda found: found[2].removeprefix("\\") + _COMBINING[found[1]], text
    )
    text = re.sub(r"[{}]", "", text).replace("--", "–").replace("\\&", "&")
    return unicodedata.normalize("NFC", text)


def author_and_year(entry: str) -> str:
    """Short name of a reference, such as Huh et al. (2024)."""
    found = fields(entry)
    authors = found.get("author", "?").split(" and ")
    names = [author.split(",")[0] for author in authors]
    short = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
    return f"{short} ({found.get('year', '?')})"


def page() -> str:
    """All references, each with the measures that cite it."""
    parts = [
        "# References\n",
        "`similitude cite NAME` prints the BibTeX entry of a measure or of a key. ",
        "The keys below are those of the docstrings.\n",
    ]
    for key, entry in sorted(entries().items(), key=lambda e: author_and_year(e[1])):
        found = fields(entry)
        users = [name for name, record in RECORDS.items() if key in record.refs]
        where = found.get("journal") or found.get("booktitle") or found.get("note", "")
        number = f" arXiv:{found['eprint']}." if "eprint" in found else ""
        authors = found.get("author", "").replace(" and ", "; ")
        used = f" Cited by {', '.join(f'`{name}`' for name in users)}." if users else ""
        parts.append(
            f"({key})=\n## {author_and_year(entry)}\n\n{authors}: *"
            f"{found.get('title', '')}*. {where}, {found.get('year', '')}.{number}"
            f" Key `{key}`.{used}\n"
        )
    return "\n".join(parts)
