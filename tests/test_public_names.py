"""`import similitude` is lazy; names, help, pickles and star imports still work."""

import ast
import importlib
import pickle
import pkgutil
import pydoc
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import similitude as sim
from repository import measure_functions
from similitude import measures
from similitude._base import _former

OTHERS = {
    *("Config", "Outputs", "Representation", "Results", "SoftmaxModel", "config"),
    *("InvalidInput", "MissingExtra", "SimilitudeError", "Undefined"),
    *("advise", "best_layers", "compare", "extract", "load", "per_stimulus"),
    *("Claims", "MEASURES", "Measure", "cite", "cka", "diff", "find_measure"),
}
SHOWN = {
    *("compat", "identifiability", "latent", "measures", "networks", "plots"),
    *("stats", "store", "streaming", "topology"),
}
MODULES = SHOWN | {
    *("advice", "engine", "errors", "inputs", "plugins", "report"),
    *("representation", "testing", "transformations"),
}


def run(code: str) -> str:
    """Output of a new process; in this process, other tests have imported modules."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_and_dir_list_every_public_name() -> None:
    assert OTHERS | set(sim.MEASURES) <= set(sim.__all__)
    assert len(sim.__all__) == len(set(sim.__all__))
    for name in sim.__all__:
        assert not isinstance(getattr(sim, name), ModuleType), name
    assert OTHERS | SHOWN | set(sim.__all__) <= set(dir(sim))


def test_dir_has_at_most_38_names_besides_measures_and_no_records() -> None:
    assert len(set(dir(sim)) - set(measures.RECORDS)) <= 38
    hidden = {record.__name__ for record in measures.RECORDS.values()}
    hidden |= {"DEFAULT", "RECORDS", "Sums", "Coverage", "Group", "closure"}
    assert not hidden & set(dir(sim))
    assert hidden - {"Group", "closure"} <= set(measures.__all__)


@pytest.mark.parametrize(
    ("name", "module"),
    [("CKA", "measures"), ("RBF", "measures"), ("closure", "transformations")],
)
def test_error_for_a_name_of_a_module_names_the_module(name: str, module: str) -> None:
    with pytest.raises(AttributeError, match=f"it is in similitude.{module}$"):
        getattr(sim, name)


def test_list_of_measure_functions_is_current() -> None:
    """`make tables` writes it; type checkers need a list."""
    assert measure_functions.PATH.read_text() == measure_functions.page()


def _public_modules() -> list[str]:
    found = pkgutil.walk_packages(sim.__path__, "similitude.")
    return [module.name for module in found if "._" not in module.name]


@pytest.mark.parametrize("path", _public_modules())
def test_public_modules_have_all(path: str) -> None:
    module = importlib.import_module(path)
    names = {name for name in vars(module) if not name.startswith("_")}
    if not names:
        return
    assert len(module.__all__) == len(set(module.__all__))
    for name in module.__all__:
        value = getattr(module, name)
        foreign = getattr(value, "__module__", "similitude") or "similitude"
        assert not isinstance(value, type) or foreign.startswith("similitude"), name
    ours = {
        name
        for name in names
        if getattr(getattr(module, name), "__module__", None) == path
    }
    assert ours <= set(module.__all__)


def test_any_public_name_can_be_loaded_first() -> None:
    code = f"""
import sys
for name in {sorted(OTHERS | MODULES)}:
    for loaded in [m for m in sys.modules if m.split(".")[0] == "similitude"]:
        del sys.modules[loaded]
    import similitude
    getattr(similitude, name)
    print(name)
