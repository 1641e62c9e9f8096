"""The catalog of pretrained encoders whose weights are inside Python packages."""

from ._encoder import Encoder
from ._images import MOBILENET_V2, THIN_RESNET50
from ._texts import MINILM

ENCODERS: dict[str, Encoder] = {
    encoder.name: encoder for encoder in (MOBILENET_V2, THIN_RESNET50, MINILM)
}
