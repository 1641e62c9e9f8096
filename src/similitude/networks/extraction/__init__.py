"""From models to representations: activations of chosen layers, written to a store.

`extract` runs a PyTorch module or an ONNX model once over the data. It needs the extra
``torch`` or ``onnx``; this module itself loads neither.
"""

from ._data._image_folder import ImageFolder as ImageFolder
from ._data._images import ImagePreprocessing as ImagePreprocessing
from ._extract import extract as extract
from ._layers._reducers import REDUCERS as REDUCERS
from ._layers._reducers import Reducer as Reducer
from ._layers._reducers import find_reducer as find_reducer
from ._models._fresh import fresh_twin as fresh_twin
from ._models._language import LanguageModel as LanguageModel
from ._models._modules import evaluation_mode as evaluation_mode
from ._models._onnx import OnnxModel as OnnxModel
from ._named._source import Source as Source
from ._named._source import is_model as is_model
from ._named._source import named_model as named_model
from ._probe import LayerProbe as LayerProbe
from ._streaming import LayerOptions as LayerOptions
from ._streaming import StreamedBatch as StreamedBatch
from ._streaming import StreamedLayer as StreamedLayer
from ._streaming import merged as merged
from ._streaming import streamed_layers as streamed_layers
from ._summary import LayerSummary as LayerSummary
from ._summary import summarize_layers as summarize_layers

__all__ = [name for name in dir() if not name.startswith("_")]
