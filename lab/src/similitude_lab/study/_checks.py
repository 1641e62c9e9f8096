"""Published numbers and orders, and the verdict on our values."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Literal

Verdict = Literal["reproduced", "differs", "direction only", "not judged"]
Values = Mapping[str, float]
OTHER_SCALE = "the setting of the paper is --scale"


@dataclass(frozen=True, kw_only=True)
class Check:
    """One judged statement of a paper, with our value beside the published value."""

    quantity: str
    ours: float
    published: str
    verdict: Verdict
    reason: str
    where: str = ""


@dataclass(frozen=True)
class Number:
    """A published number with the tolerance within which ours counts as equal.

    Parameters
    ----------
    quantity : str
        Name of the value in `StudyResult.values`.
    value : float
        The published number.
    tolerance : float
        Largest absolute difference that counts as reproduced. It is committed before
        the first run.
    where : str
        Figure, table or section of the paper.
    scales : tuple of str, optional
        Scales whose setting is the published one. At other scales our number is shown
        beside the published one and not judged. Default: all scales.
    note : str, optional
        A known error in the published number, or another reason for a difference.
    given : str, optional
        Name of a value that says whether the statement can be judged in this run: it
        is judged if the value is above 0. Default: it is always judged.
    """

    quantity: str
    value: float
    tolerance: float
    _: KW_ONLY
    where: str = ""
    scales: tuple[str, ...] = ("smoke", "small", "paper")
    note: str = ""
    given: str = ""

    def judge(self, values: Values, scale: str) -> Check:
        ours = values[self.quantity]
        verdict: Verdict = "not judged"
        if scale not in self.scales:
            allowed = " or ".join(self.scales)
            reason = f"{OTHER_SCALE} {allowed}"
        elif not _holds(self.given, values):
            reason = f"{self.given} does not hold"
        elif abs(ours - self.value) <= self.tolerance:
            verdict = "reproduced"
            reason = f"within {self.tolerance:g}"
        else:
            verdict = "differs"
            reason = f"differs by more than {self.tolerance:g}"
        return Check(
            quantity=self.quantity,
            ours=ours,
            published=f"{self.value:g}",
            verdict=verdict,
            reason="; ".join(filter(None, [reason, self.note])),
            where=self.where,
        )


@dataclass(frozen=True)
class Order:
    """A published order: one quantity is above or below another quantity or a number.

    Parameters
    ----------
    quantity : str
        Name of the value in `StudyResult.values`.
    sign : {"<", "<=", ">", ">="}
        Relation of `quantity` to `than`.
    than : str or float
        Name of another value, or a number.
    where, note, given : str, optional
        As for `Number`.
    """

    quantity: str
    sign: Literal["<", "<=", ">", ">="]
    than: str | float
    _: KW_ONLY
    where: str = ""
    note: str = ""
    given: str = ""

    def judge(self, values: Values, scale: str) -> Check:
        ours = values[self.quantity]
        other = values[self.than] if isinstance(self.than, str) else self.than
        holds = {
            "<": ours < other,
            "<=": ours <= other,
            ">": ours > other,
            ">=": ours >= other,
        }[self.sign]
        named = f"{self.than} = {other:.4g}" if isinstance(self.than, str) else other
        reason = f"{ours:.4g} {self.sign} {named} {'holds' if holds else 'fails'}"
        verdict: Verdict = "direction only" if holds else "differs"
        if not _holds(self.given, values):
            verdict, reason = "not judged", f"{self.given} does not hold"
        return Check(
            quantity=self.quantity,
            ours=ours,
            published=f"{self.sign} {self.than}",
            verdict=verdict,
            reason="; ".join(filter(None, [reason, self.note])),
            where=self.where,
        )


def _holds(given: str, values: Values) -> bool:
    return not given or values[given] > 0


def judge_all(
    checks: tuple[Number | Order, ...], values: Values, scale: str
) -> list[Check]:
    """The checks with our values. A value that is NaN never passes."""
    return [check.judge(values, scale) for check in checks]


def overall(checks: list[Check]) -> tuple[Verdict, str]:
    """The verdict on a study, and the reason.

    One statement that differs makes the study differ. A study is reproduced if every
    published number at this scale is reproduced. If only orders were judged, the
    verdict is about the direction only.
    """
    differing = [check.quantity for check in checks if check.verdict == "differs"]
    judged = [check for check in checks if check.verdict != "not judged"]
    if differing:
        return "differs", f"differs in {', '.join(differing)}"
    left = [check for check in checks if check.verdict == "not judged"]
    scales = sum(check.reason.startswith(OTHER_SCALE) for check in left)
    if not judged:
        if len(left) > scales:
            return "not judged", "no statement can be judged in this run"
        return "not judged", "the paper reports no number for this setting"
    if any(check.verdict == "reproduced" for check in judged) and judged == checks:
        return "reproduced", f"{len(judged)} of {len(judged)} statements hold"
    more = [_counted(len(judged), "statement holds", "statements hold")]
    if scales:
        more.append(_counted(scales, "number needs", "numbers need") + " another scale")
    if len(left) > scales:
        words = _counted(len(left) - scales, "statement", "statements")
        more.append(f"{words} cannot be judged in this run")
    return "direction only", "; ".join(more)


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
