"""Identifiability of softmax models: when closeness in distribution means likeness.

The model family p(y | x) ~ exp(f(x)'g(y)), the distance d_LLV for which closeness does
imply similar representations, and what is needed to see that others do not.
"""

from ..inputs import SoftmaxModel as SoftmaxModel
from . import constructions as constructions
from ._cca import CanonicalBound as CanonicalBound
from ._cca import canonical_bound as canonical_bound
from ._cca import m_cca as m_cca
from ._divergence import d_logit as d_logit
from ._divergence import kl as kl
from ._diversity import Diversity as Diversity
from ._diversity import ModelDiversity as ModelDiversity
from ._diversity import Spread as Spread
from ._diversity import diversity as diversity
from ._equivalence import equivalent as equivalent
from ._fg import DF as DF
from ._fg import FG as FG
from ._fg import d_f as d_f
from ._fg import d_fg as d_fg
from ._fg import d_g as d_g
from ._llv import LLV as LLV
from ._llv import Conditioning as Conditioning
from ._llv import d_llv as d_llv
from ._rep import Rep as Rep
from ._rep import d_rep as d_rep
from ._svd import d_svd as d_svd
from ._theorem2 import Theorem2 as Theorem2
from ._theorem2 import theorem2 as theorem2
