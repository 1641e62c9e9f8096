"""Fine-tuning of encoder, relative layer and head in PyTorch (extra ``torch``)."""

from similitude.errors import MissingExtra as _MissingExtra

try:
    import torch as _torch  # noqa: F401
except ImportError as _error:
    raise _MissingExtra("similitude_lab.training.tuning", "torch") from _error

from ._checkpoint import load_weights as load_weights
from ._checkpoint import save_weights as save_weights
from ._densification import Densification as Densification
from ._evaluate import predict as predict
from ._fine_tune import Tuned as Tuned
from ._fine_tune import fine_tune as fine_tune
from ._network import RelativeNetwork as RelativeNetwork
from ._parameters import encoder_layers as encoder_layers
from ._parameters import parameter_groups as parameter_groups
from ._recipe import Recipe as Recipe
from ._recipe import warmup_cosine as warmup_cosine
from ._relative_layer import RelativeLayer as RelativeLayer
from ._steps import Penalty as Penalty
from ._steps import Sampler as Sampler
from ._steps import Stage as Stage

__all__ = [name for name in dir() if not name.startswith("_")]
