"""The generated part of a page of a family: claims and docstrings of its measures."""

import sys

from similitude.cli._measures._claims_text import interval, invariances
from similitude.measures import RECORDS, Measure

MARK = "<!-- measures of the family -->"


def families() -> dict[str, list[type[Measure]]]:
    """Classes of measures by family, in the order of their names."""
    found: dict[str, list[type[Measure]]] = {}
    for name in sorted(RECORDS):
        family = RECORDS[name].__module__.split(".")[2]
        found.setdefault(family, []).append(RECORDS[name])
    return found


def title(family: str) -> str:
    package = sys.modules[f"similitude.measures.{family}"]
    return str(package.__doc__).removesuffix(".")


def generated(family: str) -> str:
    """One section per measure."""
    return "\n".join(_section(record) for record in families()[family])


def _section(record: type[Measure]) -> str:
    try:
        claims = _claims(record())
    except TypeError:  # a field without a default, such as the inputs
        claims = ""
    return (
        f"## {record.name}\n\n{claims}\n"
        f"```{{eval-rst}}\n.. autofunction:: similitude.{record.name}\n\n"
        f".. autoclass:: similitude.measures.{record.__name__}\n   :no-members:\n```\n"
    )


def _claims(measure: Measure) -> str:
    """The claims as one line, because tables of seven columns do not fit."""
    claims = measure.claims()
    invariant = invariances(measure).strip("()").replace("_", " ")
    facts = [f"{claims.kind} in {interval(*claims.range)}"]
    if measure.domain != "outputs":
        facts.append(f"unchanged by {invariant}")
    facts += [
        "symmetric" if claims.symmetric else "not symmetric",
        *(["triangle inequality"] if claims.triangle else []),
        *([] if claims.paired else ["rows need not correspond"]),
        "gradients" if claims.differentiable else "no gradients",
        "interval" if claims.interval else "no interval",
        f"cost: {measure.cost}",
    ]
    chance = f" Chance: {claims.chance}." if claims.chance else ""
    text = "; ".join(facts)
    return f"*{text[0].upper()}{text[1:]}.*{chance}\n"
