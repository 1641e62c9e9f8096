"""Public names of similitude and its lab, and the page that documents each of them."""

import collections.abc
import contextlib
import contextvars
import dataclasses
import importlib
import inspect
import pkgutil
import typing
from dataclasses import dataclass
from types import ModuleType

import similitude
import similitude_lab

_STANDARD = (collections.abc, contextlib, contextvars, dataclasses, typing)


@dataclass(frozen=True)
class Name:
    """A public object, and the shortest path by which it can be imported."""

    module: str
    name: str
    value: object

    @property
    def path(self) -> str:
        return f"{self.module}.{self.name}"

    @property
    def kind(self) -> str:
        """The directive of autodoc."""
        if inspect.isclass(self.value):
            is_error = issubclass(self.value, BaseException)
            return "autoexception" if is_error else "autoclass"
        return "autofunction" if inspect.isroutine(self.value) else "data"

    @property
    def family(self) -> str | None:
        """The family of a measure: its page documents the measure."""
        records = similitude.measures.RECORDS
        is_function = getattr(similitude, self.name, None) is self.value
        record = records.get(self.name, self.value) if is_function else self.value
        is_measure = record in records.values()
        return record.__module__.split(".")[2] if is_measure else None


def public_modules() -> list[str]:
    """Modules without an underscore; the command line is documented by its help."""
    names = [
        info.name
        for package in (similitude, similitude_lab)
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    public = [name for name in names if "._" not in name and ".cli" not in name]
    return ["similitude", *sorted(public, key=lambda name: (name.count("."), name))]


def public_names() -> list[Name]:
    """Every public object once, under the shortest path."""
    found: dict[tuple[str, int], Name] = {}
    for path in public_modules():
        module = importlib.import_module(path)
        for name in sorted(dir(module)):
            value = getattr(module, name)
            if not name.startswith("_") and _is_ours(name, value):
                found.setdefault((name, id(value)), Name(path, name, value))
    return list(found.values())


def _is_ours(name: str, value: object) -> bool:
    if isinstance(value, ModuleType) or isinstance(value, typing.TypeVar):
        return False
    if any(getattr(module, name, None) is value for module in _STANDARD):
        return False
    if inspect.isclass(value) or inspect.isroutine(value):
        return value.__module__.startswith("similitude")
    return True  # a constant or the alias of a type
