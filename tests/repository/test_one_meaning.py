"""Each public name refers to one object."""

import importlib
import inspect
import pkgutil
from types import ModuleType

import similitude

ALL = [info.name for info in pkgutil.walk_packages(similitude.__path__, "similitude.")]


def public_modules() -> list[ModuleType]:
    """All modules whose names have no underscore.

    `cli` is excluded: its functions are commands, called as `similitude compare`.
    `compat` is excluded: its functions have the names of other packages.
    """
    without = ("._", ".cli", ".compat.")
    names = [name for name in ALL if not any(part in name for part in without)]
    return [similitude, *map(importlib.import_module, names)]


def public_functions(module: ModuleType) -> dict[str, object]:
    """The functions that are defined in similitude."""
    return {
        name: value
        for name in dir(module)
        if not name.startswith("_")
        and inspect.isfunction(value := getattr(module, name))
        and value.__module__.startswith("similitude")
    }


def test_public_functions_with_equal_names_are_the_same_function() -> None:
    first: dict[str, tuple[str, object]] = {}
    conflicts = []
    for module in public_modules():
        for name, function in public_functions(module).items():
            where, other = first.setdefault(name, (module.__name__, function))
            if other is not function:
                conflicts.append(f"{where}.{name} and {module.__name__}.{name}")
    assert conflicts == []


def test_no_dotted_name_is_both_a_module_and_a_function() -> None:
    conflicts = [
        dotted
        for module in public_modules()
        for name in public_functions(module)
        if (dotted := f"{module.__name__}.{name}") in ALL
    ]
    assert conflicts == []
