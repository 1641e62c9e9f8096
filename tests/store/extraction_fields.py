"""The `extraction` object of an element with three rows."""

from typing import Any


def extraction() -> dict[str, Any]:
    return {
        "state_dict_sha256": "0" * 64,
        "model_class": "package.module.Net",
        "preprocessing": {
            "name": "normalize",
            "options": {"mean": [0.5, 0.25], "resize": None},
            "probe_sha256": "1" * 64,
        },
        "data_fingerprint": "2" * 64,
        "layer": {"path": "features.conv1", "call": 1},
        "reducer": {"name": "mean", "options": {"axes": [2, 3]}},
        "batches": {"size": 2, "boundaries": [0, 2, 3]},
        "model_dtype": "bfloat16",
        "stored_dtype": "<f8",
        "versions": {"torch": "2.9.0", "similitude": "0.1.0", "python": "3.11.7"},
    }
