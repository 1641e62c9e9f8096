"""Paths of version 0.1.0 that have moved: using one fails, and names the new one."""

import sys

TYPE_CHECKING = False  # `typing` could be a file of the current folder
if TYPE_CHECKING:
    from typing import Any

#: Below `similitude`. Names that left a package are in the `lazy` of that package.
FORMER = {
    "align": "similitude.latent.align",
    "data": "similitude.networks.data",
    "engine.changes": "similitude.networks.diff",
    "engine.models": "similitude.networks.models",
    "extraction": "similitude.networks.extraction",
    "migration": "similitude.latent.migration",
    "nets": "similitude.networks",
    "training": "similitude.latent.stitching",
}


def moved(path: str, new: str) -> str:
    return f"{path} is now {new}."


def first_path(module: str) -> str:
    """The path of a module in 0.1.0: moves do not change what identifies a result."""
    first = {new: f"similitude.{old}" for old, new in FORMER.items()}
    first["similitude._base"] = "similitude"
    first["similitude.latent.stitching"] = "similitude.training.stitching"
    parts = module.split(".")
    for stop in range(len(parts), 1, -1):
        if old := first.get(".".join(parts[:stop])):
            return ".".join([old, *parts[stop:]])
    return module


def first_name(kind: "Any") -> str:
    """The full name of a class or function in 0.1.0."""
    return f"{first_path(kind.__module__)}.{kind.__qualname__}"


class _Finder:
    """Python asks it last for modules that it has not found."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        package, _, rest = name.partition(".")
        if package == "similitude" and (new := FORMER.get(rest)):
            raise ModuleNotFoundError(moved(name, new), name=name)


def explain_former_imports() -> None:
    """Let ``import similitude.latent.align`` name the new path."""
    sys.meta_path.append(_Finder)
