"""Parsing of transforms and maps such as ``robust(stats=train, normalize=l2)``."""

import inspect
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..._base._record import parse_label
from ...errors import InvalidInput, check_known
from ..align import MAPS, Map
from ..align.relative import TRANSFORMS, Relative, relative_transform
from ..stitching import BASELINES


def find_relative(text: str) -> Relative:
    name, options = _named(text)
    check_known(name, TRANSFORMS, f"unknown relative transform {name!r}")
    return relative_transform(name, **options)


def find_map(text: str) -> partial[Map]:
    """The function that fits the map, with its options."""
    name, options = _named(text)
    check_known(name, MAPS, f"unknown map {name!r}")
    parameters = dict(list(inspect.signature(MAPS[name]).parameters.items())[2:])
    for key, value in options.items():
        if key not in parameters:
            raise InvalidInput(
                f"{name} has no option {key!r}; its options are "
                f"{', '.join(parameters) or 'none'}."
            )
        if isinstance(parameters[key].default, bool) and not isinstance(value, bool):
            raise InvalidInput(f"{name}: {key}={value}; write true or false.")
    return partial(MAPS[name], **options)


def find_transform(text: str) -> Relative | Callable[[Any, Any], Map]:
    """A relative transform or a function that fits a map."""
    name, _ = _named(text)
    if name in MAPS:
        return find_map(text)
    check_known(name, [*TRANSFORMS, *MAPS], f"unknown transform or map {name!r}")
    return find_relative(text)


def find_transforms(names: Sequence[str]) -> dict[str, Any]:
    """The transforms and maps by their labels; the baselines are always included."""
    return {name: find_transform(name) for name in names if name not in BASELINES}


def seeds(text: str) -> list[int]:
    """The numbers of ``--seeds 0,1,2``."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInput(f"--seeds {text!r}: write numbers as 0,1,2.") from None


def _named(text: str) -> tuple[str, dict[str, Any]]:
    """The name, in lower case and with underscores, and the options."""
    name, options = parse_label(text)
    return re.sub(r"[\s\-]+", "_", name).lower(), options
