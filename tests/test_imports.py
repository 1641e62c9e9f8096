"""Imports follow the layers, and importing the package is fast."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import similitude as sim

SRC = Path(__file__).parent.parent / "src" / "similitude"

# Modules and their content, from the bottom layer to the top layer. A module imports
# only from earlier lines of this table, never from another module on the same line.
LAYERS = (
    (("errors",), "exceptions of callers"),
    (("_base",), "arrays, seeds, settings, records, text, workers, validation"),
    (("transformations",), "groups"),
    (("inputs", "_linalg"), "input types; linear algebra"),
    (("representation",), "rows with a name, ids and blocks"),
    (("topology", "identifiability"), "mathematics below the measures"),
    (("measures", "store"), "scores; files"),
    (("stats", "advice", "testing", "streaming"), "uses of one measure"),
    (("engine",), "comparisons of many pairs; results"),
    (("plots",), "figures"),
    (("report",), "the HTML page"),
    (("cli",), "the command line"),
    (("networks",), "models: activations, comparisons, data sets"),
    (("latent", "compat"), "two spaces; calls of other packages"),
    (("plugins",), "names for packages that add commands"),
)
RANK = {name: rank for rank, (names, _) in enumerate(LAYERS) for name in names}

# The only file that imports from higher layers, for `Results.plot` and `.report`.
UPWARD = {"engine/_display.py": {"plots", "report"}}

# They use the package as its users do: `import similitude as sim`, or public modules.
PUBLIC_ONLY = {"report"}
DOOR = "similitude._base._printable"  # all text of a page passes it; it is private

HEAVY = {
    "torch",
    "numba",
    "matplotlib",
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
    """Top-level modules of `similitude` that a file imports, or `similitude` itself."""
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
        ours = [name.split(".") for name in names]
        found |= {name[:2][-1] for name in ours if name[0] == "similitude"}
    return found - {"__version__"}


def imported_names(path: Path) -> set[str]:
    """Full names of everything of `similitude` that a file imports."""
    parts = ("similitude", *path.relative_to(SRC).with_suffix("").parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            base = parts[: -node.level] if node.level else ()
            start = ".".join((*base, *filter(None, [node.module])))
            found |= {f"{start}.{alias.name}" for alias in node.names}
    return found


def upward_imports(path: Path, root: Path = SRC) -> list[str]:
    """Imports from the same or a higher layer; unknown names count as the highest."""
    file = path.relative_to(root)
    me = file.with_suffix("").parts[0]
    others = package_imports(path, root) - {me} - UPWARD.get(file.as_posix(), set())
    others -= {"similitude"} if me in PUBLIC_ONLY else set()
    return [
        f"{me} -> {other}"
        for other in sorted(others)
        if RANK.get(other, len(LAYERS)) >= RANK[me]
    ]


def diagram() -> str:
    """The table as the documents show it, with the top layer first."""
    rows = [("  ".join(names), what) for names, what in reversed(LAYERS)]
    width = max(len(names) for names, _ in rows)
    return "\n".join(f"    {names:<{width}}    {what}" for names, what in rows)


def modules() -> list[Path]:
    ends = {SRC / "__init__.py", SRC / "__main__.py"}  # they have no layer
    return [p for p in sorted(SRC.rglob("*.py")) if p not in ends]


def test_modules_import_only_from_lower_layers() -> None:
    found = {str(path.relative_to(SRC)): upward_imports(path) for path in modules()}
    assert {name.split("/")[0].removesuffix(".py") for name in found} <= RANK.keys()
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_latent_uses_one_name_of_networks() -> None:
    used = {
        name
        for path in (SRC / "latent").rglob("*.py")
        for name in imported_names(path)
        if name.startswith("similitude.networks")
    }
    assert used == {"similitude.networks.extraction.evaluation_mode"}


def test_only_commands_of_a_room_use_the_command_line() -> None:
    wrong = {
        str(path.relative_to(SRC))
        for room in ("networks", "latent", "compat")
        for path in (SRC / room).rglob("*.py")
        if "cli" in package_imports(path) and "_commands" not in path.parts
    }
    assert wrong == set()


# They get a tensor, a device or a file of torch, and import torch inside a function.
TORCH = {
    *("_base/_array.py", "_base/_parallel.py", "_base/_validate.py"),
    *("topology/_losses/_densification.py", "topology/_losses/_rtd.py"),
    "store/_formats/_tensors.py",
}


def test_the_core_imports_torch_only_in_functions_that_get_something_of_torch() -> None:
    found, at_import = set(), set()
    for path in modules():
        name = path.relative_to(SRC).as_posix()
        if name.split("/")[0] in {"networks", "latent", "compat"}:
            continue
        tree = ast.parse(path.read_text())
        if any(map(_imports_torch, ast.walk(tree))):
            found.add(name)
        if any(map(_imports_torch, tree.body)):
            at_import.add(name)
    assert found == TORCH
    assert at_import == set()


def _imports_torch(node: ast.AST) -> bool:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    if isinstance(node, ast.ImportFrom) and not node.level:
        names = [node.module or ""]
    return any(name.split(".")[0] == "torch" for name in names)


@pytest.mark.parametrize("me", sorted(PUBLIC_ONLY))
def test_reports_use_only_the_public_interface(me: str) -> None:
    for path in (SRC / me).rglob("*.py"):
        private = {
            name for name in imported_names(path) if name.startswith("similitude._")
        }
        others = {name for name in private if f"{DOOR}." not in name}
        others -= {"similitude.__version__"}
        assert others == set(), path
        used = re.findall(r"\bsim(?:\.\w+)*\._\w+", path.read_text())
        assert used == [], path


def test_extraction_and_store_know_no_measures() -> None:
    """Networks are above the measures in the table only because they use the store."""
    for package in ("networks/extraction", "store"):
        files = list((SRC / package).rglob("*.py"))
        assert len(files) > 10
        for path in files:
            assert not package_imports(path) & {"measures", "topology"}, path


def test_upward_imports_are_detected(tmp_path: Path) -> None:
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
    bad.write_text("from .center import center\nfrom .._base._array import Array")
    assert upward_imports(bad, tmp_path) == []


def test_imports_from_the_same_layer_are_detected(tmp_path: Path) -> None:
    for me, other in (("stats", "advice"), ("latent", "compat"), ("store", "measures")):
        bad = tmp_path / me / "_file.py"
        bad.parent.mkdir()
        bad.write_text(f"from ..{other} import something")
        assert upward_imports(bad, tmp_path) == [f"{me} -> {other}"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("from .. import compare", "compare"),
        ("from similitude import cka", "cka"),
        ("import similitude as sim", "similitude"),
    ],
)
def test_imports_through_the_lazy_package_are_detected(
    line: str, found: str, tmp_path: Path
) -> None:
    """`similitude.compare` would load the engine from any layer."""
    bad = tmp_path / "measures" / "_cka.py"
    bad.parent.mkdir()
    bad.write_text(f"def f():\n    {line}")
    assert upward_imports(bad, tmp_path) == [f"measures -> {found}"]


def test_only_display_imports_from_a_higher_layer() -> None:
    assert UPWARD.keys() == {"engine/_display.py"}
    for file, above in UPWARD.items():
        assert above <= package_imports(SRC / file)


def test_the_exception_for_display_is_narrow(tmp_path: Path) -> None:
    for file, line, found in (
        ("engine/_display.py", "from ..plots import plot_matrix", []),
        ("engine/_display.py", "from .. import cli", ["engine -> cli"]),
        ("engine/_results.py", "from ..plots import Drawn", ["engine -> plots"]),
        ("stats/_display.py", "from .. import plots", ["stats -> plots"]),
    ):
        bad = tmp_path / file
        bad.parent.mkdir(exist_ok=True)
        bad.write_text(f"def f():\n    {line}")
        assert upward_imports(bad, tmp_path) == found


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_documents_show_the_layers(page: str) -> None:
    assert f"\n\n{diagram()}\n\n" in (SRC.parent.parent / page).read_text()


def modules_after(code: str) -> set[str]:
    """Names of the modules that are loaded after running `code`."""
    probe = f"import sys\n{code}\nprint()\nprint(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True
    )
    return set(run.stdout.splitlines()[-1].split())


def heavy_modules_after(code: str) -> set[str]:
    """Modules in HEAVY and submodules of scipy that `code` loads."""
    loaded = modules_after(code)
    public_scipy = {
        name
        for name in loaded
        if name.startswith("scipy.")
        and not name.split(".")[1].startswith("_")
        and name.split(".")[1] != "version"
    }
    return (loaded & HEAVY) | public_scipy


def test_import_loads_only_the_standard_library() -> None:
    """Other modules are loaded on first use."""
    loaded = modules_after("import similitude") - modules_after("pass")
    packages = {name.split(".")[0] for name in loaded}
    assert packages - sys.stdlib_module_names == {"similitude"}


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], []])
def test_help_does_not_load_numpy(arguments: list[str]) -> None:
    code = (
        f"from similitude_start import main\nsys.argv[1:] = {arguments}\n"
        "try:\n    main()\nexcept SystemExit:\n    pass"
    )
    assert modules_after(code) & {"numpy", "scipy", *HEAVY} == {"typer"}


def test_importing_measures_loads_no_heavy_module() -> None:
    assert heavy_modules_after("import similitude.measures") == set()


def test_compare_and_show_load_no_module_that_they_do_not_need(tmp_path: Path) -> None:
    """Each module takes time in every process, and address space."""
    x = np.random.default_rng(0).normal(size=(40, 3))
    for name in "ab":
        np.save(tmp_path / f"{name}.npy", x)
    paths = [str(tmp_path / name) for name in ("a.npy", "b.npy", "out")]
    for command in (
        ["compare", *paths[:2], "-m", "cka,mutual_knn", "--out", paths[2]],
        ["show", paths[2]],
    ):
        code = (
            f"from similitude_start import main\nsys.argv[1:] = {command}\n"
            "try:\n    main()\nexcept SystemExit as stop:\n    assert not stop.code"
        )
        loaded = modules_after(code)
        assert "similitude.engine" in loaded
        unneeded = {"scipy.optimize", "scipy.stats", "joblib", "torch"}
        assert (
            loaded
            & (
                unneeded
                | {"similitude.networks.extraction", "similitude.networks.data"}
            )
            == set()
        )


def test_heavy_imports_are_detected() -> None:
    assert "joblib" in heavy_modules_after("import similitude, joblib")
    assert "scipy.stats" in heavy_modules_after("import similitude, scipy.stats")


def test_no_file_exceeds_400_lines() -> None:
    long = {
        p.name: n for p in modules() if (n := len(p.read_text().splitlines())) > 400
    }
    assert long == {}


@pytest.mark.parametrize(
    "code",
    [
        "import similitude.latent",
        "from similitude import networks, store",
        "from similitude.networks import data, extraction, SmallMLP",
        *(
            f"from similitude.cli import main\ntry:\n    main({command})\n"
            f"except SystemExit as stop:\n    assert not stop.code"
            for command in (["data", "list"], ["layers", "--help"], ["store", "--help"])
        ),
    ],
)
def test_what_scores_nothing_imports_no_measures(code: str) -> None:
    loaded = {name.partition(".")[2] for name in modules_after(code)}
    assert not {"measures", "engine", "stats"} & loaded


def test_rooms_are_loaded_on_first_use() -> None:
    loaded = modules_after("import similitude as sim\nsim.networks, sim.latent")
    assert "similitude.networks.extraction" not in loaded
    assert "similitude.latent.align" not in loaded
    with pytest.raises(AttributeError, match=r"latent' has no attribute 'stich'"):
        sim.latent.stich  # noqa: B018
