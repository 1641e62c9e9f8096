"""Functions in Python files that the user names, as in ``models.py:resnet20``."""

import importlib.util
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ....errors import InvalidInput, SimilitudeError, did_you_mean


def is_code(text: str) -> bool:
    """Whether a text has the form PATH.py:NAME."""
    path, colon, name = text.rpartition(":")
    return bool(colon) and path.endswith(".py") and name.isidentifier()


def load(text: str, option: str) -> Callable[..., Any]:
    """The function of ``PATH.py:NAME``. Only this file is imported by its path.

    Files next to it are not found by its imports, unless they are installed or in
    PYTHONPATH: files next to data should not run.
    """
    path, _, name = text.rpartition(":")
    module = _import(Path(path), option)
    found = getattr(module, name, None)
    if not callable(found):
        names = [n for n, value in vars(module).items() if callable(value)]
        raise InvalidInput(
            f"{option}: {path} has no function {name!r}.{did_you_mean(name, names)}"
        )
    return found


def call(function: Callable[..., Any], text: str) -> Any:
    """Call a function of the user; its errors become one sentence."""
    try:
        return function()
    except SimilitudeError:
        raise
    except (Exception, SystemExit) as error:  # the code of the user raises any type
        raise InvalidInput(f"{text} raised {_sentence(error)}") from error


def _import(path: Path, option: str) -> Any:
    if not path.is_file():
        raise InvalidInput(f"{option}: {path} does not exist.")
    name = path.stem
    while (known := sys.modules.get(name)) is not None:
        if getattr(known, "__file__", None) == str(path.resolve()):
            return known  # the model and the data may be in one file
        name += "_file"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise InvalidInput(f"{option}: {path} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # data classes look their module up
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # the code of the user raises any type
        del sys.modules[name]
        raise InvalidInput(f"{path} cannot be imported: {_sentence(error)}") from error
    return module


def _sentence(error: BaseException) -> str:
    """The type, the first line of the message, and the line of the file."""
    lines = (str(error).strip() or "no message").splitlines()
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"
    advice = ""
    if isinstance(error, ModuleNotFoundError):
        advice = " Install it, or add its folder to PYTHONPATH."
    return f"{type(error).__name__}: {lines[0].rstrip('.')}{where}.{advice}"
