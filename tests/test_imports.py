"""Imports point downwards, and importing the package is light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parent.parent / "src" / "similitude"

# A module may import what stands on its own line or above it.
LAYERS = (
    {"errors"},
    {"_array", "_seed", "_config", "_compile", "_record"},
    {"_validate", "_parallel", "_softmax", "transformations"},
    {"inputs", "_linalg"},
    {"representation"},
    {"topology", "identifiability", "align", "store", "extraction"},
    {"measures"},
    {"stats", "advice", "streaming", "testing"},
    {"engine"},
    {"plots", "report", "data", "nets", "training"},
    {"studies"},
    {"cli"},
)
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}

HEAVY = {
    "torch",
    "numba",
    "matplotlib",
    "plotly",
    "dask",
    "joblib",
    "pydantic",
    "typer",
    "rich",
    "polars",
    "sklearn",
    "threadpoolctl",
}


def package_imports(path: Path, root: Path = SRC) -> set[str]:
    """First names below `similitude` that a file imports."""
    parts = ("similitude", *path.relative_to(root).with_suffix("").parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = parts[: -node.level] if node.level else ()
            start = ".".join((*base, *filter(None, [node.module])))
            names = [f"{start}.{alias.name}" for alias in node.names]
        found |= {n.split(".")[1] for n in names if n.startswith("similitude.")}
    return found


def upward_imports(path: Path, root: Path = SRC) -> list[str]:
    me = path.relative_to(root).with_suffix("").parts[0]
    return [
        f"{me} -> {other}"
        for other in sorted(package_imports(path, root) & RANK.keys())
        if RANK[other] > RANK[me] or (RANK[other] == RANK[me] and other != me)
    ]


def modules() -> list[Path]:
    return [p for p in sorted(SRC.rglob("*.py")) if p != SRC / "__init__.py"]


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SRC)))
def test_imports_point_downwards(path: Path) -> None:
    assert path.relative_to(SRC).with_suffix("").parts[0] in RANK, "no layer is named"
    assert upward_imports(path) == []


def test_an_upward_import_would_be_found(tmp_path: Path) -> None:
    (tmp_path / "_linalg").mkdir()
    bad = tmp_path / "_linalg" / "factor.py"
    for line in (
        "from ..measures import cka",
        "from .. import measures",
        "import similitude.measures.kernel_alignment._cka",
        "def f():\n    from similitude.measures import cka",
    ):
        bad.write_text(line)
        assert upward_imports(bad, tmp_path) == ["_linalg -> measures"]
    bad.write_text("from .centre import centre\nfrom .._array import Array")
    assert upward_imports(bad, tmp_path) == []


def heavy_modules_after(code: str) -> set[str]:
    """Names on the list, and submodules of scipy, that `code` loads when run."""
    probe = f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"
    run = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True
    )
    loaded = set(run.stdout.split())
    public_scipy = {
        name
        for name in loaded
        if name.startswith("scipy.")
        and not name.split(".")[1].startswith("_")
        and name.split(".")[1] != "version"
    }
    return (loaded & HEAVY) | public_scipy


def test_import_is_light() -> None:
    assert heavy_modules_after("import similitude") == set()


def test_a_heavy_import_would_be_found() -> None:
    assert "joblib" in heavy_modules_after("import similitude, joblib")
    assert "scipy.stats" in heavy_modules_after("import similitude, scipy.stats")


def test_no_file_is_long() -> None:
    long = {
        p.name: n for p in modules() if (n := len(p.read_text().splitlines())) > 400
    }
    assert long == {}
