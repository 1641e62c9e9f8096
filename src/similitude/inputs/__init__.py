"""Inputs of measures: arrays of points, outputs of classifiers, softmax models."""

from .._base._validate import points as points
from ._admit import admit as admit
from ._classes import class_means as class_means
from ._classes import without_class_means as without_class_means
from ._frames import frame_parts as frame_parts
from ._frames import is_frame as is_frame
from ._outputs import Outputs as Outputs
from ._outputs import outputs as outputs
from ._softmax_model import SoftmaxModel as SoftmaxModel
from ._softmax_model import check_softmax_model as check_softmax_model

__all__ = [name for name in dir() if not name.startswith("_")]
