"""Python files of the current folder are not imported by the command or its children.

Every name that can be imported is planted: the standard library, the installed
packages, and all names in import statements of the package.
"""

import ast
import functools
import importlib.metadata
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars
import pytest

import similitude

SCRIPT = [str(Path(sys.executable).parent / "similitude")]
MODULE = [sys.executable, "-m", "similitude"]
COMMANDS = {
    "compare": [
        *("compare", "a.parquet", "b.parquet", "-m", "cka,rtd", "--workers", "2"),
        *("--plot", "figure.svg", "--report", "page.html"),
    ],
    "extract": ["extract", "net.py:net", "--data", "a.npy", "-o", "reps"],
    "store": ["store", "add", "reps", "a.npy"],
    "doctor": ["doctor"],
    "data": ["data", "list"],
    "measures": ["measures", "rtd"],
    "stitch": ["latent", "stitch", "a.npy", "b.npy", "--labels", "labels.npy"],
}


@functools.cache
def imported_names() -> set[str]:
    """The first parts of all names in import statements of the package."""
    names: set[str] = set()
    for path in Path(similitude.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names.add(node.module.split(".")[0])
    return names


def planted_names() -> set[str]:
    installed = importlib.metadata.packages_distributions()
    names = imported_names() | sys.stdlib_module_names | set(installed)
    return {name for name in names if name.isidentifier()} | {"similitude_start"}


@pytest.fixture(scope="module")
def of_python(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Modules that ``python -m`` imports by itself; no module can prevent it."""
    folder = tmp_path_factory.mktemp("empty")
    (folder / "nothing.py").write_text("import sys; print(*sys.modules)")
    command = [sys.executable, "-m", "nothing"]
    told = subprocess.check_output(command, cwd=folder, text=True)
    return {name.split(".")[0] for name in told.split()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files of data, and a network that imports nothing from its folder."""
    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        x = rng.normal(size=(40, 3))
        np.save(tmp_path / f"{name}.npy", x.astype(np.float32))
        columns = {f"c{i}": x[:, i] for i in range(3)}
        polars.DataFrame(columns).write_parquet(tmp_path / f"{name}.parquet")
    np.save(tmp_path / "labels.npy", np.arange(40) % 2)
    (tmp_path / "net.py").write_text(
        "import torch\n"
        "def net():\n"
        "    return torch.nn.Sequential(torch.nn.Linear(3, 2))\n"
    )
    return tmp_path


def run(start: list[str], folder: Path, names: set[str], arguments: list[str]) -> None:
    """Plant modules, run a command, and fail if one of them is imported."""
    traces = folder / "traces"
    traces.mkdir()
    for name in names:
        trace = str(traces / name)
        (folder / f"{name}.py").write_text(f"open({trace!r}, 'w').close()\n")
    done = subprocess.run(
        [*start, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert sorted(path.name for path in traces.iterdir()) == []
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_python_m_does_not_import_modules_of_the_current_folder(
    folder: Path, of_python: set[str], command: str
) -> None:
    names = planted_names() - of_python - {"similitude"}
    assert {"typer", "typing", "numpy", "similitude_start", "joblib"} <= names
    run(MODULE, folder, names, COMMANDS[command])


def test_the_command_does_not_import_modules_of_the_current_folder(
    folder: Path,
) -> None:
    run(SCRIPT, folder, planted_names(), COMMANDS["compare"])


def test_python_m_works_in_the_folder_of_an_uninstalled_package(tmp_path: Path) -> None:
    package = Path(similitude.__file__).parent
    (tmp_path / "similitude").symlink_to(package)
    (tmp_path / "similitude_start.py").symlink_to(
        package.parent / "similitude_start.py"
    )
    command = [*MODULE, "--version"]
    told = subprocess.check_output(command, cwd=tmp_path, text=True)
    assert told.startswith(f"similitude {similitude.__version__} (source ")


def test_planted_modules_are_found_without_protection(folder: Path) -> None:
    with pytest.raises(AssertionError, match="typer"):
        run([sys.executable, "-c", "import typer"], folder, {"typer"}, [])


def test_children_of_the_command_ignore_their_current_folder(folder: Path) -> None:
    """A child such as pip or a worker that is restarted later."""
    (folder / "net.py").write_text(
        "import subprocess, sys, torch\n"
        "def net():\n"
        "    subprocess.check_call([sys.executable, '-c', 'import typer'])\n"
        "    return torch.nn.Sequential(torch.nn.Linear(3, 2))\n"
    )
    run(MODULE, folder, {"typer"}, COMMANDS["extract"])
