"""Damage files byte by byte, and find every place that writes files."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from similitude.errors import SimilitudeError

# Calls that write a file. `write_sealed*` are verified by construction.
WRITERS = {
    *("write_atomically", "write_bytes", "write_text", "write_file"),
    *("writestr", "sink_parquet", "open to write"),
}


def writing_functions(root: Path) -> set[str]:
    """The functions below `root` that call a writer, as ``folder/file.py:function``."""
    found = set()
    for path in sorted(root.rglob("*.py")):
        for outer in ast.parse(path.read_text()).body:
            for node in ast.walk(outer):
                if isinstance(node, ast.FunctionDef) and _writes(node):
                    found.add(f"{path.relative_to(root).as_posix()}:{node.name}")
    return found


def _writes(function: ast.FunctionDef) -> bool:
    names = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            called = node.func
            names.add(getattr(called, "id", getattr(called, "attr", "")))
            names |= {"open to write"} if _opens(node) else set()
    return bool(names & WRITERS)


def _opens(call: ast.Call) -> bool:
    """Whether this is ``open`` with a literal mode that writes."""
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    modes = [a.value for a in call.args if isinstance(a, ast.Constant)]
    return name in {"open", "fdopen", "os.fdopen"} and any(
        isinstance(mode, str) and set(mode) & set("wax") and len(mode) <= 3
        for mode in modes
    )


def damages(content: bytes, count: int = 60) -> Iterator[bytes]:
    """The content with one flipped bit, or truncated; positions are spread over it."""
    rng = np.random.default_rng(0)
    for place in np.unique(np.linspace(0, len(content) - 1, count).astype(int)):
        flipped = bytearray(content)
        flipped[place] ^= 1 << rng.integers(8)
        yield bytes(flipped)
    for end in np.unique(np.linspace(0, len(content) - 1, count // 4).astype(int)):
        yield content[:end]


def assert_damage_is_noticed(
    path: Path,
    read: Callable[[], Any],
    same: Callable[[Any, Any], bool],
    count: int = 60,
) -> None:
    """Each damage of the file raises a clear error or changes nothing."""
    content, expected = path.read_bytes(), read()
    refused = 0
    for damaged in damages(content, count):
        path.write_bytes(damaged)
        try:
            found = read()
        except SimilitudeError:
            refused += 1
        else:
            assert same(found, expected), "a damaged file was used"
    path.write_bytes(content)
    assert same(read(), expected)
    assert refused > 0, "no damage was refused"
