"""Options of `compare` and `show`: ways out of the results."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from .. import engine
from .._base._progress import Progress
from ..errors import InvalidInput, check_extra
from ..store import check_writable
from ._option import option
from ._pages._during_run import PageDuringRun
from ._say import say, say_json

Json = Annotated[bool, option("--json", "Print JSON.")]
Latex = Annotated[bool, option("--latex", "Print a LaTeX table (booktabs).")]
Csv = Annotated[Path | None, option("FILE", "Also write all rows to a CSV file.")]
Plot = Annotated[
    Path | None,
    option(
        "FILE",
        "Also draw a .png, .pdf or .svg: one panel per measure, and one of the "
        "untrained twins; layers against layers for two models, otherwise all pairs.",
    ),
]
Colors = Annotated[
    str,
    option(
        "SPAN",
        "Colors of --plot span the range of the measure, or of the data. [range, data]",
    ),
]
Report = Annotated[Path | None, option("--report FILE", "Also write an HTML page.")]
Long = Annotated[bool, option("--long", "Print one line for each pair.")]
_FILES = {"csv": "Table", "plot": "Figure", "report": "Report"}
PICTURES = (".png", ".pdf", ".svg")


def check_file(option: str, path: Path) -> None:
    """Raise unless a file can be written at this path."""
    if path.is_dir():
        raise InvalidInput(f"{option} {path} is a folder; give a file.")
    if not path.parent.exists():
        raise InvalidInput(f"{option} {path}: the folder {path.parent} does not exist.")
    check_writable(path, option)


@dataclass(frozen=True)
class WaysOut:
    """What a command prints and writes; checked before anything is computed."""

    as_json: bool = False
    latex: bool = False
    csv: Path | None = None
    plot: Path | None = None
    long: bool = False
    report: Path | None = None
    colors: str = "range"

    def __post_init__(self) -> None:
        if self.as_json and self.latex:
            raise InvalidInput("--json and --latex exclude each other; choose one.")
        if self.colors not in ("range", "data"):
            raise InvalidInput(f"--colors {self.colors}; choose range or data.")
        for name in _FILES:
            if (path := getattr(self, name)) is not None:
                check_file(f"--{name}", path)
        if self.plot is not None:
            if self.plot.suffix.lower() not in PICTURES:
                raise InvalidInput(
                    f"--plot {self.plot}: the name must end in {', '.join(PICTURES)}."
                )
            check_extra("--plot", "plot")
        if self.report is not None:
            check_extra("--report", "report")

    @property
    def for_programs(self) -> bool:
        """Whether the standard output is JSON or LaTeX, without other lines."""
        return self.as_json or self.latex

    def during_run(self, progress: Progress, out: Path) -> Progress:
        """A callback that also writes the page of a run in this results folder."""
        if self.report is None:
            return progress
        return PageDuringRun(progress, out, self.report)

    def write(
        self, results: engine.Results, *, header: bool = True, stimuli: bool = False
    ) -> None:
        """Write the files, and print the table or JSON.

        With `stimuli`, the report has a section about those of the first pair.
        """
        if self.csv is not None:
            results.to_csv(self.csv)
        if self.plot is not None:
            from ..plots import save_results

            save_results(results, self.plot, colors=self.colors)
        if self.report is not None:
            listed = results.stimuli(*results.pairs()[0]) if stimuli else None
            results.report(self.report, stimuli=listed)
        if self.as_json:
            say_json(results.to_dict())
        elif self.latex:
            say(results.to_latex())
        else:
            say(results.table(header=header, long=self.long))
            for name, title in _FILES.items():
                if (path := getattr(self, name)) is not None:
                    say(f"{title}: {path}", err=True)
