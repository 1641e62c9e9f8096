"""MobileNetV2 without its classifier: 1,280 features of an image of 224 x 224 pixels.

The names of the weights are those of the published files.
"""

from similitude.networks import MobileNetV2


def mobilenet_v2() -> MobileNetV2:
    """The network with random weights, for `similitude extract --weights`."""
    return MobileNetV2()
