"""`similitude doctor`: installed versions, settings and a self-test."""

import importlib
import importlib.metadata
import importlib.util
import os
import platform
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import typer

from .. import __version__
from .._base import _config
from .._base._printable import wrapped
from ..errors import EXTRAS, install_command
from ..measures import DEFAULT, MEASURES, RECORDS
from ._say import say


def doctor() -> None:
    """Show installed versions, and test the measures on known scores."""
    _heading("Versions")
    _line("similitude", __version__)
    _line("python", f"{platform.python_version()} on {platform.platform()}")
    for extra, packages in _requirements().items():
        found = [_version(package) for package in packages]
        _line(extra, ", ".join(found))
        if any(version.endswith("missing") for version in found):
            _line("", f"optional: {install_command(extra)}")

    _heading("Linear algebra and threads")
    for pool in _thread_pools():
        _line(pool["internal_api"], _pool(pool))
    _line("cores", str(os.cpu_count()))

    _heading("Settings")
    settings = _config.current()
    _line("memory_budget", f"{settings.memory_budget / 2**30:.1f} GiB")
    _line("workers", str(settings.workers))
    _line("cache_dir", f"{settings.cache_dir} ({_cache_state(settings)})")

    _heading("Self-test")
    tests = {"noise is near 0": (lambda: abs(_noise_score()) < 0.02, 1.0)}
    tests = _known_scores() | tests
    failed = [
        name
        for name, (compute, expected) in tests.items()
        if not _passes(name, compute, expected)
    ]
    if importlib.util.find_spec("torch") is not None:
        expected = float(_noise_score())
        if not _passes("torch = numpy", lambda: _noise_score("torch"), expected):
            failed.append("torch")
    say()
    if failed:
        say(f"Failed: {', '.join(failed)}. Do not use this installation.")
        raise typer.Exit(1)
    say("All tests passed.")


def _passes(name: str, compute: Callable[[], Any], expected: float) -> bool:
    """Run one test, print its result, and catch its exceptions."""
    try:
        score = float(compute())
    except Exception as error:
        _line(name, f"FAILED: {type(error).__name__}: {error}")
        return False
    right = abs(score - expected) < 1e-6
    _line(name, "ok" if right else f"FAILED: {score!r} instead of {expected!r}")
    return right


def _known_scores() -> dict[str, tuple[Callable[[], Any], float]]:
    """Computations and their known scores, which the docstrings derive by hand."""
    found: dict[str, tuple[Callable[[], Any], float]] = {}
    for name, record in sorted(RECORDS.items()):
        for known in record.known:
            label = f"{name}, {known.variant}" if known.variant else name
            compute = partial(record(**known.options).func, known.x, known.y)
            found[label] = (compute, known.score)
    return found


def _noise_score(library: str = "numpy") -> Any:
    """The score of independent noise under the first default measure."""
    asarray = importlib.import_module(library).asarray
    x, y = np.random.default_rng(0).normal(size=(2, 200, 400))
    return MEASURES[DEFAULT[0]](asarray(x), asarray(y))


def _requirements() -> dict[str, list[str]]:
    """Packages by extra, from the metadata of the installed distribution."""
    groups: dict[str, list[str]] = {"core": []}
    for line in importlib.metadata.requires("similitude") or []:
        match = re.match(r"([\w.-]+)", line)
        extra = re.search(r"extra == ['\"](\w+)['\"]", line)
        group = extra[1] if extra else "core"
        if match and match[1] != "similitude" and group in {"core", *EXTRAS}:
            groups.setdefault(group, []).append(match[1])
    return groups


def _version(package: str) -> str:
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{package} missing"


def _thread_pools() -> list[dict[str, Any]]:
    from threadpoolctl import threadpool_info

    return threadpool_info()


def _pool(pool: dict[str, Any]) -> str:
    kind = pool.get("architecture") or pool["user_api"]
    threads = f"threads: {pool['num_threads']}"
    return f"{pool.get('version') or ''} {kind}, {threads}".strip()


def _cache_state(settings: _config.Config) -> str:
    folder = settings.cache_dir
    if not folder.exists():
        return "not created yet"
    size = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
    access = "writable" if os.access(folder, os.W_OK) else "NOT writable"
    return f"{access}, {size / 2**20:.0f} MiB"


def _heading(text: str) -> None:
    say()
    say(text, bold=True)


def _line(name: str, text: str) -> None:
    say(wrapped(text, start=f"  {name:<18} "))
