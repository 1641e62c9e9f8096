"""What a figure is made from."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from similitude.errors import InvalidInput
from similitude.plugins import Progress

__all__ = ["FigureRequest"]


@dataclass(frozen=True, eq=False, kw_only=True)
class FigureRequest:
    """The sources and options of a figure.

    Parameters
    ----------
    results
        Folder with results of `measure_distances` and others, or with result files of
        the authors' code.
    checkpoints
        Folder of models, for ``"cifar10_reps"`` and for `compute`.
    compute
        Make results that are missing. Models are not trained.
    seed
        Seed of random sets of inputs, constructed models and permutations.
    weight, split
        The distances to draw: their weight lambda, and ``"test"`` or ``"train"``.
    num_classes
        K of ``"synthetic_data"``.
    model_type
        Type of the image models, if there are several.
    each_setting
        For ``"d_LLV_train_synthetic"``: also one figure per setting.
    date
        Use only models of this date.
    progress, say
        As in `measure_distances`.
    """

    results: Path = Path("results")
    checkpoints: Path = Path("checkpoints")
    compute: bool = False
    seed: int = 0
    weight: float = 1e-5
    split: Literal["test", "train"] = "test"
    num_classes: int = 6
    model_type: str | None = None
    each_setting: bool = False
    date: str | None = None
    progress: Progress = lambda stage, done, total: None
    say: Callable[[str], None] = lambda text: None

    def one_type(self, kinds: set[str]) -> str:
        """The type of image models to draw; several types need a choice."""
        if self.model_type is not None and self.model_type in kinds:
            return self.model_type
        if self.model_type is None and len(kinds) == 1:
            return kinds.pop()
        if self.model_type is None and kinds:
            raise InvalidInput(
                f"there are models of the types {', '.join(sorted(kinds))}; choose one "
                f"with --model-type."
            )
        raise InvalidInput(
            f"neither {self.results} nor {self.checkpoints} has what this figure "
            f"needs. Train image models with `similitude closeness train`; then "
            f"`similitude closeness mcca` and `accuracies` make the results, or "
            f"--compute."
        )
