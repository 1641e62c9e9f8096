"""Twins that know what they are: baselines that travel with the representations."""

from collections.abc import Collection, Sequence

from ..errors import InvalidInput
from ..representation import Representation


def split_twins(
    reps: Sequence[Representation],
) -> tuple[list[Representation], dict[str, list[Representation]]]:
    """What is compared, and the baselines that are among `reps`, by name."""
    mains = [rep for rep in reps if rep.baseline is None]
    baselines: dict[str, list[Representation]] = {}
    for rep in reps:
        if rep.baseline is not None:
            baselines.setdefault(rep.baseline, []).append(rep)
    if baselines and not mains:
        raise InvalidInput(
            f"there are only baselines ({', '.join(baselines)}); add what they are "
            f"twins of."
        )
    return mains, baselines


def match_twins(
    baseline: str, twins: Sequence[Representation], names: Collection[str]
) -> Representation | dict[str, Representation]:
    """The twin of each name, or one for all. Twins of others are left out."""
    found: dict[str, Representation] = {}
    for twin in twins:
        of = twin.twin_of or twin.name
        if of not in names:
            continue
        if of in found:
            raise InvalidInput(
                f"{of} has two twins under {baseline!r}; give one of them another "
                f"baseline."
            )
        found[of] = twin
    if found:
        return found
    if len(twins) == 1 and twins[0].twin_of is None:
        return twins[0]
    of = twins[0].twin_of or twins[0].name
    raise InvalidInput(
        f"baseline {baseline!r}: none of its names ({of}, ...) is one of those "
        f"compared ({', '.join(names)}). Name the twins alike, or give a single one "
        f"for all."
    )
