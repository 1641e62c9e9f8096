"""Relative transforms by name, from JSON, and from saved folders."""

import operator
import types
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from ...._base._array import Array
from ....errors import check_known
from ._base import Relative
from ._coordinates import CenteredCosine, Robust, WhitenedCosine
from ._cosines import Angular, Cosine, ScaledCosine, SparseCosine
from ._distances import L1, ChangeOfBasis, Euclidean, Inner, Linf
from ._fitted import FOLDER, Fitted
from ._product import Product

__all__ = ["TRANSFORMS", "load_relative", "relative_transform"]

#: name of a transform -> its class
TRANSFORMS: Mapping[str, type[Relative]] = types.MappingProxyType(
    {
        record.name: record
        for record in (
            Cosine,
            ScaledCosine,
            CenteredCosine,
            Robust,
            WhitenedCosine,
            Angular,
            Inner,
            Euclidean,
            L1,
            Linf,
            ChangeOfBasis,
            SparseCosine,
            Product,
        )
    }
)


def relative_transform(name: str, **options: Any) -> Relative:
    """Create the transform of this name with these options.

    >>> relative_transform("robust", stats="batch").label
    'robust(stats=batch)'
    """
    check_known(name, TRANSFORMS, f"unknown transform {name!r}")
    for key in options:
        known = (f.name for f in fields(TRANSFORMS[name]))
        check_known(key, known, f"{name} does not have the option {key!r}")
    if isinstance(options.get("parts"), tuple | list):
        options["parts"] = tuple(_part(part) for part in options["parts"])
    return TRANSFORMS[name](**options)


def _part(part: Any) -> Any:
    """Turn a JSON record into a transform; return anything else unchanged."""
    if isinstance(part, Mapping) and {"name", "options"} <= part.keys():
        return relative_transform(part["name"], **part["options"])
    return part


def load_relative(path: str | Path, *, like: Array = None) -> Fitted:
    """Load a fitted transform, in numpy or in the library and device of `like`."""
    fitted = FOLDER.read(path, _fitted)
    return fitted if like is None else fitted.like(like)


def _fitted(state: dict[str, Array], record: dict[str, Any]) -> Fitted:
    transform = relative_transform(record["name"], **record["options"])
    k, d = operator.index(record["k"]), operator.index(record["d"])
    return Fitted(transform, state, k, d)
