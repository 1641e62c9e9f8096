"""Parts of this package for other packages that add commands or experiments to it.

A package adds commands by the entry-point group ``similitude.commands``: the name is
the command, the value is a function for typer or a ``typer.Typer``. In its
`pyproject.toml`::

    [project.entry-points."similitude.commands"]
    mine = "my_package.commands:mine"

- Printing: `say` escapes unprintable characters. `printable` does it for one name.
- Progress: ``with progress("models") as callback`` shows a bar or lines on stderr;
  `Progress` is the type of such callbacks.
- Resuming: ``with resume_line("3 models are kept in out/")`` tells after Ctrl-C how to
  resume. `Folder` stores rows that survive any interruption. `RunRecord` and
  `RepresentationRecord` describe its run; a `Schema` reads rows, with the settings
  `STRICT` of pydantic, and `sealed` writes a row with its checksum.
- Checks of options: `check_at_least`, `check_positive`, `check_not_negative`,
  `check_one_of`. They raise `similitude.InvalidInput`.
- Arrays: `to_numpy` copies an array of any library from its device. `as_seed` turns an
  argument `rng` of the type `Rng` into a seed.
- Modules: `evaluation_mode` switches dropout off for a while. `as_weights` converts
  rows to the device and precision of a module, which `device_of` names.
  `integer_labels` checks classes.
- Settings: `current_config` has the cache folder, workers and threads. `imap` runs jobs
  over the workers, `torch_threads` sets the threads of PyTorch.

>>> from similitude.plugins import check_at_least
>>> check_at_least("epochs", 0, 1)
Traceback (most recent call last):
    ...
similitude.errors.InvalidInput: epochs=0; it must be at least 1.
"""

from typing import TYPE_CHECKING

from ._base._lazy import lazy as _lazy

# Each name is loaded on first use: checks must not load the command line.
_NAMES = {
    name: module
    for module, names in {
        "_base._array": "to_numpy",
        "_base._config": "current_config",
        "_base._parallel": "imap torch_threads",
        "_base._printable": "printable",
        "_base._progress": "Progress",
        "_base._seed": "Rng as_seed",
        "_base._validate": "check_at_least check_not_negative "
        "check_one_of check_positive integer_labels",
        "cli._progress": "progress",
        "cli._say": "say",
        "cli._stopping": "resume_line",
        "networks.extraction": "evaluation_mode",
        "latent.stitching._weights": "as_weights device_of",
        "engine": "Folder RepresentationRecord RunRecord STRICT Schema sealed",
    }.items()
    for name in names.split()
}
__all__ = [*_NAMES]

if TYPE_CHECKING:
    from ._base._array import to_numpy as to_numpy
    from ._base._config import current_config as current_config
    from ._base._parallel import imap as imap
    from ._base._parallel import torch_threads as torch_threads
    from ._base._printable import printable as printable
    from ._base._progress import Progress as Progress
    from ._base._seed import Rng as Rng
    from ._base._seed import as_seed as as_seed
    from ._base._validate import check_at_least as check_at_least
    from ._base._validate import check_not_negative as check_not_negative
    from ._base._validate import check_one_of as check_one_of
    from ._base._validate import check_positive as check_positive
    from ._base._validate import integer_labels as integer_labels
    from .cli._progress import progress as progress
    from .cli._say import say as say
    from .cli._stopping import resume_line as resume_line
    from .engine import STRICT as STRICT
    from .engine import Folder as Folder
    from .engine import RepresentationRecord as RepresentationRecord
    from .engine import RunRecord as RunRecord
    from .engine import Schema as Schema
    from .engine import sealed as sealed
    from .latent.stitching._weights import as_weights as as_weights
    from .latent.stitching._weights import device_of as device_of
    from .networks.extraction import evaluation_mode as evaluation_mode
else:
    __getattr__, __dir__ = _lazy(__name__, _NAMES, "similitude")
