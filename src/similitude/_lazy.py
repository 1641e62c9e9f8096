"""Names of a package that are imported on first use."""

import importlib
import sys
import types
from collections.abc import Callable, Mapping


def lazy(
    package: str,
    modules: Mapping[str, str],
    root: str = "",
    moved: Mapping[str, str] = types.MappingProxyType({}),
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package.

    `modules` gives the module of each name, below `root` or the package. A name that is
    its own module stands for the module. `moved` gives the new place of former names.
    """
    own = vars(sys.modules[package])

    def get(name: str) -> object:
        if (
            name in moved
        ):  # an AttributeError would be replaced by `from package import`
            raise ImportError(
                f"{package}.{name} is now {moved[name]}; import it there."
            )
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = importlib.import_module(f"{root or package}.{modules[name]}")
        own[name] = found if name == modules[name] else getattr(found, name)
        return own[name]  # later lookups do not call this function

    return get, lambda: sorted({*own, *modules})
