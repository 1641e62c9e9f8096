"""The catalog of pretrained encoders whose weights are inside Python packages."""

from ._encoder import Encoder
from ._known import MINILM, MOBILENET_V2, THIN_RESNET50

ENCODERS: dict[str, Encoder] = {
    encoder.name: encoder for encoder in (MOBILENET_V2, THIN_RESNET50, MINILM)
}
