"""Names of a package that import torch when they are used."""

import importlib
import sys
from collections.abc import Callable, Mapping

from similitude.errors import check_extra


def torch_names(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__`; `modules` gives the module of each name."""

    def get(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        check_extra(f"{package}.{name}", "torch")
        return getattr(importlib.import_module(f"{package}.{modules[name]}"), name)

    return get, lambda: sorted({*vars(sys.modules[package]), *modules})
