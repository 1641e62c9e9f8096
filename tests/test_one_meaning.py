"""A public name means one thing."""

import importlib
import inspect
import pkgutil
from types import ModuleType

import similitude

ALL = [info.name for info in pkgutil.walk_packages(similitude.__path__, "similitude.")]


def public_modules() -> list[ModuleType]:
    """What can be imported by a name without underscore.

    Not `cli`: its functions are commands, called as `similitude compare`.
    """
    names = [name for name in ALL if "._" not in name and ".cli" not in name]
    return [similitude, *map(importlib.import_module, names)]


def public_functions(module: ModuleType) -> dict[str, object]:
    """Ours only: what a module has from elsewhere is documented there."""
    return {
        name: value
        for name in dir(module)
        if not name.startswith("_")
        and inspect.isfunction(value := getattr(module, name))
        and value.__module__.startswith("similitude")
    }


def test_no_two_public_functions_share_a_name() -> None:
    """What is called the same in two places is the same function."""
    first: dict[str, tuple[str, object]] = {}
    twice = []
    for module in public_modules():
        for name, function in public_functions(module).items():
            where, known = first.setdefault(name, (module.__name__, function))
            if known is not function:
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
