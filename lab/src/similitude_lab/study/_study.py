"""The description of a study, its configuration and its result."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from ..training.images import ImageTraining, TrainedImages
from ._parts import Parts
from ._tables import Frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
else:
    Axes = Figure = Any  # matplotlib is imported when a figure is drawn

Scale = Literal["smoke", "small", "paper"]
SCALES: tuple[Scale, ...] = ("smoke", "small", "paper")
Table = Mapping[str, Sequence[Any] | np.ndarray]
Figures = Mapping[str, Figure]


@dataclass(frozen=True, kw_only=True)
class StudyResult:
    """What a study computed.

    Parameters
    ----------
    values : mapping of str to float
        Numbers about the run, for figures and notes. Claims are judged from tables.
    tables : mapping of str to mapping
        The data as columns of equal length, by file name. They are sufficient to draw
        the figures again.
    notes : tuple of str, optional
        Sentences about the data of the run, and about what is missing.
    complete : tuple of int, optional
        How many of how many experiments were computed, if some were not.
    """

    values: Mapping[str, float]
    tables: Mapping[str, Table]
    notes: tuple[str, ...] = ()
    complete: tuple[int, int] = (1, 1)

    def frame(self, name: str) -> Frame:
        """A table as arrays."""
        return Frame(self.tables[name])


@dataclass(frozen=True, kw_only=True)
class Config:
    """The request of one run, as the function of a study sees it.

    Parameters
    ----------
    scale : {"smoke", "small", "paper"}
    setting : object
        The options of the study at this scale.
    parts : Parts
        Finished parts of this run; see `Parts`.
    results : Path, optional
        A folder of existing results that replaces training.
    data : Path, optional
        A folder with official data of the user.
    training : Path, optional
        The folder of shared training runs. By default it is in the cache.
    device : str
        PyTorch device on which networks are trained.
    """

    scale: Scale
    setting: Any
    parts: Parts
    results: Path | None = None
    data: Path | None = None
    training: Path | None = None
    device: str = "cpu"

    def trained(self, request: ImageTraining) -> TrainedImages:
        """The networks of a shared training run; epochs that are missing are trained.

        The duration of a study does not contain the training, which other studies use.
        """
        from ..training.images import train_images

        with self.parts.not_counted():
            return train_images(
                request,
                self.training,
                device=self.device,
                progress=self.parts.progress,
            )


S = TypeVar("S")


def scales(
    base: S, *, smoke: Any = None, small: Any = None, paper: Any = None
) -> dict[Scale, S]:
    """The settings of the three scales: one base, and the fields that differ.

    >>> @dataclass(frozen=True)
    ... class Setting:
    ...     seeds: int
    ...     epochs: int = 3
    >>> scales(Setting(seeds=5), smoke={"seeds": 1})["smoke"]
    Setting(seeds=1, epochs=3)
    """
    changes = {"smoke": smoke, "small": small, "paper": paper}
    return {scale: replace(base, **changes[scale] or {}) for scale in SCALES}  # type: ignore[type-var]


@dataclass(frozen=True, kw_only=True)
class Study:
    """A frozen description of an experiment.

    Parameters
    ----------
    name : str
        Paper and experiment, as in ``rtd/clusters``.
    title : str
        The experiment in a few words.
    paper : str
        Key of the paper in the references.
    where : str
        Figures and tables of the paper.
    claim : str
        The statement of the paper that the study tests.
    settings : mapping of scale to object
        The options at each scale; frozen dataclasses.
    seconds : mapping of scale to float
        Expected duration on two cores.
    run : callable
        ``run(config, rng) -> StudyResult``; the same arguments give the same result.
    draw : callable
        ``draw(result)`` gives matplotlib figures by file name.
    errata : tuple of str, optional
        Known errors in the published text.
    needs : tuple of str, optional
        Data sets without which the study does not run.
    version : int, optional
        Raise it when a change of code changes numbers: results of earlier versions are
        then computed again.
    trains : bool, optional
        Whether the study trains networks on `Config.device`. Studies with `trainings`
        do.
    trainings : callable, optional
        ``trainings(setting)`` lists the shared training runs of the study. `run`
        asks for them with `Config.trained`, which trains those that are missing.
    """

    name: str
    title: str
    paper: str
    where: str
    claim: str
    settings: Mapping[Scale, Any]
    seconds: Mapping[Scale, float]
    run: Callable[[Config, np.random.Generator], StudyResult]
    draw: Callable[[StudyResult], Figures]
    errata: tuple[str, ...] = ()
    needs: tuple[str, ...] = field(default=())
    version: int = 1
    trains: bool = False
    trainings: Callable[[Any], Sequence[ImageTraining]] = lambda setting: ()
