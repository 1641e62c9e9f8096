"""The trainings that studies share."""

from collections.abc import Iterable

from similitude.errors import InvalidInput

from ..training.images import ImageTraining, with_starts
from ._catalog import find_study
from ._study import SCALES, Scale


def shared_trainings(
    names: Iterable[str], scale: Scale = "small"
) -> tuple[ImageTraining, ...]:
    """The shared trainings of studies, without repetitions.

    Parameters
    ----------
    names : iterable of str
        Names of studies; `STUDIES` lists all.
    scale : {"small", "paper"}, optional
        Studies at the scale smoke train their own networks, which are not cached.

    Examples
    --------
    >>> shared_trainings(["rtd/clusters"])
    ()
    """
    if scale not in SCALES[1:]:
        raise InvalidInput(
            f"scale={scale!r}; choose from {', '.join(SCALES[1:])}. At the scale smoke "
            f"each study trains its own networks."
        )
    chosen = [find_study(name) for name in names]
    found = (one for study in chosen for one in study.trainings(study.settings[scale]))
    return with_starts(found)
