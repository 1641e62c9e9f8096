"""The source code on which the numbers of a study depend, as one digest."""

import ast
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import similitude_lab
from similitude_lab.study._catalog import FACTS, STUDIES

PACKAGE = "similitude_lab"
#: Modules of the room `study` that compute numbers; the others run and show studies.
COMPUTING = ("_intervals", "_tables")
#: Parts of studies.toml on which numbers and verdicts depend; the others are texts.
DECIDING = ("settings", "checks", "checks_share")


def source_digest(name: str, changed: dict[str, str] | None = None) -> str:
    """The sha256 of the modules of the lab that a study imports, and of its own.

    Comments, docstrings and formatting do not count. `changed` replaces the source of
    modules.
    """
    changed = changed or {}
    found: dict[str, str] = {}
    waiting = [f"{PACKAGE}.{STUDIES[name]}"]
    waiting += [f"{PACKAGE}.study.{module}" for module in COMPUTING]
    while waiting:
        module = waiting.pop()
        path = module_path(module)
        if path is None or module in found:
            continue
        tree = ast.parse(changed.get(module) or path.read_text(encoding="utf-8"))
        found[module] = ast.dump(_without_docstrings(tree))
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        waiting += imported(tree, package)
    facts = {key: FACTS[name].get(key) for key in DECIDING}
    found["facts"] = json.dumps(facts, sort_keys=True)
    text = "\n".join(f"{module} {found[module]}" for module in sorted(found))
    return hashlib.sha256(text.encode()).hexdigest()


def imported(tree: ast.AST, package: str) -> Iterator[str]:
    """Modules of the lab that are imported anywhere, without the room `study`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom):
            continue
        start = node.module or ""
        if node.level:
            base = package.split(".")[: len(package.split(".")) - node.level + 1]
            start = ".".join([*base, *filter(None, [node.module])])
        if start.split(".")[0] == PACKAGE and start.split(".")[1:2] != ["study"]:
            yield start
            yield from (f"{start}.{alias.name}" for alias in node.names)


def module_path(module: str) -> Path | None:
    """The file of a module of the lab; None for a name inside a module."""
    folder = Path(similitude_lab.__file__).parent.joinpath(*module.split(".")[1:])
    for path in (folder.with_suffix(".py"), folder / "__init__.py"):
        if path.is_file():
            return path
    return None


def _without_docstrings(tree: ast.Module) -> ast.Module:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, kinds) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return tree
