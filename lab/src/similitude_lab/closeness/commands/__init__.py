"""`similitude closeness`: models that are close in distribution.

`_authors` has the commands of the authors' `run.py`.
"""

import typer as _typer

from . import _figure, _measure, _train
from ._authors import run_py as run_py

closeness = _typer.Typer(
    help="Models that are close in distribution: training and figures.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
for _command in (
    _train.train,
    _measure.distances,
    _measure.accuracies,
    _measure.mcca,
    _figure.figure,
):
    closeness.command()(_command)
