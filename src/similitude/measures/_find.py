"""Find measures by name or alias."""

import difflib
from collections.abc import Mapping
from typing import Any

from .._record import Option
from ..errors import InvalidInput
from ._base import Measure

#: measures that `compare` computes by default, one for each question
DEFAULT = ("cka", "procrustes", "mean_cca", "rsa", "mutual_knn", "rtd")


def find_measure(item: Any) -> Measure:
    """The measure with this name or alias; a measure is returned unchanged."""
    if isinstance(item, Measure):
        return item
    from . import MEASURES

    if isinstance(item, str) and item in MEASURES:
        return MEASURES[item]
    aliases = _aliases()
    if isinstance(item, str) and item in aliases:
        record, options = aliases[item]
        if record.name in MEASURES:
            return record(**options)
        raise InvalidInput(
            f"{item} needs the networks' inputs. Remove it from the measures and give "
            f"--inputs images.npy (inputs= in Python), which adds it."
        )
    text = str(item).lower()
    near = difflib.get_close_matches(text, MEASURES, n=1)
    near = near or difflib.get_close_matches(text, aliases, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise InvalidInput(
        f"there is no measure {item!r}.{hint} `similitude measures` lists all "
        f"{len(MEASURES)}."
    )


def measures_of_inputs(inputs: Any) -> list[Measure]:
    """The measures that need the networks' inputs, built with these inputs."""
    from . import RECORDS

    built = [record.of_inputs(inputs) for record in RECORDS.values()]
    return [measure for measure in built if measure is not None]


def _aliases() -> dict[str, tuple[type[Measure], Mapping[str, Option]]]:
    """Aliases, and names of measures without defaults: all names not in `MEASURES`."""
    from . import MEASURES, RECORDS

    found: dict[str, tuple[type[Measure], Mapping[str, Option]]] = {}
    for name, record in RECORDS.items():
        if name not in MEASURES:
            found[name] = (record, {})
        found |= {alias.name: (record, alias.options) for alias in record.aliases}
    return found
