"""What a careful reader would say about the data before believing a number.

Each piece of advice has a code, which rows of a table carry, and a sentence.
"""

from ._advise import Advice as Advice
from ._advise import advise as advise
from ._codes import CODES as CODES
from ._codes import Pairwise as Pairwise
from ._facts import Description as Description
from ._facts import describe as describe
