"""`import similitude` is lazy; names, help, pickles and star imports still work."""

import ast
import importlib
import pickle
import pydoc
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import similitude as sim
from similitude import measures

OTHERS = {
    *("Config", "Outputs", "Representation", "Results", "SoftmaxModel", "config"),
    *("InvalidInput", "MissingExtra", "SimilitudeError", "Undefined"),
    *("advise", "best_layers", "compare", "extract", "load", "per_stimulus"),
    *("CKA", "Claims", "Group", "MEASURES", "Measure"),
    *("cite", "cka", "closure", "find_measure"),
}
MODULES = {
    *("advice", "align", "compat", "data", "engine", "errors", "extraction"),
    *("identifiability", "inputs"),
    *("measures", "nets", "plots", "report", "representation", "stats", "store"),
    *("plugins", "streaming", "testing", "topology", "training", "transformations"),
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
    assert OTHERS | MODULES | set(sim.__all__) <= set(dir(sim))


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


def test_names_of_similitude_measures_are_names_of_similitude() -> None:
    """A new measure needs one line in `measures/__init__.py` only."""
    for name in ("cka", "CKA", "MEASURES", "find_measure", "procrustes", "cite"):
        assert getattr(sim, name) is getattr(measures, name)
    code = (
        "import similitude, similitude.measures as m; m.mine = lambda x, y: 0.5; "
        "print(similitude.mine(1, 2), 'mine' in dir(similitude))"
    )
    assert run(code) == "0.5 True\n"


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
    for value in (sim.cka, sim.CKA, sim.CKA(kernel="rbf"), sim.compare, found):
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
    for text in ("cka(x", "class CKA(", "compare(", "class Results(", "training (pack"):
        assert text in shown
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
    assert stars == ["measures"]
    assert modules == set(sim._MODULES) == MODULES
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
