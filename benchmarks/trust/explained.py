"""Deviations above their tolerance, and the one-line reason of each."""

from typing import Any

from .compared import ABSENT, UNDEFINED
from .tolerance import LOOSEST

# (beginning of the variant, case, beginning of the route): reason. "" fits all.
REASONS: dict[tuple[str, str, str], str] = {
    ("cka(kernel=polynomial", "large offset", "HSIC term by term"): (
        "the formula in float64 has no digits left, since the kernel of raw rows at an "
        "offset of 1e6 has a condition of 1e11, squared; in exact fractions the "
        "unbiased score of seed 0 is 0.258970 for degree 3 and 0.255223 for degree 2, "
        "and the library has 0.258968 and 0.255220"
    ),
}


def deviation(a: Any, b: Any) -> float:
    """The distance of a score from a route's value, or from its interval."""
    if UNDEFINED in (a, b):
        return 0.0 if a == b else float("inf")
    low, high = (b, b) if isinstance(b, int | float) else b
    if low <= a <= high:
        return 0.0
    return max(low - a, a - high)


def deviations(line: dict[str, Any]) -> dict[str, float]:
    """By route; torch is compared with numpy."""
    values = line["routes"] | {"torch": line["torch"]}
    return {
        label: deviation(line["library"], value)
        for label, value in values.items()
        if value != ABSENT
    }


def reason(line: dict[str, Any], route: str) -> str | None:
    for (variant, case, label), text in REASONS.items():
        fits = line["measure"].startswith(variant) and route.startswith(label)
        if fits and case in ("", line["case"]):
            return text
    return None


def allowed(line: dict[str, Any], route: str) -> float:
    """The tolerance, at most `LOOSEST` of the score, so that each check can fail."""
    found: float = line["coarse"].get(route, line["tolerance"])
    if line["library"] == UNDEFINED:
        return found
    return min(found, LOOSEST * max(1.0, abs(line["library"])))


def above(line: dict[str, Any]) -> list[str]:
    """The routes that deviate by more than the tolerance."""
    found = deviations(line).items()
    return [label for label, value in found if not value <= allowed(line, label)]


def unexplained(lines: list[dict[str, Any]]) -> list[str]:
    """One line of text per deviation above its tolerance without a reason."""
    return [
        f"{line['measure']}, {line['case']}, seed {line['seed']}: {route} deviates by "
        f"{deviations(line)[route]:.2g}; the tolerance is {allowed(line, route):.2g}"
        for line in lines
        for route in above(line)
        if reason(line, route) is None
    ]
