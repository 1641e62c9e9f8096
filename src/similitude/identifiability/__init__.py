"""Identifiability of softmax models: when closeness in distribution means likeness.

The model family p(y | x) ~ exp(f(x)'g(y)), the distance d_LLV for which closeness does
imply similar representations, and what is needed to see that others do not.
"""

from ..inputs import SoftmaxModel as SoftmaxModel
from . import constructions as constructions
from ._equivalence import equivalent as equivalent
from ._llv import LLV as LLV
from ._llv import Conditioning as Conditioning
from ._llv import d_llv as d_llv
from ._svd import DF as DF
from ._svd import DFG as DFG
from ._svd import d_f as d_f
from ._svd import d_fg as d_fg
from ._svd import d_g as d_g
from ._svd import d_svd as d_svd
