"""Symmetries of the weights of networks: groups that an activation function allows."""

from ._intertwiners import INTERTWINERS as INTERTWINERS
from ._intertwiners import Intertwiner as Intertwiner
from ._intertwiners import intertwiner as intertwiner
from ._weights import act_on_weights as act_on_weights
from ._weights import sample_elements as sample_elements
