"""Checkpoints: training steps in the names of models, and the pairs that need them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..._base._printable import printable
from ...errors import InvalidInput
from ...representation import Representation

_GUESS = r"(?:step|epoch|iter(?:ation)?|checkpoint|ckpt)[-_=]?(\d+)"
_FEWEST = 3  # steps of one run; fewer numbers in names may mean something else

Group = tuple[str | None, str | None]  # run and layer


def with_steps(
    reps: Sequence[Representation], pattern: str | None
) -> list[Representation] | None:
    """The representations with steps from their names; None if names have no steps.

    The model of each one becomes the name of the run, without the step. Without a
    pattern, steps are guessed: all names must match, and a run must have three steps.
    """
    if pattern == "none" or (pattern is None and any(r.step is not None for r in reps)):
        return None
    try:
        find = re.compile(pattern or _GUESS, re.IGNORECASE)
    except re.error as error:
        raise InvalidInput(f"--step {pattern!r}: {error}.") from error
    if not find.groups:
        raise InvalidInput(f"--step {pattern!r}: put the number into (): 'step(\\d+)'.")
    texts = [rep.model or rep.name for rep in reps]
    matches = [find.search(text) for text in texts]
    numbers = [None if m is None else m[1] for m in matches]
    if any(number is None or not number.isdigit() for number in numbers):
        if pattern is None:
            return None
        missing = next(t for t, n in zip(texts, numbers, strict=True) if not n)
        raise InvalidInput(
            f"--step {pattern!r}: {printable(missing)} has no whole number there."
        )
    found = [
        replace(rep, step=int(m[1]), model=_run(m))
        for rep, m in zip(reps, matches, strict=True)
        if m is not None
    ]
    groups = _by_group(found)
    steps = [[rep.step for rep in group] for group in groups.values()]
    clear = all(len(set(each)) == len(each) for each in steps)
    enough = max(map(len, steps), default=0) >= _FEWEST
    if pattern is None and not (clear and enough):
        return None
    if not clear:
        raise InvalidInput(f"--step {pattern!r} gives two checkpoints the same step.")
    return found


def announced(reps: Sequence[Representation]) -> str:
    """What was read from the names, and which pairs are compared."""
    steps = sorted({rep.step for rep in reps})  # type: ignore[type-var]
    runs = ", ".join(dict.fromkeys(printable(str(rep.model)) for rep in reps))
    return (
        f"steps from the names: {steps[0]} to {steps[-1]}, {len(steps)} checkpoints of "
        f"{runs}. Each layer is compared with its first, previous and last checkpoint, "
        f"and with equal steps of other runs. --step none compares all pairs."
    )


def needed_pairs(
    reps: Sequence[Representation],
) -> Callable[[Representation, Representation], bool]:
    """Whether the training dynamics need a pair."""
    order: dict[str, tuple[Group, int, int]] = {}
    for key, group in _by_group(reps).items():
        ordered = sorted(group, key=lambda rep: float(rep.step or 0))
        for place, rep in enumerate(ordered):
            order[rep.name] = (key, place, len(ordered) - 1)

    def needed(a: Representation, b: Representation) -> bool:
        (group, i, last), (other, j, _) = order[a.name], order[b.name]
        if group == other:
            return abs(i - j) == 1 or 0 in (i, j) or last in (i, j)
        return group[1] == other[1] and a.step == b.step

    return needed


def _by_group(reps: Sequence[Representation]) -> dict[Group, list[Representation]]:
    found: dict[Group, list[Representation]] = {}
    for rep in reps:
        found.setdefault((rep.model, rep.layer), []).append(rep)
    return found


def _run(match: re.Match[str]) -> str:
    """The name around the step, such as "resnet" of resnet-step0010."""
    rest = match.string[: match.start()] + match.string[match.end() :]
    return rest.strip("-_=./ ") or "run"
