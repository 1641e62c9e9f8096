"""The calls of common CKA packages and files, with the right numbers.

Change one import line, and the code keeps running. Each call warns once per line of
your code and says how its number differs (docs/from_other_packages.md).

`torch_cka` has the class of the package torch_cka, `google_research` the functions of
the notebook of Kornblith et al. (2019), and `cka_similarity` those of the files that
are often named ``CKA.py``.
"""

from . import cka_similarity as cka_similarity
from . import google_research as google_research
from . import torch_cka as torch_cka
from ._changed import ChangedNumber as ChangedNumber

__all__ = [name for name in dir() if not name.startswith("_")]
