"""Identifiability of softmax models: when close distributions mean similar embeddings.

The package has the model family p(y | x) ~ exp(f(x)'g(y)), and the distance d_LLV: if
it is small, representations are similar. Other distances and constructed models show
that this does not hold for every distance between distributions.
"""

from ..inputs import SoftmaxModel as SoftmaxModel
from ._cca import CanonicalBound as CanonicalBound
from ._cca import canonical_bound as canonical_bound
from ._cca import m_cca as m_cca
from ._divergence import kl as kl
from ._divergence import logit_distance as logit_distance
from ._diversity import Diversity as Diversity
from ._diversity import ModelDiversity as ModelDiversity
from ._diversity import Spread as Spread
from ._diversity import diversity as diversity
from ._equivalence import equivalent as equivalent
from ._fg import FDistance as FDistance
from ._fg import FGDistance as FGDistance
from ._fg import f_distance as f_distance
from ._fg import fg_distance as fg_distance
from ._fg import g_distance as g_distance
from ._llv import Conditioning as Conditioning
from ._llv import LLVDistance as LLVDistance
from ._llv import llv_distance as llv_distance
from ._rep import RepDistance as RepDistance
from ._rep import rep_distance as rep_distance
from ._svd import svd_distance as svd_distance
from ._theorem2 import Theorem2 as Theorem2
from ._theorem2 import theorem2 as theorem2

__all__ = [name for name in dir() if not name.startswith("_")]
