"""Results as text: the header, tables, grids and notes."""

from .._findings import LayerFact as LayerFact
from .._findings import claimed_range as claimed_range
from .._findings import comparable as comparable
from .._findings import layer_facts as layer_facts
from .._findings import mixed_reducers as mixed_reducers
from .._findings import models_and_layers as models_and_layers
from .._findings import reducers_of as reducers_of
from .._findings import sign_of as sign_of
from .._findings import step_facts as step_facts
from ._alarms import alarms as alarms
from ._header import header as header
from ._notes import PARTS as PARTS
from ._notes import footnotes as footnotes
from ._numbers import number as number
from ._numbers import probability as probability
from ._summary import not_significant as not_significant
from ._summary import too_few_permutations as too_few_permutations
from ._summary import which_pairs as which_pairs
from ._table import render as render
from ._verdict import change as change
from ._verdict import most as most
from ._verdict import steps_in_words as steps_in_words

__all__ = [name for name in dir() if not name.startswith("_")]
