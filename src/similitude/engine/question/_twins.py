"""Match stored baselines with the representations that they are twins of."""

from collections.abc import Collection, Sequence

from ...errors import InvalidInput
from ...representation import Representation


def split_twins(
    reps: Sequence[Representation],
) -> tuple[list[Representation], dict[str, list[Representation]]]:
    """Separate the representations to compare from the baselines, by baseline name."""
    mains = [rep for rep in reps if rep.baseline is None]
    baselines: dict[str, list[Representation]] = {}
    for rep in reps:
        if rep.baseline is not None:
            baselines.setdefault(rep.baseline, []).append(rep)
    if baselines and not mains:
        raise InvalidInput(
            f"there are only baselines ({', '.join(baselines)}); add the "
            f"representations to compare."
        )
    return mains, baselines


def match_twins(
    baseline: str, twins: Sequence[Representation], names: Collection[str]
) -> Representation | dict[str, Representation]:
    """The twin of each name, or one twin for all. Twins of other names are ignored."""
    found: dict[str, Representation] = {}
    for twin in twins:
        name = twin.twin_of or twin.name
        if name not in names:
            continue
        if name in found:
            raise InvalidInput(
                f"{name} has two twins for baseline {baseline!r}; give one of them "
                f"another baseline name."
            )
        found[name] = twin
    if found:
        return found
    if len(twins) == 1 and twins[0].twin_of is None:
        return twins[0]
    name = twins[0].twin_of or twins[0].name
    raise InvalidInput(
        f"baseline {baseline!r}: none of its twins (of {name}, ...) matches a compared "
        f"representation ({', '.join(names)}). Give the twins the same names, or give "
        f"a single twin for all."
    )
