"""The lab uses only public names of the library, and the library never uses the lab."""

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LAB = ROOT / "lab" / "src" / "similitude_lab"
LIBRARY = ROOT / "src"
# They are shown to users who have not installed the lab.
ALONE = [
    *(ROOT / "examples").rglob("*.py"),
    *(ROOT / "examples").rglob("*.ipynb"),
    ROOT / "docs" / "tutorial.md",
    ROOT / "README.md",
]


def private_names(source: str) -> list[str]:
    """Private names of the library, and names that it does not have."""
    tree = ast.parse(source)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [a.name for a in node.names if _is_private(a.name)]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            if node.module.split(".")[0] == "similitude":
                found += [
                    f"{node.module}.{alias.name}"
                    for alias in node.names
                    if not _is_public(node.module, alias.name)
                ]
    dotted = r"\b(?:sim|similitude)(?:\.[a-z]\w*)*\._\w+"
    return found + [name for name in re.findall(dotted, source)]


def _is_private(path: str) -> bool:
    first, *rest = path.split(".")
    return first == "similitude" and any(part.startswith("_") for part in rest)


def _is_public(module: str, name: str) -> bool:
    if name == "__version__":
        return module == "similitude"
    if _is_private(f"{module}.{name}"):
        return False
    return hasattr(importlib.import_module(module), name)


def modules() -> list[Path]:
    found = sorted(LAB.rglob("*.py"))
    assert len(found) > 150
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(LAB)))
def test_the_lab_uses_only_public_names(path: Path) -> None:
    assert private_names(path.read_text()) == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("from similitude._base._validate import check_at_least", True),
        ("from similitude import _parallel", True),
        ("from similitude.engine._folder import Folder", True),
        ("from similitude.plots import _canvas", True),
        ("from similitude.plots import nothing", True),
        ("import similitude._base._config", True),
        ("def f():\n    import similitude.store._json as j", True),
        ("import similitude as sim\nsim.stats._null.f()", True),
        ("from similitude import __version__, compare", False),
        ("from similitude.plugins import say, check_at_least", False),
        ("from ._intervals import mean_interval", False),
        ("import similitude as sim\nsim.stats.difference", False),
    ],
)
def test_private_names_are_detected(line: str, *, found: bool) -> None:
    assert bool(private_names(line)) == found


def uses_of_the_lab(text: str) -> list[str]:
    """Imports of the lab, and the commands that it adds."""
    return re.findall(r"\bsimilitude_lab\b|\bsimilitude (?:study|closeness) ", text)


def test_the_library_never_imports_the_lab() -> None:
    files = [*LIBRARY.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    assert len(files) > 700
    # They check the documents of both packages, and attack and read files of both.
    tests = ROOT / "tests"
    both = {tests / "documentation" / "test_api_reference.py"}
    both |= {
        tests / "systems" / "hidden.py",
        tests / "repository" / "decompositions.py",
    }
    both |= {*(tests / "attack").rglob("*.py"), *(tests / "old_files").rglob("*.py")}
    # They name the new places of names that have moved to the lab.
    both |= {LIBRARY / "similitude" / "_base" / "_former.py"}
    both |= {LIBRARY / "similitude" / "latent" / "stitching" / "__init__.py"}
    named = [path for path in set(files) - both if "similitude_lab" in path.read_text()]
    assert named == []


def test_tutorial_examples_and_readme_run_without_the_lab() -> None:
    assert len(ALONE) > 15
    used = {str(p): uses_of_the_lab(p.read_text()) for p in ALONE}
    assert {path: found for path, found in used.items() if found} == {}


def test_uses_of_the_lab_are_detected() -> None:
    assert uses_of_the_lab("from similitude_lab.study import run_study") != []
    assert uses_of_the_lab("    similitude study run rtd/rings\n") != []
    assert uses_of_the_lab("similitude compare a.npy; a study of closeness") == []
