"""The description of a study, its configuration and its result."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from ..training.images import ImageTraining, TrainedImages
from ._checks import Number, Order
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
PLANTED = "wrong numbers in place of ours"


@dataclass(frozen=True, kw_only=True)
class StudyResult:
    """What a study computed.

    Parameters
    ----------
    values : mapping of str to float
        The numbers that are judged or shown next to published numbers.
    tables : mapping of str to mapping
        The data as columns of equal length, by file name. They are sufficient to draw
        the figures again.
    notes : tuple of str, optional
        Sentences about the run that a reader of the numbers must know.
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
    control : bool
        Whether this run is the control of the study.
    device : str
        PyTorch device on which networks are trained.
    """

    scale: Scale
    setting: Any
    parts: Parts
    results: Path | None = None
    data: Path | None = None
    training: Path | None = None
    control: bool = False
    device: str = "cpu"

    def shuffled(self, rows: Any, *, seed: int = 0) -> Any:
        """The same rows, or in the control the rows in another order.

        This breaks the pairing with everything that is not shuffled.

        >>> Config(scale="smoke", setting=None, parts=Parts(None)).shuffled([1, 2, 3])
        [1, 2, 3]
        """
        if not self.control:
            return rows
        order = np.random.default_rng(seed).permutation(len(rows))
        if (order == np.arange(len(rows))).all():
            order = np.roll(order, 1)
        if isinstance(rows, Mapping):
            values = list(rows.values())
            return dict(zip(rows, (values[i] for i in order), strict=True))
        return rows[order] if isinstance(rows, np.ndarray) else [rows[i] for i in order]

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
    checks : tuple of Number and Order
        Published numbers and orders, committed before the first run.
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
        then computed again. A change that leaves all numbers equal is recorded by
        `lab/tools/study_sources.py`.
    lesson : str
        What one learns from the results, in one sentence.
    control : str
        What differs in the control: a run at the scale smoke in which the claim is
        false, as with shuffled labels. Its verdict must be neither "reproduced" nor
        "direction only". `PLANTED` is for studies that only check constants.
    control_setting : mapping, optional
        Fields of the setting that differ in the control; other changes are made by
        `Config.shuffled`.
    twin_setting : mapping, optional
        Fields of the setting that differ in the control and in its twin, the same run
        without the change. A statement must hold in the twin: otherwise its failure in
        the control shows nothing. Default: the twin is the study at the scale smoke.
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
    checks: tuple[Number | Order, ...]
    run: Callable[[Config, np.random.Generator], StudyResult]
    draw: Callable[[StudyResult], Figures]
    errata: tuple[str, ...] = ()
    needs: tuple[str, ...] = field(default=())
    version: int = 1
    lesson: str = ""
    control: str = PLANTED
    control_setting: Mapping[str, Any] = field(default_factory=dict)
    twin_setting: Mapping[str, Any] = field(default_factory=dict)
    trains: bool = False
    trainings: Callable[[Any], Sequence[ImageTraining]] = lambda setting: ()

    def published(self) -> dict[str, float]:
        """The published numbers by quantity, for tables and figures."""
        numbers = (check for check in self.checks if isinstance(check, Number))
        return {number.quantity: number.value for number in numbers}
