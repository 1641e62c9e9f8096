"""Pages of the API reference, one per public module."""

import importlib
from collections.abc import Mapping

from family_pages import title
from public_names import Name, public_modules, public_names

INTRODUCTION = """\
API reference
=============

Every public name, under the shortest path by which it can be imported. Measures are on
the pages of their families.

"""


def pages() -> dict[str, str]:
    """Texts of the pages in reStructuredText, by file name."""
    names = public_names()
    found = {}
    for module in public_modules():
        own = [name for name in names if name.module == module and not name.family]
        if own:
            found[f"{module}.rst"] = _module(module, own)
    modules = [name.removesuffix(".rst") for name in found]
    toctree = ".. toctree::\n   :hidden:\n\n   " + "\n   ".join(modules)
    parts = [INTRODUCTION, _table(modules), toctree, _measures(names)]
    found["index.rst"] = "\n\n".join(parts)
    return found


def _table(modules: list[str]) -> str:
    """The modules with the first sentences of their docstrings."""
    rows = [f"   * - :doc:`{name}`\n     - {_first_sentence(name)}" for name in modules]
    head = ".. list-table::\n   :widths: 30 70\n"
    return "\n".join([head, *rows])


def _first_sentence(module: str) -> str:
    text = str(importlib.import_module(module).__doc__).split("\n\n")[0]
    return " ".join(text.split())


def _measures(names: list[Name]) -> str:
    lines = ["Measures", "--------", ""]
    families: dict[str, list[Name]] = {}
    for name in names:
        if name.family:
            families.setdefault(name.family, []).append(name)
    for family, own in sorted(families.items()):
        listed = ", ".join(f":py:obj:`~{name.path}`" for name in own)
        lines.append(f":doc:`{title(family)} </families/{family}>`\n   {listed}\n")
    return "\n".join(lines)


def _module(module: str, own: list[Name]) -> str:
    rule = "=" * len(module)
    parts = [
        f"{module}\n{rule}\n",
        f".. automodule:: {module}\n   :no-members:\n",
        f".. currentmodule:: {module}\n",
    ]
    for title_, kinds in (
        ("Functions", ("autofunction",)),
        ("Classes", ("autoclass",)),
        ("Exceptions", ("autoexception",)),
        ("Constants", ("data",)),
    ):
        chosen = [name for name in own if name.kind in kinds]
        if chosen:
            parts.append(f"{title_}\n{'-' * len(title_)}\n")
            parts += [_entry(name) for name in chosen]
    return "\n".join(parts)


def _entry(name: Name) -> str:
    if name.kind == "data":
        return f".. py:data:: {name.name}\n\n   {_content(name.value)}\n"
    members = "" if name.kind == "autofunction" else "   :members:\n"
    return f".. {name.kind}:: {name.path}\n{members}"


def _content(value: object) -> str:
    if isinstance(value, Mapping):
        keys = ", ".join(f"``{key}``" for key in value)
        return f"A mapping with the keys {keys}."
    if isinstance(value, (tuple, list, frozenset, set)):
        items = ", ".join(f"``{item}``" for item in sorted(value, key=str))
        return f"{type(value).__name__} of {items}."
    return f"``{value}``"
