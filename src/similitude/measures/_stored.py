"""Measures in results folders, also as version 0.1.0 stored them."""

from collections.abc import Mapping
from typing import Any

from .._base._record import labelled
from ..errors import InvalidInput
from ._base import Measure
from .kernel_alignment._cka import CKA
from .kernel_alignment._kernels import Kernel


def stored_measure(name: str, options: Mapping[str, Any]) -> Measure | None:
    """The measure of a stored row; None if this package does not have it."""
    from . import RECORDS

    try:
        return RECORDS[name](**options)
    except (KeyError, TypeError, InvalidInput):
        return None


def as_stored(
    name: str, label: str, options: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """The label and the options of a row, as this version stores them.

    In 0.1.0 the options of all kernels of CKA were options of CKA.
    """
    if name != CKA.name or "fraction" not in options:
        return label, options
    try:
        kernel = Kernel.choices()[options["kernel"]]
        own = {k: options[k] for k in kernel().options}
        rest = {k: options[k] for k in ("estimator", "form")}
        measure = CKA(kernel=kernel(**own), **rest)
    except (KeyError, TypeError, InvalidInput):  # not written by `compare`
        return label, options
    usual = CKA().identity()["options"]
    flat = measure.identity()["options"]
    former = labelled(CKA.name, {k: v for k, v in flat.items() if v != usual[k]})
    return (measure.label if label == former else label), measure.options
