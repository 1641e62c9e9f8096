"""Published numbers and orders, and the verdict on our values."""

import math
from collections.abc import Collection, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

Verdict = Literal[
    "reproduced",
    "direction only",
    "differs",
    "not comparable",
    "holds (theorem)",
    "holds in the control",
    "not judged",  # in results before version 2 of this file
]
COUNTED = ("reproduced", "direction only", "differs")
ALL = ("smoke", "small", "paper")
Values = Mapping[str, float]
ROUNDING = 1e-12  # relative
OTHER_SCALE = "the setting of the paper is --scale"


@dataclass(frozen=True, kw_only=True)
class Check:
    """One judged statement of a paper, with our value next to the published value."""

    quantity: str
    ours: float
    published: str
    verdict: Verdict
    reason: str
    where: str = ""

    @property
    def key(self) -> str:
        """The statement as text."""
        return f"{self.quantity} {self.published}"


@dataclass(frozen=True)
class Statement:
    """A published statement about one value of `StudyResult.values`.

    Parameters
    ----------
    quantity : str
        Name of the value.
    where : str, optional
        Figure, table or section of the paper.
    scales : tuple of str, optional
        Scales whose setting is the published one. At other scales our number is shown
        and not judged. Default: all scales.
    note : str, optional
        A known error in the published number, or another reason for a difference.
    given : str, optional
        Name of a value that says whether the statement can be judged in this run: it
        is judged if the value is above 0. Default: it is always judged.
    missing : str, optional
        What a run lacks in which `given` does not hold.
    theorem : bool, optional
        The statement follows from a proof or a construction. It is shown, and does not
        count in the verdict unless it fails.
    """

    quantity: str
    _: KW_ONLY
    where: str = ""
    scales: tuple[str, ...] = ALL
    note: str = ""
    given: str = ""
    missing: str = ""
    theorem: bool = False

    HELD: ClassVar[Verdict]

    def judge(
        self, values: Values, scale: str, in_control: Collection[str] = ()
    ) -> Check:
        """Our value with the verdict.

        `in_control` are the statements that also hold in the control of the study.
        They show nothing, and do not count.
        """
        ours = values[self.quantity]
        holds, published, reason = self._compare(ours, values)
        verdict: Verdict = self.HELD if holds else "differs"
        if self.given and not values[self.given] > 0:
            verdict = "not comparable"
            reason = self.missing or f"{self.given} does not hold"
        elif scale not in self.scales:
            verdict = "not comparable"
            reason = f"{OTHER_SCALE} {' or '.join(self.scales)}"
        elif holds and self.theorem:
            verdict = "holds (theorem)"
        elif holds and f"{self.quantity} {published}" in in_control:
            verdict = "holds in the control"
        return Check(
            quantity=self.quantity,
            ours=ours,
            published=published,
            verdict=verdict,
            reason="; ".join(filter(None, [reason, self.note])),
            where=self.where,
        )

    def _compare(self, ours: float, values: Values) -> tuple[bool, str, str]:
        """Whether the statement holds, the published side, and the reason."""
        raise NotImplementedError


@dataclass(frozen=True)
class Number(Statement):
    """A published number with the tolerance within which ours counts as equal.

    Parameters
    ----------
    value : float
        The published number.
    tolerance : float
        Largest absolute difference that counts as reproduced. It is committed before
        the first run.
    """

    value: float
    tolerance: float

    HELD = "reproduced"

    def _compare(self, ours: float, values: Values) -> tuple[bool, str, str]:
        holds = abs(ours - self.value) <= self.tolerance
        words = "within" if holds else "differs by more than"
        return holds, f"{self.value:g}", f"{words} {self.tolerance:g}"

    def planted(self) -> float:
        """A wrong number, for controls."""
        return self.value + 2 * self.tolerance + abs(self.value) / 2 + 1


@dataclass(frozen=True)
class Order(Statement):
    """A published order: one quantity is above or below another quantity or a number.

    Parameters
    ----------
    sign : {"<", "<=", ">", ">="}
        Relation of `quantity` to `than`. Numbers that differ by rounding are equal:
        otherwise the verdict on a control would depend on the processor.
    than : str or float
        Name of another value, or a number.
    """

    sign: Literal["<", "<=", ">", ">="]
    than: str | float

    HELD = "direction only"

    def _compare(self, ours: float, values: Values) -> tuple[bool, str, str]:
        other = values[self.than] if isinstance(self.than, str) else self.than
        rounding = ROUNDING * min(abs(ours), abs(other))
        equal = ours == other or abs(ours - other) <= rounding
        holds = {
            "<": ours < other and not equal,
            "<=": ours < other or equal,
            ">": ours > other and not equal,
            ">=": ours > other or equal,
        }[self.sign]
        named = f"{self.than} = {other:.4g}" if isinstance(self.than, str) else other
        reason = f"{ours:.4g} {self.sign} {named} {'holds' if holds else 'fails'}"
        return holds, f"{self.sign} {self.than}", reason


def judge_all(
    checks: tuple[Number | Order, ...],
    values: Mapping[str, float | None],
    scale: str,
    in_control: Collection[str] = (),
) -> list[Check]:
    """The checks with our values. A value that is NaN or None never passes."""
    known = {k: math.nan if value is None else value for k, value in values.items()}
    return [check.judge(known, scale, in_control) for check in checks]


def overall(checks: list[Check], complete: tuple[int, int] = (1, 1)) -> tuple[str, str]:
    """The verdict on a study, and the reason.

    A study is reproduced if each of its numbers is. If orders hold and some numbers are
    not comparable, the verdict is about the direction only. If some statements hold and
    others do not, or a part of the experiment was computed, it is partial.
    """
    if not checks:
        return "errata", "nothing is judged"
    judged = [check for check in checks if check.verdict in COUNTED]
    wrong = [check.quantity for check in judged if check.verdict == "differs"]
    left = [check for check in checks if check.verdict == "not comparable"]
    if not judged:
        reasons = dict.fromkeys(check.reason.split("; ")[0] for check in left)
        return "not comparable", "; ".join(reasons) or "no statement counts"
    more = []
    if left:
        other = _counted(len(left), "statement is", "statements are")
        more.append(f"{other} not comparable here")
    free = sum(check.verdict.startswith("holds") for check in checks)
    if free:
        more.append(_counted(free, "statement does", "statements do") + " not count")
    if wrong:
        held = len(judged) - len(wrong)
        verdict = f"partial ({held} of {len(judged)})" if held else "differs"
        return verdict, "; ".join([f"differs in {', '.join(wrong)}", *more])
    if complete[0] < complete[1]:
        text = f"partial ({complete[0]:,} of {complete[1]:,})"
        return text, "only a part of the experiment was computed"
    holding = _counted(len(judged), "statement holds", "statements hold")
    exact = any(check.verdict == "reproduced" for check in judged) and not left
    verdict = "reproduced" if exact else "direction only"
    return verdict, "; ".join([holding, *more])


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
