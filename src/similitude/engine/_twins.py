"""Twins that know what they are: baselines that travel with the representations."""

from collections.abc import Collection, Sequence

from ..errors import InvalidInput
from ..representation import Representation


def split_twins(
    reps: Sequence[Representation], given: Collection[str] = ()
) -> tuple[list[Representation], dict[str, list[Representation]]]:
    """What is compared, and the baselines that are among `reps`, by role.

    Roles in `given` are left out: what is asked for goes before what a store says.
    """
    mains = [rep for rep in reps if rep.baseline is None]
    roles: dict[str, list[Representation]] = {}
    for rep in reps:
        if rep.baseline is not None:
            roles.setdefault(rep.baseline, []).append(rep)
    if roles and not mains:
        raise InvalidInput(
            f"there are only baselines ({', '.join(roles)}); add what they are twins "
            f"of."
        )
    return mains, {role: twins for role, twins in roles.items() if role not in given}


def match_twins(
    role: str, twins: Sequence[Representation], names: Collection[str]
) -> Representation | dict[str, Representation]:
    """The twin of each name, or one for all. Twins of others are left out."""
    found: dict[str, Representation] = {}
    for twin in twins:
        of = twin.twin_of or twin.name
        if of not in names:
            continue
        if of in found:
            raise InvalidInput(
                f"{of} has two twins under {role!r}; give one of them a role of its "
                f"own."
            )
        found[of] = twin
    if found:
        return found
    if len(twins) == 1 and twins[0].twin_of is None:
        return twins[0]
    of = twins[0].twin_of or twins[0].name
    raise InvalidInput(
        f"baseline {role!r}: none of its names ({of}, ...) is one of those compared "
        f"({', '.join(names)}). Name the twins alike, or give a single one for all."
    )
