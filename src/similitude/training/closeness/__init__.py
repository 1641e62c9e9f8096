"""Closeness in distribution: models p(y | x) of many seeds, widths and norm options.

`load_config` reads configuration files, an `Experiment` lists the models and the names
of their files, and `load_model` reads the networks of one file.
"""

from ._config import *
from ._models import *
from ._setting import *
