"""Symmetries of activations and of weights, and tests of invariance to them."""

from ._intertwiners import INTERTWINERS as INTERTWINERS
from ._intertwiners import Intertwiner as Intertwiner
from ._intertwiners import intertwiner as intertwiner
from ._invariance import InvarianceReport as InvarianceReport
from ._invariance import invariance_report as invariance_report
from ._isometry import IsometryReport as IsometryReport
from ._isometry import isometry_report as isometry_report
from ._weights import act_on_weights as act_on_weights
from ._weights import sample_elements as sample_elements

__all__ = [name for name in dir() if not name.startswith("_")]