"""
    assert run(code).split() == sorted(OTHERS | MODULES)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_attributes_are_the_imported_modules(name: str) -> None:
    assert getattr(sim, name) is importlib.import_module(f"similitude.{name}")


def test_functions_of_measures_are_names_of_similitude() -> None:
    for name in ("MEASURES", "find_measure", "cite", *measures.RECORDS):
        assert getattr(sim, name) is getattr(measures, name)


def test_star_import_gives_all_names_but_no_modules() -> None:
    code = "from similitude import *; print(*sorted(globals()))"
    found = set(run(code).split())
    assert set(sim.__all__) <= found
    assert not found & MODULES


@pytest.mark.parametrize("name", ["ckaa", "_nothing", "kernel_alignment", "cli_"])
def test_unknown_names_raise_attribute_error(name: str) -> None:
    """A family of measures has a folder, but is not a name in the package."""
    with pytest.raises(AttributeError) as caught:
        getattr(sim, name)
    assert str(caught.value) == f"module 'similitude' has no attribute {name!r}"
    with pytest.raises(ImportError, match=f"cannot import name '{name}' from"):
        exec(f"from similitude import {name}")


@pytest.mark.parametrize("path", sorted(_former.FORMER))
def test_a_former_path_fails_with_the_new_one(path: str) -> None:
    new = _former.FORMER[path]
    message = f"similitude.{path} is now {new}."
    with pytest.raises(ModuleNotFoundError) as caught:
        importlib.import_module(f"similitude.{path}")
    assert str(caught.value) == message
    importlib.import_module(new)
    assert _former._Finder.find_spec(path) is None  # a module of the user
    if "." not in path:
        with pytest.raises(ImportError) as named:
            exec(f"from similitude import {path}")
        assert str(named.value) == message


def test_first_paths_are_those_of_the_first_version() -> None:
    for new, old in {
        "similitude.latent.align.maps._cca": "similitude.align.maps._cca",
        "similitude.networks._small": "similitude.nets._small",
        "similitude.networks.data._load": "similitude.data._load",
        "similitude._base._array": "similitude._array",
        "similitude.measures": "similitude.measures",
        "networks.diff": "networks.diff",
    }.items():
        assert _former.first_path(new) == old


@pytest.mark.parametrize(
    ("package", "name"),
    [
        *(("engine", name) for name in ("Diff", "Monitor", "compare_models", "diff")),
        ("plots", "plot_changes"),
        ("latent.stitching", "ClassBatches"),
    ],
)
def test_a_name_that_left_a_package_fails_with_its_new_path(
    package: str, name: str
) -> None:
    with pytest.raises(ImportError) as caught:
        exec(f"from similitude.{package} import {name}")
    old, new = str(caught.value).removesuffix(".").split(" is now ")
    assert old == f"similitude.{package}.{name}"
    assert pydoc.locate(new) is not None


def test_private_names_do_not_import_numpy() -> None:
    """Tools look up names such as `__wrapped__`."""
    code = (
        "import sys, similitude; print(hasattr(similitude, '__wrapped__'), "
        "'numpy' in sys.modules)"
    )
    assert run(code) == "False False\n"


def test_functions_records_and_results_can_be_pickled() -> None:
    x = np.random.default_rng(0).normal(size=(20, 3))
    found = sim.compare({"a": x, "b": x[:, :2]}, "cka", permutations=0)
    for value in (
        sim.cka,
        sim.measures.CKA,
        sim.measures.CKA(kernel=sim.measures.RBF(fraction=0.5)),
        sim.compare,
        found,
    ):
        assert pickle.loads(pickle.dumps(value)) == value


@pytest.mark.parametrize("missing", ["nothing", "torch"])
def test_help_lists_public_names_with_and_without_torch(missing: str) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "import pydoc, similitude; print(pydoc.render_doc(similitude))"
    )
    shown = pydoc.plain(run(code))
    description = shown[: shown.index("PACKAGE CONTENTS")]
    for text in ("sim.compare(", "sim.cka(x, y)", "sim.load(", "to_pandas()"):
        assert text in description
    for text in ("cka(x", "compare(", "class Results(", "latent (pack"):
        assert text in shown
    assert "class CKA(" not in shown
    assert f"VERSION\n    {sim.__version__}" in shown


def test_version_is_a_literal() -> None:
    """Hatch reads the version without importing the package."""
    assert f'\n__version__ = "{sim.__version__}"\n' in _source()


def test_type_checkers_see_the_same_names() -> None:
    """Compare the tables at run time with the imports that mypy and IDEs read."""
    (block,) = (
        node
        for node in ast.parse(_source()).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    modules, names, stars = set(), {}, []
    for line in block.body:
        assert isinstance(line, ast.ImportFrom)
        assert line.level == 1
        for alias in line.names:
            assert alias.name == "*" or alias.asname == alias.name  # a re-export
            if alias.name == "*":
                stars.append(line.module)
            elif line.module is None:
                modules.add(alias.name)
            else:
                names[alias.name] = line.module
    assert stars == ["measures._functions"]
    assert modules == {*sim._MODULES, *sim._QUIET} == MODULES
    assert set(sim._MODULES) == SHOWN
    assert names == sim._NAMES


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("linear_cka", "similitude.cka(x, y)"),
        ("rbf_cka", "similitude.cka(x, y, kernel='rbf')"),
        ("nbs", "similitude.procrustes(x, y, form='similarity')"),
    ],
)
def test_another_name_of_a_measure_names_its_function(name, call) -> None:
    with pytest.raises(AttributeError) as raised:
        getattr(sim, name)
    assert str(raised.value).endswith(call)
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing_like_it'$"):
        _ = sim.nothing_like_it


def _source() -> str:
    return Path(sim.__file__).read_text()
