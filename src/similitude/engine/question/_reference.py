"""The reference of a comparison: a representation, a model, or a step of training."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import InvalidInput, did_you_mean, either
from ...representation import Representation, gather

STEPS = ("first", "last")


@dataclass(frozen=True)
class Reference:
    """The representations, and the pairs that are compared.

    `index` is that of a single reference, and `halves` has one pair per layer for a
    model or a step; both are None if all pairs are compared.
    """

    reps: list[Representation]
    index: int | None = None
    halves: frozenset[tuple[int, int]] | None = None


def with_reference(reps: list[Representation], reference: Any) -> Reference:
    """A representation of this name, or a model, or the first or the last step."""
    if reference is not None and not isinstance(reference, str):
        single = gather({"reference": reference})[0]
        reps, reference = [single, *reps], single.name
        gather(reps)  # raises if another representation has this name
    if len(reps) < 2:
        raise InvalidInput(f"got {len(reps)} representation; give two or more.")
    if reference is None:
        return Reference(reps)
    names = [rep.name for rep in reps]
    models = dict.fromkeys(rep.model for rep in reps if rep.model is not None)
    if reference in names:
        return Reference(reps, names.index(reference))
    place = {rep.name: i for i, rep in enumerate(reps)}
    if reference in models:
        own = [rep for rep in reps if rep.model == reference]
        chosen = {_at_step(rep): place[rep.name] for rep in own}
        return _paired(reps, reference, chosen, _at_step)
    steps = [rep for rep in reps if rep.step is not None]
    if reference in STEPS and steps:
        # The last one of the same model and layer replaces the others.
        steps.sort(key=lambda rep: rep.step or 0, reverse=reference == STEPS[0])
        chosen = {_of_run(rep): place[rep.name] for rep in steps}
        return _paired(reps, reference, chosen, _of_run)
    choices = [*names, *map(str, models), *(STEPS if steps else [])]
    known_names = list(dict.fromkeys(choices))
    raise InvalidInput(
        f"{_option(reference)} is not among {', '.join(known_names)}."
        f"{did_you_mean(reference, known_names)}"
    )


def _paired(
    reps: Sequence[Representation],
    reference: str,
    chosen: dict[Any, int],
    key: Callable[[Representation], Any],
) -> Reference:
    """Each representation with the one that is chosen for its key."""
    partners = {i: chosen[key(rep)] for i, rep in enumerate(reps) if key(rep) in chosen}
    halves = frozenset((min(i, j), max(i, j)) for i, j in partners.items() if i != j)
    if not halves:
        raise InvalidInput(
            f"{_option(reference)}: no other representation has one of its layers."
        )
    return Reference([*reps], None, halves)


def _at_step(rep: Representation) -> tuple[Any, ...]:
    return rep.layer, rep.step


def _of_run(rep: Representation) -> tuple[Any, ...]:
    return rep.model, rep.layer


def _option(reference: str) -> str:
    return either(
        python=f"reference={reference!r}",
        shell=f"--reference {reference or repr(reference)}",
    )
