"""Find measures by name or alias, with options."""

import difflib
import functools
import inspect
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .._base._record import Option, parse_label
from ..errors import InvalidInput, either
from ._base import Measure

#: measures that `compare` computes by default, one for each question
DEFAULT = ("cka", "procrustes", "mean_cca", "rsa", "mutual_knn", "rtd")

#: measures of `diff` in addition to those of coordinates: of geometry, and of outputs
DIFF = (DEFAULT[0], DEFAULT[4])
DIFF_OUTPUTS = ("disagreement", "kl_divergence")


def find_measure(item: Any) -> Measure:
    """The measure with this name or alias; a measure is returned unchanged.

    Names may have upper-case letters, hyphens and spaces, and options in parentheses.
    The class of a measure and its function are found as well.

    >>> find_measure("CKA(kernel=rbf(fraction=0.5))").label
    'cka(kernel=rbf(fraction=0.5))'
    >>> find_measure("Mutual-kNN(k=5)").options["k"]
    5
    """
    if isinstance(item, Measure):
        return item
    if isinstance(item, str):
        name, options = parse_label(item)
        return _with_options(_named(name), options)
    if isinstance(item, type) and issubclass(item, Measure):
        return _named(item.name) if item.name in _records() else item()
    if isinstance(item, functools.partial) and not item.args:
        return _with_options(find_measure(item.func), item.keywords)
    name, module = (str(getattr(item, a, "")) for a in ("__name__", "__module__"))
    if name in _records() and module.startswith("similitude."):
        return _named(name)
    raise InvalidInput(
        f"{item!r} is not a measure; give a name such as {DEFAULT[0]!r}, or a Measure."
    )


def _named(typed: str) -> Measure:
    """The measure with this name or alias, in any case."""
    from . import MEASURES

    name = re.sub(r"[\s\-]+", "_", typed.strip()).lower()
    if name in MEASURES:
        return MEASURES[name]
    aliases = _aliases()
    if name in aliases:
        record, options = aliases[name]
        if record.name in MEASURES:
            return record(**options)
        raise InvalidInput(
            f"{typed} needs the networks' inputs. Remove it from the measures and give "
            + either(python="inputs=images", shell="--inputs images.npy")
            + ", which adds it."
        )
    near = _suggestion(name, [*MEASURES], [*aliases])
    hint = f" Did you mean {near!r}?" if near else ""
    listed = either(
        python=f"similitude.MEASURES has all {len(MEASURES)}.",
        shell=f"`similitude measures` lists all {len(MEASURES)}.",
    )
    raise InvalidInput(f"there is no measure {typed!r}.{hint} {listed}")


def _with_options(measure: Measure, options: Mapping[str, Any]) -> Measure:
    """The measure with these options changed."""
    measure.check_names(options)
    try:
        return replace(measure, **options) if options else measure
    except InvalidInput as error:
        raise InvalidInput(f"{measure.name}: {error}") from None


def _suggestion(name: str, names: list[str], aliases: list[str]) -> str | None:
    """A name that has the same words or a similar spelling; names before aliases."""
    words = {word for word in name.split("_") if len(word) > 1}

    def shared(known: str) -> float:
        others = set(known.split("_"))
        return len(words & others) / len(words | others)

    known = [*names, *aliases]
    if most := max(map(shared, known)):
        return next(word for word in known if shared(word) == most)
    near = difflib.get_close_matches(name, names, n=1)
    near = near or difflib.get_close_matches(name, aliases, n=1)
    return near[0] if near else None


def summary(measure: Measure) -> str:
    """What a measure asks: the first sentence of its documentation."""
    function = getattr(measure.func, "func", type(measure))
    text = inspect.getdoc(function)
    return " ".join((text or "").split("\n\n")[0].split())


def measures_of_inputs(inputs: Any) -> list[Measure]:
    """The measures that need the networks' inputs, built with these inputs."""
    from . import RECORDS

    built = [record.of_inputs(inputs) for record in RECORDS.values()]
    return [measure for measure in built if measure is not None]


def _records() -> Mapping[str, type[Measure]]:
    from . import RECORDS

    return RECORDS


def _aliases() -> dict[str, tuple[type[Measure], Mapping[str, Option]]]:
    """Aliases, and names of measures without defaults: all names not in `MEASURES`."""
    from . import MEASURES, RECORDS

    found: dict[str, tuple[type[Measure], Mapping[str, Option]]] = {}
    for name, record in RECORDS.items():
        if name not in MEASURES:
            found[name] = (record, {})
        found |= {alias.name: (record, alias.options) for alias in record.aliases}
    return found
