"""What a figure is made from, and where it is written."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from similitude.plugins import Progress

from ._files import save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Request:
    """The options of `draw_figure`, and the files written so far."""

    results: Path
    checkpoints: Path
    output: Path
    compute: bool
    seed: int
    weight: float
    split: Literal["test", "train"]
    num_classes: int
    model_type: str | None
    each_setting: bool
    date: str | None
    progress: Progress
    say: Callable[[str], None]
    written: list[Path] = field(default_factory=list)

    def save(
        self, figure: "Figure", stem: str, rows: Sequence[Mapping[str, Any]]
    ) -> None:
        self.written.extend(save_figure(figure, self.output, stem, rows))
