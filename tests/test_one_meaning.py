"""Each public name refers to one function or module."""

import importlib
import inspect
import pkgutil
from types import ModuleType

import similitude

ALL = [info.name for info in pkgutil.walk_packages(similitude.__path__, "similitude.")]


def public_modules() -> list[ModuleType]:
    """Modules whose names have no underscore.

    `cli` is excluded: its functions are commands, called as `similitude compare`.
    """
    names = [name for name in ALL if "._" not in name and ".cli" not in name]
    return [similitude, *map(importlib.import_module, names)]


def public_functions(module: ModuleType) -> dict[str, object]:
    """Public functions of a module that are defined in this package."""
    return {
        name: value
        for name in dir(module)
        if not name.startswith("_")
        and inspect.isfunction(value := getattr(module, name))
        and value.__module__.startswith("similitude")
    }


def test_no_two_public_functions_share_a_name() -> None:
    """Equal names in two modules are the same function."""
    seen: dict[str, tuple[str, object]] = {}
    twice = []
    for module in public_modules():
        for name, function in public_functions(module).items():
            where, first = seen.setdefault(name, (module.__name__, function))
            if first is not function:
                twice.append(f"{where}.{name} and {module.__name__}.{name}")
    assert twice == []


def test_no_dotted_name_is_both_a_module_and_a_function() -> None:
    both = [
        dotted
        for module in public_modules()
        for name in public_functions(module)
        if (dotted := f"{module.__name__}.{name}") in ALL
    ]
    assert both == []
