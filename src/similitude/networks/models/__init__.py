"""Comparisons of models in one pass over data, without storing activations."""

import typing as _typing

from ._compare_models import compare_models as compare_models
from ._monitor import Monitor as Monitor

if not _typing.TYPE_CHECKING:  # type checkers cannot read this list
    __all__ = [name for name in dir() if not name.startswith("_")]
