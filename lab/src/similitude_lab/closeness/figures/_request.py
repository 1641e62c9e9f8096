"""What a figure is made from."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from similitude.errors import InvalidInput
from similitude.plugins import Progress

from ..._options import flag, option

__all__ = ["FigureRequest"]


@dataclass(frozen=True, eq=False, kw_only=True)
class FigureRequest:
    """The sources and options of a figure; options of the command are annotated.

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

    results: Annotated[
        Path, option("DIR", "Folder of results: ours, or JSON of the authors.")
    ] = Path("results")
    checkpoints: Annotated[
        Path, option("DIR", "Folder of models, if the figure needs them.")
    ] = Path("checkpoints")
    compute: Annotated[
        bool, flag("--compute", "Make missing results; models are not trained.")
    ] = False
    seed: Annotated[
        int, option("SEED", "Seed of random draws, with --compute.", min=0)
    ] = 0
    weight: Annotated[float, option("LAMBDA", "Weight of the terms t3 and t4.")] = 1e-5
    split: Literal["test", "train"] = "test"
    num_classes: Annotated[int, option("K", "Classes of synthetic_data.", min=2)] = 6
    model_type: Annotated[
        str | None, option("TYPE", "Image models, if there are several types.")
    ] = None
    each_setting: Annotated[
        bool,
        flag(
            "--each-setting",
            "Also draw one figure per setting, for d_LLV_train_synthetic.",
        ),
    ] = False
    date: Annotated[
        str | None, option("DATE", "Use only models of this date.", "--date-str")
    ] = None
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
