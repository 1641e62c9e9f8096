"""Compare many representations: plan, scores, statistics, results."""

from .._base._lazy import lazy as _lazy
from .._base._progress import Progress as Progress
from ._best_layers import BestLayers as BestLayers
from ._best_layers import best_layers as best_layers
from ._compare import compare as compare
from ._folder import Folder as Folder
from ._plan import Job as Job
from ._plan import Plan as Plan
from ._results import Results as Results
from ._rows import Row as Row
from ._run_record import RepresentationRecord as RepresentationRecord
from ._run_record import RunRecord as RunRecord
from ._schema import STRICT as STRICT
from ._schema import Schema as Schema
from ._schema import sealed as sealed
from .machines._share import Shard as Shard
from .question._join import Join as Join
from .question._join import check_rows as check_rows
from .question._join import check_values as check_values
from .question._join import common_blocks as common_blocks
from .question._join import join as join
from .question._selection import Selection as Selection
from .question._selection import row_numbers as row_numbers
from .question._selection import select_rows as select_rows
from .stimuli import Stimuli as Stimuli
from .tables._labelled import LabelledMatrix as LabelledMatrix

__all__ = [name for name in dir() if not name.startswith("_")]

_OF_NETWORKS = {
    "Diff": "similitude.networks.diff.Diff",
    "Monitor": "similitude.Monitor",
    "compare_models": "similitude.compare_models",
    "diff": "similitude.diff",
}
__getattr__, __dir__ = _lazy(__name__, {}, former=_OF_NETWORKS)
