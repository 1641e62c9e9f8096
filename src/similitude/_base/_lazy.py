"""Names of a package that are imported on first use."""

import importlib
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType

from ._former import moved


def lazy(
    package: str,
    modules: Mapping[str, str],
    root: str = "",
    former: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package.

    `modules` gives the module of each name, below `root` or the package. A name that is
    its own module stands for the module. `former` gives the new path of names that have
    left the package.
    """
    own = vars(sys.modules[package])

    def get(name: str) -> object:
        if name in former:  # `from package import` would hide an AttributeError
            raise ImportError(moved(f"{package}.{name}", former[name]))
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = importlib.import_module(f"{root or package}.{modules[name]}")
        own[name] = found if name == modules[name] else getattr(found, name)
        return own[name]  # later lookups do not call this function

    return get, lambda: sorted({*own, *modules})
